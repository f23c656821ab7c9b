// One turn: sources asked under the deadline, what is due offered, the request filled. Nothing in here throws.

import type { Dialect } from "../dialects/dialect.ts";
import { commandCalls, finishedCalls } from "../facts/calls.ts";
import type { RequestEvent, StoredEvent } from "../facts/events.ts";
import type { ObservedName } from "../facts/facts.ts";
import { deliveryKey } from "../log/state.ts";
import type { TraceEntry } from "../log/trace.ts";
import type { Problem } from "../platform/errors.ts";
import { errorText } from "../platform/errors.ts";
import type { Profile } from "../profiles/profile.ts";
import { eventsOfUse, type ToolUse } from "../profiles/tool-events.ts";
import {
  type AttachmentMessage,
  type MetaMessage,
  type Reminder,
  toMetaMessage,
} from "../render/reminder.ts";
import { type SessionContext, turnInfo, wantedFacts } from "./context.ts";
import { type Decision, decide } from "./decide.ts";
import { handOver } from "./hand-over.ts";
import { insertIntoBody, markOf, publicType, toReminder, withImageData } from "./insert.ts";
import type { Observation } from "./observe.ts";
import { type Deadline, isLate, startDeadline, within } from "./observe.ts";
import { settle } from "./offer.ts";
import type { Request } from "./read-request.ts";
import type { SourceFailures } from "./telemetry.ts";
import { promptIn } from "./user-prompt.ts";

export interface TurnOptions<Body = unknown> {
  dialect?: Dialect<NoInfer<Body>>;
  /** The request as it would be sent; without one the host places `reminders` itself. */
  body?: Body;
  /**
   * What the user typed, for hosts without a body: else it is what stands at the end of it. What is given here may
   * mention files outside the project, as its user asks for them. An empty one says that nothing was typed, whatever the
   * body ends with.
   */
  userPrompt?: string;
}

export interface Turn<Body = unknown> {
  number: number;
  /** The request with reminders in place; the given one is never changed. */
  body: Body;
  /** What this turn says, new or again because it was not confirmed. */
  reminders: Reminder[];
  /** The same as meta messages, for hosts that keep a transcript. */
  messages: MetaMessage[];
  attachments: { type: string; data: unknown }[];
  /** The same as they are kept in a transcript, each under the `uuid` of its reminder. */
  attachmentMessages: AttachmentMessage[];
  trace: TraceEntry[];
  /** What a person should mend outside the log, such as a config file: the session goes on without it. */
  problems: readonly Problem[];
  /**
   * What kept the turn from doing its work, in words. It says nothing new then; where the log cannot even be
   * read, the request is as it was given.
   */
  problem?: string;
  /** The model answered: what was said is said. False where that could not be written yet: it is tried again. */
  commit(): Promise<boolean>;
  /** The call failed: what was said stays due. */
  abandon(): Promise<boolean>;
  /**
   * For processes that live for one call: what was said, or those of it given here, has left and cannot be taken back.
   * Nobody says it meanwhile; whoever comes next tells what became of it, with `session.settleHandedOver`. The rest
   * stays due.
   */
  handOver(given?: readonly { id: string }[]): Promise<boolean>;
}

/** What the session gives a turn: itself, opened, and a place in its queue. */
export interface TurnHost {
  /** Resolves when every earlier record is durable or has failed. */
  recorded(): Promise<unknown>;
  /** Resolves when the log is open and all earlier records are durable; never rejects with a record's error. */
  ready(): Promise<SessionContext>;
  /** One after the other: what one turn offers the next one knows. */
  serial<T>(run: () => Promise<T>): Promise<T>;
  /** Settling that failed is kept and tried again before the next turn. */
  settleLater(run: () => Promise<void>): void;
  /** What sources found out, appended. */
  append(events: readonly StoredEvent[]): Promise<void>;
  /** What the host itself could have recorded: completed as that is. */
  record(event: StoredEvent): Promise<void>;
  /** Whose requests these are. */
  profile?: Profile | undefined;
  /** What config files say is on its way; nothing once it is known. Never rejects. */
  configured(): Promise<unknown> | undefined;
  problems(): readonly Problem[];
  timeoutMs: number;
  /** The request with what tools gave neutralised, where the host asked for that. Never throws. */
  neutralResults<Body>(dialect: Dialect<Body>, body: Body): Body;
  /** For turns that end before anything was asked. */
  blank(outcome: TraceEntry["outcome"], reason: string): TraceEntry[];
  platform: SessionContext["platform"];
  enabled: boolean;
  /** Why there are no more turns, in words: the session is closed. */
  closed(): string | undefined;
  /** How many turns were asked for so far. */
  calls: number;
}

