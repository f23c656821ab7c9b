// What of one type is due now: runs its trigger, checks the data, and drops what is in view or throttled.

import * as v from "valibot";
import {
  type Attachment,
  checkData,
  type Due,
  type Sent,
  type SentDelivery,
} from "../attachments/attachment.ts";
import { throttled } from "../attachments/throttle.ts";
import type { TypeSettings } from "../config/schema.ts";
import type { Facts } from "../facts/facts.ts";
import { issueText } from "../facts/parse-event.ts";
import type { View } from "../history/view.ts";
import type { Beat, Delivery } from "../log/state.ts";
import type { Outcome, Spared } from "../log/trace.ts";
import { errorText } from "../platform/errors.ts";
import { isTable } from "../platform/plain-data.ts";
import { refusePromise } from "../platform/refuse-promise.ts";
import { DUE_SIZE, sizeProblem, TooLargeError } from "../platform/size.ts";
import { reasonsInLine } from "../render/wording.ts";
import type { Observation } from "./ask-sources.ts";
import type { Engine } from "./engine.ts";
import { type Failure, toFailure } from "./set-aside.ts";

/** What a turn knows when it asks the types. */
export interface TurnState {
  readonly facts: Facts;
  /** Of the facts, what every turn looks at. */
  turns: Facts["turns"];
  notes: Facts["notes"];
  view: View;
  /** Deliveries in view by type, oldest first. */
  sent: ReadonlyMap<string, readonly Delivery[]>;
  turn: number;
  /** The branch of the request. */
  branch: string;
  hasPrompt: boolean;
  /** First turn of the session, or of the view. */
  opening: boolean;
  observations: ReadonlyMap<string, Observation>;
}

export interface Evaluation {
  /** What is to be sent, each with the hash of its data. */
  due: { due: Due<unknown>; hash: string }[];
  failures: Failure[];
  /** Why nothing of the type is sent, or why some of it is not. */
  outcome?: Outcome;
  /** Its trigger found nothing due. */
  isQuiet?: true;
  spared?: Spared;
}

/** Why something that is due is not sent; `spared`: the tokens it took when it was. */
interface Held extends Outcome {
  spared?: number;
}

// A trace may give a reason for each of several things.
const LONGEST_REASON = 2500;

// More than this of one type in a turn is a flood, not news.
const MOST_PER_TURN = 200;

/** Whatever a trigger throws or returns affects only its own type. */
export function evaluate(engine: Engine, attachment: Attachment, state: TurnState): Evaluation {
  try {
    const { options } = settingsOf(engine, attachment);
    const sent = toSent(sentOf(attachment, state), engine.journal.state.confirmedKeys[attachment.type] ?? {});
    const answer: unknown = attachment.trigger(onlyNeeded(state.facts, attachment.needs), sent, options);
    refusePromise(answer, "its trigger is asynchronous: waiting belongs in a source");
    if (isSkip(answer)) return nothing(silence(errorText(answer.skip, LONGEST_REASON), attachment, state));
    if (!Array.isArray(answer)) throw new Error("its trigger returned neither a list nor a reason");
    if (answer.length === 0) return nothing({ outcome: "nothing", reason: "nothing is due" });
    return filterDue(engine, attachment, answer as Due<unknown>[], state);
  } catch (error) {
    return allFailed([toFailure(error)]);
  }
}

export function settingsOf({ settings }: Engine, { type }: Attachment): TypeSettings {
  return settings.types.get(type) as TypeSettings;
}

function sentOf({ type }: Attachment, { sent }: TurnState): readonly Delivery[] {
  return sent.get(type) ?? [];
}

function nothing(outcome: Outcome): Evaluation {
  return { due: [], failures: [], outcome, isQuiet: true };
}

/** Nothing that was due can be sent: the first failure is the reason. */
export function allFailed(failures: Failure[]): Evaluation & { outcome: Outcome } {
  return { due: [], failures, outcome: { outcome: "failed", reason: failures[0]?.reason ?? "" } };
}

