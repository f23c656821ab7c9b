// Asks all sources side by side under one deadline. One that fails affects no other; late answers are kept.

import type { Observed, ObservedName } from "../facts/facts.ts";
import { errorText } from "../platform/errors.ts";
import type { Platform } from "../platform/platform.ts";
import { isThenable } from "../platform/refuse-promise.ts";
import type { Source, TurnInfo } from "../sources/source.ts";
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
  /** The whole deadline. */
  signal: AbortSignal;
  /** Half of it, for sources that work on the prompt. */
  promptSignal: AbortSignal;
}

interface SourceState {
  source: Source;
  rests: Rests;
  /** The last known value, used while the source cannot tell. */
  known: Extract<Observed<unknown>, { known: true }> | undefined;
  /** Arrived after its turn's deadline, not used yet. */
  late: { value: unknown } | undefined;
  running: Promise<Answer> | undefined;
}

export function createObserver(sources: readonly Source[], platform: Platform): Observer {
  // A host's own source replaces a built-in one.
  const byFact = new Map(sources.map((source) => [source.fact, source]));
  const rests = createRests();
  const states = inOrder([...byFact.values()]).map(
    (source): SourceState => ({
      source,
      rests,
      known: undefined,
      late: undefined,
      running: undefined,
    }),
  );
  return {
    observe(request) {
      const waiting = new Map<ObservedName, Promise<Observation>>();
      const results = new Map<ObservedName, Observation>();
      const wanted = withPrerequisites(states, request.wanted);
      const info: TurnInfo = { ...request.info, observed: {} };
      for (const state of states) {
        const { fact, forPrompt, after = NONE, behind = NONE } = state.source;
        if (!wanted.has(fact) || (forPrompt && request.info.userPrompt === undefined)) continue;
        const first =
          waiting.size === 0 ? [] : [...after, ...behind].flatMap((name) => waiting.get(name) ?? []);
        const askLater = () =>
          ask(state, request, { ...request.info, observed: valuesOf(results, after) }, platform);
        const asked =
          first.length > 0
            ? Promise.all(first).then(askLater)
            : after.length > 0
              ? askLater()
              : ask(state, request, info, platform);
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
    },
  };
}

const NONE: readonly ObservedName[] = [];

function ask(
  state: SourceState,
  request: ObserveRequest,
  info: TurnInfo,
  platform: Platform,
): Promise<Observation> | Observation {
  const { source, rests } = state;
  const until = rests.restsUntil(source.fact, request.turn);
  if (until !== undefined)
    return fallback(
      state,
      "resting",
      `is resting until turn ${until}, after ${FAILURES_BEFORE_REST} failures in a row`,
      0,
    );
  const from = platform.monotonic();
  const signal = source.forPrompt ? request.promptSignal : request.signal;
  const started = start(state, info, signal);
  const answered = (answer: Answer | "deadline", running?: Promise<Answer>): Observation => {
    const ms = platform.monotonic() - from;
    const { late } = state;
    state.late = undefined;
    if (answer === "deadline") {
      void running?.then((value) => keepLate(state, value));
      if (late !== undefined) return ready(state, late.value, ms);
      return fail(state, request.turn, "timed out", `gave no answer within ${Math.round(ms)} ms`, ms);
    }
    if ("error" in answer)
      return fail(state, request.turn, "failed", `failed: ${errorText(answer.error)}`, ms);
    rests.succeeded(source.fact);
    return ready(state, answer.value, ms);
  };
  if (!(started instanceof Promise)) return answered(started);
  return race(started, signal).then((answer) => answered(answer, started));
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
  state.known = { known: true, value: answer.value };
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
  const observed = { known: true as const, value };
  state.known = observed;
  return { observed, status: "ready", reason: "", ms };
}

function fail(
  state: SourceState,
  turn: number,
  status: SourceStatus,
  reason: string,
  ms: number,
): Observation {
  state.rests.failed(state.source.fact, turn);
  return fallback(state, status, reason, ms);
}

function fallback(state: SourceState, status: SourceStatus, reason: string, ms: number): Observation {
  const why = `the source of ${state.source.fact} ${reason}`;
  const observed = state.known ?? { known: false as const, why };
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

function withPrerequisites(
  states: readonly SourceState[],
  wanted: ReadonlySet<ObservedName>,
): Set<ObservedName> {
  const all = new Set(wanted);
  for (const { source } of [...states].reverse())
    if (all.has(source.fact)) for (const name of source.after ?? []) all.add(name);
  return all;
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
