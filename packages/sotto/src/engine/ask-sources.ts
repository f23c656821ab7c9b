// Asks all sources side by side under one deadline. One that fails affects no other; late answers are kept.

import type { Observed, ObservedName } from "../facts/facts.ts";
import { errorText } from "../platform/errors.ts";
import type { Platform } from "../platform/platform.ts";
import { isThenable } from "../platform/refuse-promise.ts";
import type { Source, TurnInfo } from "../sources/source.ts";
import type { Deadline } from "./deadline.ts";
import { createRests, FAILURES_BEFORE_REST, type Rests } from "./rests.ts";

export type SourceStatus = "ready" | "timed out" | "failed" | "resting";

export interface Observation {
  observed: Observed<unknown>;
  status: SourceStatus;
  reason: string;
  ms: number;
}

export interface Observer {
  /** At once if no source has to wait for anything. */
  observe(request: ObserveRequest): Promise<Observations> | Observations;
}

export type Observations = ReadonlyMap<ObservedName, Observation>;

export interface ObserveRequest {
  info: Omit<TurnInfo, "observed">;
  turn: number;
  wanted: ReadonlySet<ObservedName>;
  /** Sources that work on the prompt have half of it. */
  deadline: Pick<Deadline, "signal" | "promptSignal">;
}

interface SourceState {
  source: Source;
  /** The last known value, used while the source cannot tell. */
  known: unknown;
  /** Arrived after its turn's deadline, not used yet. */
  late: { value: unknown } | undefined;
  running: Promise<Answer> | undefined;
}

const UNKNOWN = Symbol("unknown");

export function createObserver(sources: readonly Source[], platform: Platform): Observer {
  return new ObserverOfSession(sources, platform);
}

class ObserverOfSession implements Observer {
  readonly #states: readonly SourceState[];
  readonly #rests = createRests();
  readonly #platform: Platform;
  /** What was wanted last, and the sources for it. */
  #wanted: ReadonlySet<ObservedName> | undefined;
  #asked: readonly SourceState[] = [];

