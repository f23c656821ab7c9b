// One turn, top to bottom: read the config, observe, decide, insert, hand back. Nothing in here throws.

import type { Dialect } from "../dialects/dialect.ts";
import type { ObservedName } from "../facts/facts.ts";
import { parseEvent } from "../facts/parse-event.ts";
import { listed } from "../log/branches.ts";
import { deliveryKey } from "../log/state.ts";
import type { TraceEntry } from "../log/trace.ts";
import { errorText, type Problem } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { copyOf } from "../platform/plain-data.ts";
import {
  type AttachmentMessage,
  type MetaMessage,
  type Reminder,
  toMetaMessage,
} from "../render/reminder.ts";
import type { Observation } from "./ask-sources.ts";
import { type Deadline, isLate, startDeadline, within } from "./deadline.ts";
import { type Decision, decide } from "./decide.ts";
import { closedProblem, type Engine } from "./engine.ts";
import { handOver } from "./hand-over.ts";
import { attachedIn, insert, insertEarlier, toReminder } from "./insert.ts";
import { observe } from "./observe.ts";
import { isLastToSend, noted, settle, takeBack } from "./offer.ts";
import { keepPlaced, passPlacedOn } from "./placed.ts";
import { isLong, pause, readAhead } from "./read-ahead.ts";
import { type Request, readRequest, rememberUnwritten, toRequest } from "./read-request.ts";
import { recordToolCalls } from "./record-calls.ts";
import type { SourceFailures } from "./telemetry.ts";
import { promptIn } from "./user-prompt.ts";

/** What `session.turn` takes. */
export interface TurnOptions<Body = unknown> {
  /** The provider's request format, such as `anthropicMessages`. Required with `body`. */
  dialect?: Dialect<NoInfer<Body>>;
  /** The request as it would be sent. Without one the host places `reminders` itself. */
  body?: Body;
  /**
   * What the user typed; default: the user's texts at the end of `body`. A prompt given here may mention files outside
   * the project, as the user asks for them. An empty one means that nothing was typed, whatever the body ends with.
   */
  userPrompt?: string;
}

/** What a turn returns: the request with reminders in place, and how each attachment type fared. */
export interface Turn<Body = unknown> {
  /** The number of this turn in the session, from 1. */
  number: number;
  /** The request with reminders in place; the given one is never changed. */
  body: Body;
  /** What this turn sends: new, or again because it was not confirmed. */
  reminders: Reminder[];
  /** The same as meta messages, for hosts that keep a transcript. */
  messages: MetaMessage[];
  /** The data behind the reminders, by type. */
  attachments: { type: string; data: unknown }[];
  /** The same as they are kept in a transcript, each under the `uuid` of its reminder. */
  attachmentMessages: AttachmentMessage[];
  /** One entry per attachment type: what it did, and why. */
  trace: TraceEntry[];
  /** What a person should fix outside the log, such as a config file: the session continues without it. */
  problems: readonly Problem[];
  /** What kept the turn from adding anything new. If even the log cannot be read, the request is unchanged. */
  problem?: string;
  /** The model answered: the reminders are delivered. False if that could not be written yet: it is tried again. */
  commit(): Promise<boolean>;
  /**
   * The call failed: the reminders stay due. With `unsent` the request never left: if an answer follows all the same, it is
   * not an answer to them, and they come behind it.
   */
  abandon(options?: { unsent?: boolean }): Promise<boolean>;
  /**
   * The provider keeps the answer under this id, such as the `id` of an OpenAI response: a request that continues from it
   * continues from this turn. For all answers of a session, or for none. False if it could not be written.
   */
  keptAs(id: string): Promise<boolean>;
  /**
   * For processes that live for one call: the reminders, or those given here, have left and cannot be taken back.
   * Nobody sends them meanwhile; the next process reports what became of them with `session.settleHandedOver`. The
   * others stay due.
   */
  handOver(given?: readonly { id: string }[]): Promise<boolean>;
}

