// Asking all sources side by side under one deadline: each costs only itself, late answers are kept.

import { errorText } from "./errors.ts";
import type { Observed, ObservedName } from "./facts.ts";
import type { Platform } from "./platform.ts";
import type { Source, TurnInfo } from "./source.ts";

export type SourceStatus = "ready" | "timed out" | "failed" | "resting";

export interface Observation {
  observed: Observed<unknown>;
  status: SourceStatus;
  reason: string;
  ms: number;
}

export interface Observer {
  observe(request: ObserveRequest): Promise<Map<ObservedName, Observation>>;
  close(): Promise<void>;
}

export interface ObserveRequest {
  info: Omit<TurnInfo, "observed">;
  turn: number;
  wanted: ReadonlySet<ObservedName>;
  signal: AbortSignal;
}

interface SourceState {
  source: Source;
  failures: number;
  restsUntil: number;
  /** What was last known, kept while the source cannot tell. */
  known?: { value: unknown };
  /** Came after its turn's deadline, not used yet. */
  late?: { value: unknown };
  running?: Promise<Answer>;
}

export const FAILURES_BEFORE_REST = 3;
export const REST_TURNS = 10;

export function createObserver(sources: readonly Source[], platform: Platform): Observer {
  const states = sources.map((source): SourceState => ({ source, failures: 0, restsUntil: 0 }));
  return {
    async observe(request) {
      const started = new Map<ObservedName, Promise<Observation>>();
      const results = new Map<ObservedName, Observation>();
      const wanted = withPrerequisites(states, request.wanted);
      for (const state of inOrder(states)) {
        const { fact, after = [] } = state.source;
        if (!wanted.has(fact)) continue;
        const first = Promise.all(after.map((name) => started.get(name)));
        const asked =
          after.length === 0
            ? ask(state, request, {}, platform)
            : first.then(() => ask(state, request, valuesOf(results, after), platform));
        started.set(fact, asked);
        void asked.then((observation) => results.set(fact, observation));
      }
      await Promise.all(started.values());
      return results;
    },
    async close() {
      await Promise.allSettled(states.map(async ({ source }) => source.close?.()));
    },
  };
}

async function ask(
  state: SourceState,
  request: ObserveRequest,
  observed: TurnInfo["observed"],
  platform: Platform,
): Promise<Observation> {
  if (request.turn < state.restsUntil)
    return fallback(
      state,
      "resting",
      `until turn ${state.restsUntil}, after ${FAILURES_BEFORE_REST} failures in a row`,
      0,
    );
  const from = platform.monotonic();
  const running = start(state, { ...request.info, observed }, request.signal);
  const answer = await race(running, request.signal);
  const ms = platform.monotonic() - from;
  const late = state.late;
  delete state.late;
  if (answer === "deadline") {
    void running.then((value) => keepLate(state, value));
    if (late !== undefined) return ready(state, late.value, ms);
    return fail(state, request.turn, "timed out", `no answer within ${Math.round(ms)} ms`, ms);
  }
  if ("error" in answer) return fail(state, request.turn, "failed", errorText(answer.error), ms);
  state.failures = 0;
  return ready(state, answer.value, ms);
}

type Answer = { value: unknown } | { error: unknown };

/** At most one question at a time: one that is still being answered is not asked again. */
function start(state: SourceState, info: TurnInfo, signal: AbortSignal): Promise<Answer> {
  state.running ??= Promise.resolve()
    .then(() => state.source.observe(info, signal))
    .then(
      (value): Answer => ({ value }),
      (error: unknown): Answer => ({ error }),
    )
    .finally(() => delete state.running);
  return state.running;
}

function keepLate(state: SourceState, answer: Answer): void {
  if ("value" in answer) state.late = answer;
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
  state.known = { value };
  return { observed: { known: true, value }, status: "ready", reason: "", ms };
}

function fail(
  state: SourceState,
  turn: number,
  status: SourceStatus,
  reason: string,
  ms: number,
): Observation {
  state.failures += 1;
  if (state.failures >= FAILURES_BEFORE_REST) {
    state.failures = 0;
    state.restsUntil = turn + 1 + REST_TURNS;
  }
  return fallback(state, status, reason, ms);
}

function fallback(state: SourceState, status: SourceStatus, reason: string, ms: number): Observation {
  const why = `the source of ${state.source.fact} ${status === "failed" ? `failed: ${reason}` : `${status}: ${reason}`}`;
  const observed: Observed<unknown> =
    state.known === undefined ? { known: false, why } : { known: true, value: state.known.value };
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
  for (const { source } of inOrder(states).reverse())
    if (all.has(source.fact)) for (const name of source.after ?? []) all.add(name);
  return all;
}

/** Those that wait for others behind them. */
function inOrder(states: readonly SourceState[]): SourceState[] {
  const waits = (state: SourceState) => ((state.source.after ?? []).length > 0 ? 1 : 0);
  return [...states].sort((a, b) => waits(a) - waits(b));
}