/** A bad item affects only itself. */
function filterDue(
  engine: Engine,
  attachment: Attachment,
  all: readonly Due<unknown>[],
  state: TurnState,
): Evaluation {
  const found: Evaluation["due"] = [];
  const held: Held[] = [];
  const failures: Failure[] = [];
  for (const given of all.slice(0, MOST_PER_TURN))
    try {
      const due = checkDue(given, attachment);
      const hash = engine.platform.hash(`${attachment.type}\n${JSON.stringify(due.data)}`);
      const why = whyHeld(engine, attachment, { due, hash }, state);
      if (why === undefined) found.push({ due, hash });
      else held.push(why);
    } catch (error) {
      failures.push(toFailure(error, coversOf(given)));
    }
  const [first] = held;
  if (first === undefined) return found.length === 0 ? allFailed(failures) : { due: found, failures };
  const outcome: Outcome = {
    outcome: first.outcome,
    reason: reasonsInLine(held.map(({ reason }) => reason)),
  };
  return { due: found, failures, outcome, ...sparedBy(held) };
}

function coversOf(due: unknown): readonly string[] | undefined {
  const { covers } = (due ?? {}) as { covers?: unknown };
  return v.is(v.array(v.string()), covers) ? covers : undefined;
}

function sparedBy(held: readonly Held[]): { spared?: Spared } {
  const amounts = held.flatMap(({ spared }) => spared ?? []);
  if (amounts.length === 0) return {};
  return { spared: { count: amounts.length, tokens: amounts.reduce((sum, one) => sum + one, 0) } };
}

function whyHeld(
  engine: Engine,
  attachment: Attachment,
  { due, hash }: { due: Due<unknown>; hash: string },
  state: TurnState,
): Held | undefined {
  const { turn, facts } = state;
  const { throttlesFrom, confirmed } = engine.journal.state;
  const sent = sentOf(attachment, state);
  const about = due.key === undefined ? sent : sent.filter((delivery) => delivery.key === due.key);
  const isEdge = (due.covers?.length ?? 0) > 0;
  // An unconfirmed reminder that was not answered since is sent again by this very turn.
  const isNow = (delivery: Delivery) =>
    delivery.turn === turn ||
    (delivery.state !== "confirmed" && delivery.assistantTurns === facts.turns.assistant);
  if (attachment.repeat === "always" && !isEdge && about.some(isNow))
    return { outcome: "already in view", reason: `already sent in this turn (${turn})` };
  if (attachment.repeat !== "always" && !isEdge) {
    const last = sent.at(-1);
    // What changes may change back: only the last one tells how things are.
    const isSame = (delivery: Delivery) =>
      delivery.hash === hash &&
      (attachment.repeat !== "changed" || (delivery === last && delivery.key === due.key));
    const same = sent.find(isSame);
    if (same !== undefined)
      return {
        outcome: "already in view",
        reason: `the same content was sent in turn ${same.turn}`,
        spared: same.tokens,
      };
  }
  const rule = attachment.throttle;
  const reason = throttled({
    rule: { ...rule, ...limitsOf(settingsOf(engine, attachment), rule?.betweenOption) },
    now: facts.turns.assistant,
    since: rule?.since?.(facts),
    heeded: rule?.heeded?.(facts),
    sent: beatsOf(engine, attachment, about, state).flatMap(({ seq, assistantTurns }) =>
      seq > throttlesFrom ? [assistantTurns] : [],
    ),
    total:
      (confirmed[attachment.type] ?? 0) + sent.filter((delivery) => delivery.state !== "confirmed").length,
  });
  return reason === undefined
    ? undefined
    : { outcome: "throttled", reason, spared: about.at(-1)?.tokens ?? 0 };
}