/** `looked`: gets what sources could not look at, for telemetry. */
export async function runTurn<Body>(
  engine: Engine,
  given: TurnOptions<Body>,
  looked: SourceFailures,
): Promise<Turn<Body>> {
  const { options, refused } = readOptions<Body>(engine, given);
  const nothing = { problems: [], problem: refused };
  const turn =
    refused === undefined
      ? await takeTurn(engine, options, looked)
      : emptyTurn(options.body as Body, { ...nothing, trace: blankTrace(engine, "failed", refused) });
  // Whatever became of the turn, its request is as safe as the host asked for.
  const { dialect } = options;
  const body = dialect === undefined ? turn.body : engine.neutralResults<Body>(dialect, turn.body);
  if (body === turn.body) return turn;
  const safe = { ...turn, body };
  passPlacedOn(safe, turn);
  return safe;
}

const SETTLED = Promise.resolve(true);
const SWITCHED_OFF = "switched off: enabled = false";

async function takeTurn<Body>(
  engine: Engine,
  options: TurnOptions<Body>,
  looked: SourceFailures,
): Promise<Turn<Body>> {
  const { platform } = engine;
  const from = platform.monotonic();
  const stop = (outcome: TraceEntry["outcome"], reason: string, problem?: string, body?: unknown) =>
    emptyTurn((body ?? options.body) as Body, {
      trace: blankTrace(engine, outcome, reason),
      problems: engine.problems(),
      problem,
    });
  if ((await readConfig(engine)) === "late")
    return stop(
      "timed out",
      `the config files were not read within ${engine.settings.timeout_ms} ms`,
      "the config files were not read in time",
    );
  if (!engine.settings.enabled) await engine.recorded();
  if (!engine.settings.enabled) return stop("off", SWITCHED_OFF);
  const request = toRequest(engine, options);
  if (typeof request === "string") return stop("failed", request, request);
  const { timeout_ms } = engine.settings;
  const deadline = startDeadline(platform, Math.max(0, timeout_ms - (platform.monotonic() - from)));
  engine.turnsAsked += 1;
  try {
    const work = workUnder(engine, deadline, { request, userPrompt: options.userPrompt, looked });
    const done = await within(deadline.late, work);
    if (done === "off") return stop("off", SWITCHED_OFF);
    if (done !== "late") return await handBack<Body>(engine, done);
    const problem = deadline.missed();
    return stop("timed out", `no time left: ${timeout_ms} ms`, problem, await withEarlier(engine, request));
  } catch (error) {
    const reason = errorText(error);
    return stop("failed", reason, reason, await withEarlier(engine, request));
  } finally {
    deadline.stop();
  }
}

// An image of an earlier reminder comes from the store, which may be what does not answer.
const IMAGES_MS = 30;

/** The request with earlier reminders in their places, as far as the log is known: the prompt cache needs them there. */
async function withEarlier(engine: Engine, request: Request | undefined): Promise<unknown> {
  if (request === undefined) return undefined;
  // There is no time left to read a long history, and nothing of ours is in it.
  if (isLong(request) && hasSentNothing(engine)) return request.body;
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const cancel = engine.platform.timer(IMAGES_MS, () => resolve("late"));
  try {
    const requestView = readRequest(engine, { request, call: engine.turnsAsked });
    const { view, read } = requestView;
    if (read === undefined) return request.body;
    rememberUnwritten(engine, requestView);
    const body = await within(late, insertEarlier(engine, read, view));
    return body === "late" ? request.body : body;
  } catch {
    // The log was never open: nothing is known to have been sent.
    return request.body;
  } finally {
    cancel();
  }
}

function hasSentNothing({ journal }: Engine): boolean {
  try {
    return listed(journal.state.deliveries).length === 0;
  } catch {
    // The log is not open: it is not known.
    return false;
  }
}

/** Config files hold for the first turn, too: reading them counts against its deadline. */
async function readConfig(engine: Engine): Promise<unknown> {
  const reading = engine.configured();
  if (reading === undefined) return undefined;
  const deadline = startDeadline(engine.platform, engine.settings.timeout_ms);
  try {
    return await within(deadline.late, reading);
  } finally {
    deadline.stop();
  }
}

interface TurnInput {
  request: Request | undefined;
  userPrompt: string | undefined;
  looked: SourceFailures;
}

