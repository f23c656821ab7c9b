// Asking each attachment what is due: its trigger, its throttle, what is in view. One outcome for every type.

import * as v from "valibot";
import type { Attachment, Due, Sent, SentDelivery } from "../attachments/attachment.ts";
import { throttled } from "../attachments/throttle.ts";
import type { TypeSettings } from "../config/schema.ts";
import type { Facts } from "../facts/facts.ts";
import { issueText } from "../facts/parse-event.ts";
import type { Beat, Delivery } from "../log/state.ts";
import type { Outcome, Spared } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import { DUE_SIZE, sizeProblem, TooLargeError } from "../platform/size.ts";
import { reasonsInLine } from "../render/wording.ts";
import type { Observation } from "./observe.ts";

export interface Candidate {
  attachment: Attachment;
  due: Due<unknown>;
  hash: string;
}

export interface EvaluateOptions {
  attachment: Attachment;
  settings: TypeSettings;
  facts: Facts;
  /** Deliveries of this type in view, oldest first. */
  said: readonly Delivery[];
  turn: number;
  confirmed: number;
  /** The same, by key, of keys that are counted. */
  confirmedKeys: Readonly<Record<string, number>>;
  /** When it was said, in view or not, where its type backs off. */
  beats: readonly Beat[];
  throttlesFrom: number;
  observations: ReadonlyMap<string, Observation>;
  hash(text: string): string;
}

/** Something that is due and cannot be said. */
export interface Bad {
  reason: string;
  /** It will never be small enough. */
  tooLarge: boolean;
  /** The edges it is about; nothing where nobody can tell. */
  covers?: readonly string[];
}

export type Evaluation =
  | { candidates: Candidate[]; bad: Bad[]; silenced?: Outcome; spared?: Spared }
  | { outcome: Outcome; bad: Bad[]; spared?: Spared };

/** Why something that is due is not said; `spared`: what it took when it was. */
interface Quiet extends Outcome {
  spared?: number;
}

// Several things that do not come, each with its reason.
const LONGEST_REASON = 2500;

// More than this of any one type in a turn is a flood, not news.
const MOST_PER_TURN = 200;

/** Whatever a trigger throws or returns costs only its own type. */
export function evaluate(options: EvaluateOptions): Evaluation {
  try {
    return evaluateOpen(options);
  } catch (error) {
    return failure([toBad(error)]);
  }
}

/** What went wrong with one thing that is due. */
export function toBad(error: unknown, covers?: readonly string[]): Bad {
  const about = covers === undefined ? {} : { covers };
  return { reason: errorText(error), tooLarge: error instanceof TooLargeError, ...about };
}

/** All that was due is bad: the first tells why. */
export function failure(bad: Bad[]): { outcome: Outcome; bad: Bad[] } {
  return { outcome: { outcome: "failed", reason: bad[0]?.reason ?? "" }, bad };
}

function evaluateOpen(options: EvaluateOptions): Evaluation {
  const { attachment, facts, said, settings, confirmedKeys } = options;
  const answer: unknown = attachment.trigger(
    onlyNeeded(facts, attachment.needs),
    toSaid(said, confirmedKeys),
    settings.options,
  );
  refusePromise(answer, "its trigger");
  if (isSkip(answer)) return { outcome: silence(errorText(answer.skip, LONGEST_REASON), options), bad: [] };
  if (!Array.isArray(answer)) throw new Error("its trigger returned neither a list nor a reason");
  if (answer.length === 0) return { outcome: { outcome: "nothing", reason: "nothing is due" }, bad: [] };
  return filterDue(answer as Due<unknown>[], options);
}