/** Compaction takes a reminder out of view, but an agent that has ignored it backs off all the same. */
function beatsOf(
  engine: Engine,
  { type }: Attachment,
  inView: readonly Delivery[],
  { view }: TurnState,
): readonly Beat[] {
  const beats = (engine.journal.state.rhythms[type] ?? []).filter(view.heard);
  if (beats.length === 0) return inView;
  const known = new Set(inView.map(({ seq }) => seq));
  return [...beats.filter(({ seq }) => !known.has(seq)), ...inView].sort((a, b) => a.seq - b.seq);
}

/** Throws if the trigger returned something else. */
function checkDue(due: unknown, attachment: Attachment): Due<unknown> {
  if (typeof due !== "object" || due === null || !("data" in due))
    throw new Error("its trigger returned junk, not data");
  const problem = sizeProblem(due, DUE_SIZE);
  if (problem?.startsWith("more than")) throw new TooLargeError(`its data was ${problem}`);
  if (problem !== undefined) throw new Error(`its data was ${problem}`);
  const checked = checkData(attachment.schema, due.data);
  if ("problem" in checked) throw new Error(`its data does not fit its schema: ${checked.problem}`);
  const rest = v.safeParse(dueRest, due, { abortEarly: true });
  if (!rest.success) throw new Error(`its trigger returned junk: ${issueText("due", rest.issues[0])}`);
  const { note, ...others } = rest.output;
  const notes = note === undefined ? [] : [note].flat().map((one) => errorText(one, LONGEST_REASON));
  return { data: checked.data, ...others, ...(note === undefined ? {} : { note: notes }) };
}

const dueRest = v.object({
  covers: v.exactOptional(v.array(v.string())),
  key: v.exactOptional(v.string()),
  atStart: v.exactOptional(v.boolean()),
  content: v.exactOptional(v.literal("untrusted")),
  whenTooLong: v.exactOptional(v.literal("send")),
  counted: v.exactOptional(v.boolean()),
  note: v.exactOptional(v.union([v.string(), v.array(v.string())])),
});

/** If a source did not answer, that is the reason, not what the trigger says. */
function silence(reason: string, attachment: Attachment, { observations }: TurnState): Outcome {
  let whole = reason;
  for (const name of attachment.needs) {
    const observation = observations.get(name);
    if (observation === undefined || observation.status === "ready") continue;
    if (!observation.observed.known) return { outcome: observation.status, reason: observation.reason };
    whole += `; ${observation.reason}, the last known value is used`;
  }
  return { outcome: "nothing", reason: whole };
}

function toSent(deliveries: readonly Delivery[], confirmed: Readonly<Record<string, number>>): Sent<unknown> {
  const summary = (list: readonly Delivery[]) => {
    const last = list.at(-1);
    return { count: list.length, ...(last === undefined ? {} : { last: toSentDelivery(last) }) };
  };
  return {
    ...summary(deliveries),
    get keys() {
      return deliveries.flatMap(({ key }) => key ?? []);
    },
    about(key) {
      const about = deliveries.filter((delivery) => delivery.key === key);
      const open = about.filter(({ state }) => state !== "confirmed").length;
      return { ...summary(about), total: (confirmed[key] ?? 0) + open };
    },
  };
}

function toSentDelivery({ turn, assistantTurns, seq, key, data }: Delivery): SentDelivery<unknown> {
  const optional = { ...(key === undefined ? {} : { key }), ...(data === undefined ? {} : { data }) };
  return { turn, assistantTurns, seq, ...optional };
}

/** In objects of the type's own: a field that a host's type sets or deletes is not missing for the others. */
function onlyNeeded(facts: Facts, needs: Attachment["needs"]): Facts {
  const own: Record<string, unknown> = {};
  for (const name of needs) {
    const fact: unknown = facts[name];
    own[name] = isTable(fact) ? { ...fact } : fact;
  }
  return own as unknown as Facts;
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

function isSkip(answer: unknown): answer is { skip: string } {
  return (
    typeof answer === "object" && answer !== null && typeof (answer as { skip?: unknown }).skip === "string"
  );
}