interface TurnOutput {
  decision: Decision;
  body: unknown;
  /** The value of `turnsAsked` when it was asked for. */
  call: number;
}

async function workUnder(
  engine: Engine,
  deadline: Deadline,
  { request, userPrompt, looked }: TurnInput,
): Promise<TurnOutput | "off"> {
  const call = engine.turnsAsked;
  const long = request !== undefined && isLong(request) ? request : undefined;
  if (long) await pause(engine);
  deadline.enter("log");
  await engine.ready();
  // It may have been switched off while it ran, which only the log says.
  if (!engine.settings.enabled) return "off";
  await recordToolCalls(engine, request, deadline);
  deadline.enter("request");
  const vocabulary = engine.tools.wordsFor(request, engine.calls.called);
  const prompt = promptIn(engine, { userPrompt, request });
  const isTyped = userPrompt !== undefined;
  deadline.enter("sources");
  const observations = await observe(engine, { userPrompt: prompt, isTyped, deadline });
  countFailures(observations, looked);
  deadline.enter("turns");
  return engine.serial(async () => {
    let isHandedBack = false;
    try {
      deadline.enter("request");
      if (long) await readAhead(engine, long);
      // The caller has left: an offer now would claim edges that nobody sends.
      if (isLate(deadline)) throw new Error("the turn was abandoned");
      engine.vocabulary = vocabulary;
      const hasPrompt = prompt !== undefined;
      const decision = await decide(engine, { request, call, hasPrompt, observations, deadline });
      const body = await insert(engine, decision);
      // If this fails, the next append does it.
      if (isLate(deadline)) await takeBack(engine, decision, call).catch(() => undefined);
      else engine.sending = noted(engine.sending, offersIn(decision), call);
      isHandedBack = !isLate(deadline) && decision.problem === undefined;
      return { decision, body, call };
    } finally {
      if (!isHandedBack && request === undefined) doubtHeld(engine);
    }
  });
}

/** Counts what sources could not look at, for telemetry. */
function countFailures(observations: ReadonlyMap<ObservedName, Observation>, looked: SourceFailures): void {
  const found = (name: ObservedName) => {
    const observed = observations.get(name)?.observed;
    return (observed?.known ? observed.value : {}) as Record<string, readonly unknown[] | undefined>;
  };
  const total = (names: readonly ObservedName[], field: string) =>
    names.reduce((sum, name) => sum + (found(name)[field]?.length ?? 0), 0);
  looked.mentionsFailed = total(["mentioned", "mentionedResources"], "unresolved");
  looked.unreadable = total(["fileChanges", "instructions"], "unknown");
}

/** A host that got nothing this time: the model's next answer does not confirm what the host still holds. */
function doubtHeld({ journal, owner }: Engine): void {
  const open = Object.values(journal.state.deliveries).filter(
    (delivery) => delivery.state === "offered" && delivery.anchor === undefined && delivery.owner === owner,
  );
  journal.doubt(open);
}

function offersIn({ again, fresh }: Decision) {
  return [...again, ...fresh];
}