  constructor(sources: readonly Source[], platform: Platform) {
    // A host's own source replaces a built-in one.
    const byFact = new Map(sources.map((source) => [source.fact, source]));
    this.#states = inOrder([...byFact.values()]).map(
      (source): SourceState => ({ source, known: UNKNOWN, late: undefined, running: undefined }),
    );
    this.#platform = platform;
  }

  observe(request: ObserveRequest): Promise<Observations> | Observations {
    const { wanted } = request;
    if (this.#wanted !== wanted) this.#asked = wantedStates(this.#states, wanted);
    this.#wanted = wanted;
    const about = { request, rests: this.#rests, platform: this.#platform };
    const waiting = new Map<ObservedName, Promise<Observation>>();
    const results = new Map<ObservedName, Observation>();
    const info: TurnInfo = { ...request.info, observed: {} };
    for (const state of this.#asked) {
      const { fact, forPrompt, after = NONE, behind = NONE } = state.source;
      if (forPrompt && request.info.userPrompt === undefined) continue;
      const first =
        waiting.size === 0 ? NO_WAIT : [...after, ...behind].flatMap((name) => waiting.get(name) ?? []);
      const askNow = () =>
        after.length === 0
          ? ask(state, info, about)
          : ask(state, { ...request.info, observed: valuesOf(results, after) }, about);
      const asked = first.length > 0 ? Promise.all(first).then(askNow) : askNow();
      if (asked instanceof Promise)
        waiting.set(
          fact,
          asked.then((observation) => {
            results.set(fact, observation);
            return observation;
          }),
        );
      else results.set(fact, asked);
    }
    return waiting.size === 0 ? results : Promise.all(waiting.values()).then(() => results);
  }
}

/** What all sources of a turn share. */
interface Asking {
  request: ObserveRequest;
  rests: Rests;
  platform: Platform;
}

const NONE: readonly ObservedName[] = [];
const NO_WAIT: readonly Promise<Observation>[] = [];

function ask(state: SourceState, info: TurnInfo, asking: Asking): Promise<Observation> | Observation {
  const { source } = state;
  const { request, rests, platform } = asking;
  const until = rests.restsUntil(source.fact, request.turn);
  if (until !== undefined) {
    const reason = `is resting until turn ${until}, after ${FAILURES_BEFORE_REST} failures in a row`;
    return fallback(state, { status: "resting", reason, ms: 0 });
  }
  const from = platform.monotonic();
  const { deadline } = request;
  const signal = source.forPrompt ? deadline.promptSignal : deadline.signal;
  const started = start(state, info, signal);
  if (!(started instanceof Promise))
    return answered(state, { answer: started, ms: platform.monotonic() - from }, asking);
  return race(started, signal).then((answer) => {
    const ms = platform.monotonic() - from;
    if (answer !== "deadline") return answered(state, { answer, ms }, asking);
    void started.then((value) => keepLate(state, value));
    return unanswered(state, ms, asking);
  });
}

function answered(
  state: SourceState,
  { answer, ms }: { answer: Answer; ms: number },
  asking: Asking,
): Observation {
  state.late = undefined;
  if ("error" in answer)
    return fail(state, { status: "failed", reason: `failed: ${errorText(answer.error)}`, ms }, asking);
  asking.rests.succeeded(state.source.fact);
  return ready(state, answer.value, ms);
}

function unanswered(state: SourceState, ms: number, asking: Asking): Observation {
  const { late } = state;
  state.late = undefined;
  if (late !== undefined) return ready(state, late.value, ms);
  const reason = `gave no answer within ${Math.round(ms)} ms`;
  return fail(state, { status: "timed out", reason, ms }, asking);
}

type Answer = { value: unknown } | { error: unknown };

/** A source that is still answering is not asked again. */
function start(state: SourceState, info: TurnInfo, signal: AbortSignal): Promise<Answer> | Answer {
  if (state.running !== undefined) return state.running;
  try {
    const answer: unknown = state.source.observe(info, signal);
    if (!isThenable(answer)) return { value: answer };
    state.running = Promise.resolve(answer)
      .then(
        (value): Answer => ({ value }),
        (error: unknown): Answer => ({ error }),
      )
      .finally(() => {
        state.running = undefined;
      });
    return state.running;
  } catch (error) {
    return { error };
  }
}

function keepLate(state: SourceState, answer: Answer): void {
  if ("error" in answer) return;
  state.late = answer;
  // Also for turns in which the source fails, or rests.
  state.known = answer.value;
}

function race(running: Promise<Answer>, signal: AbortSignal): Promise<Answer | "deadline"> {
  if (signal.aborted) return Promise.resolve("deadline");
  return new Promise((resolve) => {
    const onAbort = () => resolve("deadline");
    signal.addEventListener("abort", onAbort, { once: true });
    void running.then((answer) => {
      signal.removeEventListener("abort", onAbort);
      resolve(answer);
    });
  });
}

function ready(state: SourceState, value: unknown, ms: number): Observation {
  state.known = value;
  return { observed: { known: true, value }, status: "ready", reason: "", ms };
}

type Silence = Omit<Observation, "observed">;

function fail(state: SourceState, silence: Silence, { request, rests }: Asking): Observation {
  rests.failed(state.source.fact, request.turn);
  return fallback(state, silence);
}

function fallback({ source, known }: SourceState, { status, reason, ms }: Silence): Observation {
  const why = `the source of ${source.fact} ${reason}`;
  const observed: Observed<unknown> =
    known === UNKNOWN ? { known: false, why } : { known: true, value: known };
  return { observed, status, reason: why, ms };
}

function valuesOf(
  results: Map<ObservedName, Observation>,
  names: readonly ObservedName[],
): TurnInfo["observed"] {
  const known = names.flatMap((name) => {
    const observed = results.get(name)?.observed;
    return observed?.known === true ? [[name, observed.value]] : [];
  });
  return Object.fromEntries(known) as TurnInfo["observed"];
}

/** Those of these facts, and of the facts that they need first. */
function wantedStates(
  states: readonly SourceState[],
  wanted: ReadonlySet<ObservedName>,
): readonly SourceState[] {
  const all = new Set(wanted);
  for (const { source } of [...states].reverse())
    if (all.has(source.fact)) for (const name of source.after ?? []) all.add(name);
  const isAll = states.every(({ source }) => all.has(source.fact));
  return isAll ? states : states.filter(({ source }) => all.has(source.fact));
}

/** Each source after those it waits for; sources that wait for each other wait for nothing. */
function inOrder(sources: readonly Source[]): Source[] {
  const ordered: Source[] = [];
  const visited = new Set<Source>();
  const visit = (source: Source) => {
    if (visited.has(source)) return;
    visited.add(source);
    for (const name of [...(source.after ?? []), ...(source.behind ?? [])])
      sources.filter(({ fact }) => fact === name).forEach(visit);
    ordered.push(source);
  };
  sources.forEach(visit);
  return ordered;
}