/** Whatever becomes of the turn, its request is as safe as the host asked for. */
export async function runTurn<Body>(
  host: TurnHost,
  options: TurnOptions<Body>,
  looked: SourceFailures,
): Promise<Turn<Body>> {
  const refused = refusal(host, options);
  if (refused !== undefined) {
    const body = isObject(options) ? options.body : undefined;
    return emptyTurn(body as Body, { trace: host.blank("failed", refused), problems: [], problem: refused });
  }
  const turn = await runPlainTurn(host, options, looked);
  const { dialect } = options;
  const body = dialect === undefined ? turn.body : host.neutralResults(dialect as Dialect<Body>, turn.body);
  return body === turn.body ? turn : { ...turn, body };
}

/** Why nothing can be done at all. Hosts without types can pass anything. */
function refusal(host: TurnHost, options: unknown): string | undefined {
  const closed = host.closed();
  if (closed !== undefined) return closed;
  if (!isObject(options)) return `turn: expected options such as { dialect, body }, got ${nameOf(options)}`;
  const { dialect, userPrompt } = options;
  if (userPrompt !== undefined && typeof userPrompt !== "string")
    return `turn: userPrompt: expected a text, got ${nameOf(userPrompt)}`;
  if (dialect === undefined || (isObject(dialect) && typeof dialect.problem === "function")) return undefined;
  return `turn: dialect: expected a dialect object such as anthropicMessages, imported from "sotto", got ${nameOf(dialect)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 100));
  return value === null
    ? "null"
    : Array.isArray(value)
      ? "a list"
      : typeof value === "object"
        ? "another object"
        : typeof value;
}

async function runPlainTurn<Body>(
  host: TurnHost,
  options: TurnOptions<Body>,
  looked: SourceFailures,
): Promise<Turn<Body>> {
  const from = host.platform.monotonic();
  const empty = (trace: TraceEntry[], problem?: string) =>
    emptyTurn(options.body as Body, { trace, problems: host.problems(), problem });
  if ((await configured(host)) === "late")
    return empty(
      host.blank("timed out", `the config files were not read within ${host.timeoutMs} ms`),
      "the config files did not answer in time",
    );
  if (!host.enabled) await host.recorded();
  if (!host.enabled) return empty(host.blank("off", "switched off: enabled = false"));
  const request = toRequest(options);
  if (typeof request === "string") return empty(host.blank("failed", request), request);
  const spent = host.platform.monotonic() - from;
  const deadline = startDeadline(host.platform, Math.max(0, host.timeoutMs - spent));
  host.calls += 1;
  try {
    const found = await within(deadline.late, decideTurn(host, options, { request, deadline, looked }));
    if (found === "late")
      return empty(
        host.blank("timed out", `no time left: ${host.timeoutMs} ms`),
        "the log did not answer in time",
      );
    return await toTurn<Body>(host, found);
  } catch (error) {
    const words = errorText(error);
    return empty(host.blank("failed", words), words);
  } finally {
    deadline.stop();
  }
}

/** What a file says holds for the first turn, too; reading it takes of the deadline that was known before. */
async function configured(host: TurnHost): Promise<unknown> {
  const reading = host.configured();
  if (reading === undefined) return undefined;
  const deadline = startDeadline(host.platform, host.timeoutMs);
  try {
    return await within(deadline.late, reading);
  } finally {
    deadline.stop();
  }
}

interface Decided {
  context: SessionContext;
  decision: Decision;
  body: unknown;
}

async function decideTurn<Body>(
  host: TurnHost,
  { userPrompt }: TurnOptions<Body>,
  { request, deadline, looked }: { request: Request | undefined; deadline: Deadline; looked: SourceFailures },
): Promise<Decided> {
  const { signal } = deadline;
  const call = host.calls;
  const context = await host.ready();
  await observeCalls(host, context, request);
  const vocabulary = context.tools.wordsFor(request, context.calls.called);
  const prompt = promptIn(context, { userPrompt, request });
  const observations = await observeAll(
    host,
    context,
    { userPrompt: prompt, isTyped: userPrompt !== undefined },
    deadline,
  );
  count(observations, looked);
  const gotNothing = () => (request === undefined ? doubtHeld(context) : undefined);
  const run = async (): Promise<Decided> => {
    // The caller has left: offering now would claim things that nobody sends.
    if (isLate(signal)) throw new Error("the turn was given up");
    const hasPrompt = prompt !== undefined;
    context.vocabulary = vocabulary;
    const decision = await decide({ context, request, call, hasPrompt, observations });
    const body = await insertIntoBody(context, decision);
    if (isLate(signal)) await settle(context, decision.offers, "abandoned").catch(() => undefined);
    if (isLate(signal) || decision.problem !== undefined) gotNothing();
    return { context, decision, body };
  };
  return host.serial(() =>
    run().catch((error: unknown) => {
      gotNothing();
      throw error;
    }),
  );
}

/**
 * Before anything is asked: what the agent read, wrote and ran itself is no news. Without a profile only what the host
 * does not record: the same would count twice, and later than it was.
 */
async function observeCalls(
  host: TurnHost,
  context: SessionContext,
  request: Request | undefined,
): Promise<void> {
  const { profile } = host;
  if (request === undefined) return;
  let uses: readonly ToolUse[] = [];
  try {
    const { calls } = context.journal.state.facts;
    const isToldRest = profile === undefined && calls.told === true;
    const isToldCommands = profile === undefined && calls.toldCommands === true;
    const known = isToldRest ? commandCalls(calls) : finishedCalls(calls);
    uses = context.calls.newUses(request.dialect, request.body, known);
    if (isToldRest && isToldCommands) return;
    context.tools.wordsFor(request, context.calls.called);
    const events = uses.flatMap((use): StoredEvent[] => {
      const found = eventsOfUse(context.tools.meaning(use.name, use.input), use);
      const news = found.filter(({ type }) => !(type === "command_ran" ? isToldCommands : isToldRest));
      return profile === undefined ? news.map(asRead) : news;
    });
    await Promise.all(events.map((event) => host.record(event)));
  } catch {
    // The store may be back with the next turn. What is wrong with the request itself the turn says.
    context.calls.forget(uses);
  }
}

function asRead(event: RequestEvent): StoredEvent {
  return { ...event, fromRequest: true };
}

/** A host that got nothing now has its model's answer to something else than what it was handed before. */
function doubtHeld({ journal, owner }: SessionContext): void {
  const open = Object.values(journal.state.deliveries).filter(
    (delivery) => delivery.state === "offered" && delivery.anchor === undefined && delivery.owner === owner,
  );
  journal.doubt(open);
}

function observeAll(
  host: TurnHost,
  context: SessionContext,
  prompt: { userPrompt: string | undefined; isTyped: boolean },
  { signal, promptSignal }: Deadline,
): Promise<Map<ObservedName, Observation>> {
  const wanted = wantedFacts(context) as ReadonlySet<string> as ReadonlySet<ObservedName>;
  const info = turnInfo(context, { ...prompt, append: host.append });
  const turn = context.journal.state.turn + 1;
  return context.observer.observe({ info, turn, wanted, signal, promptSignal });
}

/** What sources could not look at, for telemetry. */
function count(observations: ReadonlyMap<ObservedName, Observation>, looked: SourceFailures): void {
  const found = (name: ObservedName) => {
    const observed = observations.get(name)?.observed;
    return (observed?.known ? observed.value : {}) as Record<string, readonly unknown[] | undefined>;
  };
  const total = (names: readonly ObservedName[], field: string) =>
    names.reduce((sum, name) => sum + (found(name)[field]?.length ?? 0), 0);
  looked.mentionsFailed = total(["mentioned", "mentionedResources"], "unresolved");
  looked.unreadable = total(["fileChanges", "instructions"], "unknown");
}

async function toTurn<Body>(host: TurnHost, { context, decision, body }: Decided): Promise<Turn<Body>> {
  const { situation, offers, trace, problem } = decision;
  const spoken = offers.filter(({ blocks }) => blocks.length > 0);
  const reminders = await Promise.all(spoken.map((offer) => toReminder(context, offer)));
  const attached = await attachedIn(context, decision);
  const dataOf = new Map(attached.map(({ uuid, data }) => [uuid, data]));
  for (const offer of offers) context.handed.set(deliveryKey(offer), host.calls);
  let settled: Promise<boolean> | undefined;
  const settleBy = (work: () => Promise<void>) => {
    for (const offer of offers) context.handed.delete(deliveryKey(offer));
    const run = () => host.serial(work);
    settled ??= run().then(
      () => true,
      () => {
        host.settleLater(run);
        return false;
      },
    );
    return settled;
  };
  return {
    number: situation.turn,
    body: body as Body,
    reminders,
    messages: reminders.map((reminder) => toMetaMessage(reminder, dataOf.get(reminder.uuid))),
    attachments: attached.map(({ type, data }) => ({ type, data })),
    attachmentMessages: attached.map(({ type, data, uuid, timestamp }) => ({
      type: "attachment",
      attachment: { ...(data as object), type },
      uuid,
      timestamp,
    })),
    ...(problem === undefined ? { trace } : { trace: host.blank("failed", problem), problem }),
    problems: host.problems(),
    commit: () => settleBy(() => settle(context, offers, "confirmed")),
    abandon: () => settleBy(() => settle(context, offers, "abandoned")),
    handOver: (given = reminders) => settleBy(() => handOver(context, offers, given)),
  };
}

interface Attached {
  type: string;
  data: unknown;
  uuid: string;
  timestamp: string;
}

/** What was offered before has its data in the log, unless that was too large; new offers are made of the drafts, in order. */
function attachedIn(context: SessionContext, { offers, drafts }: Decision): Promise<Attached[]> {
  let fresh = 0;
  const attached = offers.flatMap((offer) => {
    const data = offer.again ? offer.data : drafts[fresh++]?.candidate.due.data;
    const type = publicType(context.catalogue, offer.type);
    return data === undefined ? [] : [{ type, data, ...markOf(context, offer) }];
  });
  return Promise.all(attached.map(async (one) => ({ ...one, data: await withImageData(context, one.data) })));
}

function toRequest<Body>({ dialect, body }: TurnOptions<Body>): Request | undefined | string {
  if (dialect === undefined && body === undefined) return undefined;
  if (dialect === undefined) return "a body needs a dialect: pass { dialect, body }";
  let problem: string | undefined;
  try {
    problem = dialect.problem(body);
  } catch (error) {
    problem = errorText(error);
  }
  return problem === undefined
    ? { dialect: dialect as Dialect, body }
    : `the request is not of the dialect ${dialect.name}: ${problem}`;
}

interface Emptiness {
  trace: TraceEntry[];
  problems: readonly Problem[];
  problem: string | undefined;
}

function emptyTurn<Body>(body: Body, { trace, problems, problem }: Emptiness): Turn<Body> {
  return {
    number: 0,
    body,
    reminders: [],
    messages: [],
    attachments: [],
    attachmentMessages: [],
    trace,
    problems,
    ...(problem === undefined ? {} : { problem }),
    commit: async () => true,
    abandon: async () => true,
    handOver: async () => true,
  };
}