async function handBack<Body>(engine: Engine, { decision, body, call }: TurnOutput): Promise<Turn<Body>> {
  const { requestView, again, problem } = decision;
  const offers = offersIn(decision);
  const sent = offers.filter(({ blocks }) => blocks.length > 0);
  const reminders = await Promise.all(sent.map((one) => toReminder(engine, one, again.includes(one))));
  const attached = await attachedIn(engine, decision);
  const dataOf = new Map(attached.map(({ uuid, data }) => [uuid, data]));
  engine.held = noted(engine.held, offers, engine.turnsAsked);
  let settled: Promise<boolean> | undefined;
  const settleBy = (work: () => Promise<void>) => {
    if (offers.length === 0) return SETTLED;
    const own = () => offers.filter((one) => isLastToSend(engine, one, call)).map(deliveryKey);
    for (const key of own()) engine.held?.delete(key);
    const run = () =>
      engine.serial(async () => {
        await work();
        for (const key of own()) engine.sending?.delete(key);
      });
    settled ??= run().then(
      () => true,
      () => {
        engine.later(run);
        return false;
      },
    );
    return settled;
  };
  let trace: TraceEntry[] | undefined;
  const turn: Turn<Body> = {
    number: requestView.turn,
    body: body as Body,
    reminders,
    messages: reminders.map((reminder) => toMetaMessage(reminder, dataOf.get(reminder.uuid))),
    attachments: attached.map(({ type, data }) => ({ type, data })),
    attachmentMessages: attached.map(({ type, data, uuid, timestamp }) => ({
      type: "attachment",
      attachment: { ...(copyOf(data) as object), type },
      uuid,
      timestamp,
    })),
    get trace() {
      trace ??= problem === undefined ? decision.trace() : blankTrace(engine, "failed", problem);
      return trace;
    },
    ...(problem === undefined ? {} : { problem }),
    problems: engine.problems(),
    commit: () => settleBy(() => settle(engine, offers, "confirmed")),
    abandon: ({ unsent = false } = {}) =>
      settleBy(() => (unsent ? takeBack(engine, decision, call) : settle(engine, offers, "abandoned"))),
    keptAs: (id) => noteAnswer(engine, requestView.turn, id),
    handOver: (given = reminders) => settleBy(() => handOver(engine, offers, given)),
  };
  keepPlaced(turn, engine, decision);
  return turn;
}

async function noteAnswer(engine: Engine, turn: number, name: string): Promise<boolean> {
  try {
    await engine.record([parseEvent({ type: "answer_kept", turn, name })], "host");
    return true;
  } catch {
    return false;
  }
}

/** The options, read once, and why nothing can be done at all. Hosts without types can pass anything. */
function readOptions<Body>(
  engine: Engine,
  given: unknown,
): { options: TurnOptions<Body>; refused: string | undefined } {
  const options: TurnOptions<Body> = {};
  try {
    // The body first: whatever else is wrong, it is handed back.
    if (isObject(given))
      for (const name of NAMES)
        if (given[name] !== undefined) (options as Record<string, unknown>)[name] = given[name];
    return { options, refused: refusal(engine, isObject(given) ? options : given) ?? misspelt(given) };
  } catch (error) {
    return { options, refused: `turn: the options cannot be read: ${errorText(error)}` };
  }
}

function refusal(engine: Engine, options: unknown): string | undefined {
  const closed = closedProblem(engine);
  if (closed !== undefined) return closed;
  if (!isObject(options)) return `turn: expected options such as { dialect, body }, got ${nameOf(options)}`;
  const { dialect, userPrompt } = options;
  if (userPrompt !== undefined && typeof userPrompt !== "string")
    return `turn: userPrompt: expected a text, got ${nameOf(userPrompt)}`;
  if (dialect === undefined || (isObject(dialect) && typeof dialect.problem === "function")) return undefined;
  return `turn: dialect: expected a dialect object such as anthropicMessages, imported from "sotto", got ${nameOf(dialect)}`;
}

const NAMES = ["body", "dialect", "userPrompt"] as const;

/** A host may pass an object of its own with more in it; a name that is nearly one of ours is meant to be it. */
function misspelt(given: unknown): string | undefined {
  if (!isObject(given)) return undefined;
  for (const key of Object.keys(given)) {
    const right = NAMES.some((name) => name === key) ? undefined : nearest(key, NAMES, 2);
    if (right !== undefined && given[right] === undefined)
      return `turn: ${key}: no such option; did you mean "${right}"?`;
  }
  return undefined;
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

/** The trace of a turn that ended before any type was asked. */
function blankTrace({ catalogue }: Engine, outcome: TraceEntry["outcome"], reason: string): TraceEntry[] {
  return catalogue.map(({ generator, type }) => ({
    ...{ generator, type, outcome, reason, ms: 0, bytes: 0, tokens: 0 },
  }));
}

function emptyTurn<Body>(
  body: Body,
  {
    trace,
    problems,
    problem,
  }: { trace: TraceEntry[]; problems: readonly Problem[]; problem?: string | undefined },
): Turn<Body> {
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
    keptAs: async () => true,
    handOver: async () => true,
  };
}