/** One that is bad costs only itself. */
function filterDue(dues: readonly Due<unknown>[], options: EvaluateOptions): Evaluation {
  const candidates: Candidate[] = [];
  const silenced: Quiet[] = [];
  const bad: Bad[] = [];
  for (const due of dues.slice(0, MOST_PER_TURN))
    try {
      const checked = checkDue(due, options);
      const candidate = { attachment: options.attachment, due: checked, hash: contentHash(checked, options) };
      const quiet = whyQuiet(candidate, options);
      if (quiet === undefined) candidates.push(candidate);
      else silenced.push(quiet);
    } catch (error) {
      bad.push(toBad(error, coversOf(due)));
    }
  const [first] = silenced;
  if (first === undefined) return candidates.length === 0 ? failure(bad) : { candidates, bad };
  const reason = reasonsInLine(silenced.map((one) => one.reason));
  const outcome: Outcome = { outcome: first.outcome, reason };
  const spared = sparedBy(silenced);
  return candidates.length === 0
    ? { outcome, bad, ...spared }
    : { candidates, bad, silenced: outcome, ...spared };
}

function coversOf(due: unknown): readonly string[] | undefined {
  const { covers } = (due ?? {}) as { covers?: unknown };
  return v.is(v.array(v.string()), covers) ? covers : undefined;
}

function sparedBy(silenced: readonly Quiet[]): { spared?: Spared } {
  const amounts = silenced.flatMap(({ spared }) => spared ?? []);
  if (amounts.length === 0) return {};
  return { spared: { count: amounts.length, tokens: amounts.reduce((sum, one) => sum + one, 0) } };
}

function whyQuiet({ due, hash }: Candidate, options: EvaluateOptions): Quiet | undefined {
  const { attachment, said, turn, settings, facts, throttlesFrom } = options;
  const about = due.key === undefined ? said : said.filter((delivery) => delivery.key === due.key);
  const isEdge = (due.covers?.length ?? 0) > 0;
  // What was not confirmed, and not answered since, is said again by this very turn.
  const isNow = (delivery: Delivery) =>
    delivery.turn === turn ||
    (delivery.state !== "confirmed" && delivery.assistantTurns === facts.turns.assistant);
  if (attachment.repeats && !isEdge && about.some(isNow))
    return { outcome: "already in view", reason: `said in this turn (${turn}) already` };
  if (!attachment.repeats && !isEdge) {
    const same = said.find((delivery) => delivery.hash === hash);
    if (same !== undefined)
      return {
        outcome: "already in view",
        reason: `the same content was said in turn ${same.turn}`,
        spared: same.tokens,
      };
  }
  const rule = attachment.throttle;
  const reason = throttled({
    rule: { ...rule, ...limitsOf(settings, rule?.betweenOption) },
    now: facts.turns.assistant,
    since: rule?.since?.(facts),
    heeded: rule?.heeded?.(facts),
    said: beatsOf(about, options).flatMap(({ seq, assistantTurns }) =>
      seq > throttlesFrom ? [assistantTurns] : [],
    ),
    total: options.confirmed + said.filter((delivery) => delivery.state !== "confirmed").length,
  });
  return reason === undefined
    ? undefined
    : { outcome: "throttled", reason, spared: about.at(-1)?.tokens ?? 0 };
}

/** Compaction takes it out of view, and does not make it new to the agent that has ignored it. */
function beatsOf(inView: readonly Delivery[], { beats }: EvaluateOptions): readonly Beat[] {
  if (beats.length === 0) return inView;
  const known = new Set(inView.map(({ seq }) => seq));
  return [...beats.filter(({ seq }) => !known.has(seq)), ...inView].sort((a, b) => a.seq - b.seq);
}

/** Throws where it is none. */
function checkDue(due: unknown, { attachment }: EvaluateOptions): Due<unknown> {
  if (typeof due !== "object" || due === null || !("data" in due))
    throw new Error("its trigger returned junk, not data");
  const problem = sizeProblem(due, DUE_SIZE);
  if (problem?.startsWith("more than")) throw new TooLargeError(`its data was ${problem}`);
  if (problem !== undefined) throw new Error(`its data was ${problem}`);
  const parsed = v.safeParse(attachment.schema, due.data, { abortEarly: true });
  if (!parsed.success)
    throw new Error(`its data does not fit its schema: ${issueText("data", parsed.issues[0])}`);
  const rest = v.safeParse(dueRest, due, { abortEarly: true });
  if (!rest.success) throw new Error(`its trigger returned junk: ${issueText("due", rest.issues[0])}`);
  const { note, ...others } = rest.output;
  const notes = note === undefined ? [] : [note].flat().map((one) => errorText(one, LONGEST_REASON));
  return { data: parsed.output, ...others, ...(note === undefined ? {} : { note: notes }) };
}

const dueRest = v.object({
  covers: v.exactOptional(v.array(v.string())),
  key: v.exactOptional(v.string()),
  atStart: v.exactOptional(v.boolean()),
  carries: v.exactOptional(v.literal("untrusted")),
  uncut: v.exactOptional(v.boolean()),
  counted: v.exactOptional(v.boolean()),
  note: v.exactOptional(v.union([v.string(), v.array(v.string())])),
});

function contentHash({ data }: Due<unknown>, { attachment, hash }: EvaluateOptions): string {
  return hash(`${attachment.type}\n${JSON.stringify(data)}`);
}

/** A silence behind an unanswered question is the source's, not the trigger's. */
function silence(reason: string, { attachment, observations }: EvaluateOptions): Outcome {
  let told = reason;
  for (const name of attachment.needs) {
    const observation = observations.get(name);
    if (observation === undefined || observation.status === "ready") continue;
    if (!observation.observed.known) return { outcome: observation.status, reason: observation.reason };
    told += `; ${observation.reason}, what was known before holds`;
  }
  return { outcome: "nothing", reason: told };
}

function toSaid(deliveries: readonly Delivery[], confirmed: Readonly<Record<string, number>>): Sent<unknown> {
  const summary = (list: readonly Delivery[]) => {
    const last = list.at(-1);
    return { count: list.length, ...(last === undefined ? {} : { last: toSaidDelivery(last) }) };
  };
  return {
    ...summary(deliveries),
    about(key) {
      const about = deliveries.filter((delivery) => delivery.key === key);
      const open = about.filter(({ state }) => state !== "confirmed").length;
      return { ...summary(about), total: (confirmed[key] ?? 0) + open };
    },
  };
}

function toSaidDelivery({ turn, assistantTurns, seq, key, data }: Delivery): SentDelivery<unknown> {
  const optional = { ...(key === undefined ? {} : { key }), ...(data === undefined ? {} : { data }) };
  return { turn, assistantTurns, seq, ...optional };
}

function onlyNeeded(facts: Facts, needs: Attachment["needs"]): Facts {
  return Object.fromEntries(needs.map((name) => [name, facts[name]])) as unknown as Facts;
}

function limitsOf(
  { minTurnsBetween, minTurnsAfterTrigger, maxPerSession, options }: TypeSettings,
  betweenOption: string | undefined,
) {
  const own = (options ?? {}) as Record<string, unknown>;
  const between = betweenOption === undefined ? 0 : Number(own[betweenOption]);
  return {
    ...(own.backs_off === false ? { backsOff: false } : {}),
    ...(between > 1 ? { minTurnsBetween: between } : {}),
    ...(minTurnsBetween === undefined ? {} : { minTurnsBetween }),
    ...(minTurnsAfterTrigger === undefined ? {} : { minTurnsAfterTrigger }),
    ...(maxPerSession === undefined ? {} : { maxPerSession }),
  };
}

/** Waiting belongs into sources; and nobody would hear of a promise that rejects. */
export function refusePromise(value: unknown, whose: string): void {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== "function") return;
  void Promise.resolve(value).catch(() => undefined);
  throw new Error(`${whose} is asynchronous: waiting belongs into a source`);
}

function isSkip(answer: unknown): answer is { skip: string } {
  return (
    typeof answer === "object" && answer !== null && typeof (answer as { skip?: unknown }).skip === "string"
  );
}
