// Runs the hooks of an event in parallel, and records the outcome of each.

import type { SessionEvent } from "../../facts/session-events.ts";
import { errorText } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";
import { isEndless } from "../../platform/size.ts";
import { redactEnvironment } from "../redact.ts";
import type { Hook, HookEvent } from "./hook-format.ts";
import { createMatcher, rulesOf, subjectOf } from "./matcher.ts";
import { type HookOutcome, type HookVerdict, type Judged, judge, verdictOf } from "./outcome.ts";
import { type HookRun, type RunningHook, startHook } from "./run-hook.ts";

/** Where outcomes are recorded: a session. */
export interface HookRecorder {
  readonly id: string;
  /** Records an event, as `session.record` does. */
  record(event: SessionEvent): Promise<void>;
}

export interface RunnerOptions {
  session: HookRecorder;
  cwd: string;
  hooks: readonly Hook[];
  env: Readonly<Record<string, string | undefined>>;
  work(job: Job): Promise<unknown>;
  /** Reports anything else that goes wrong. */
  report(problem: string): void;
}

export interface RunRequest {
  event: HookEvent;
  /** Besides `session_id`, `cwd` and `hook_event_name`, which every hook gets. */
  input: Readonly<Record<string, unknown>>;
  /** Ends the hooks that are waited for. */
  signal?: AbortSignal | undefined;
  /** Whose action it is, such as a sub-agent's session. */
  session?: HookRecorder | undefined;
}

export interface Runner {
  run(request: RunRequest): Promise<HookVerdict>;
  /** How many run now, in the foreground or background. */
  running(): number;
  close(): Promise<void>;
}

const CLOSED = "the session ended";
const UNTRUSTED =
  "what it runs has changed since it was trusted, or is trusted no longer; `sotto trust` shows it";
const ABORTED = "it was interrupted";

export function createRunner({ session, cwd, hooks, env, work, report }: RunnerOptions): Runner {
  const matcher = createMatcher(work);
  const given = { ...env, CLAUDE_PROJECT_DIR: cwd, SOTTO_PROJECT_DIR: cwd, SOTTO_SESSION_ID: session.id };
  const running = new Set<RunningHook>();
  const background = createBackgroundQueue();
  let closed = false;

  const record = async (log: HookRecorder, { events }: Judged) => {
    for (const event of events)
      try {
        await log.record(event);
      } catch (error) {
        report(`what a hook did could not be recorded: ${errorText(error)}`);
      }
  };

  /** Starts a hook and registers it, so that all can be ended; or returns why it does not run. */
  const start = async (hook: Hook, input: string, signal?: AbortSignal): Promise<RunningHook | HookRun> => {
    if (closed || signal?.aborted) return { kind: "cancelled", why: closed ? CLOSED : ABORTED };
    if ((await hook.isAllowed?.()) === false) {
      report(`"${hook.command}" is not run: ${UNTRUSTED}`);
      return { kind: "failed", why: UNTRUSTED };
    }
    const timeoutMs = hook.timeoutMs ?? rulesOf(hook.event).timeoutMs;
    try {
      const started = await startHook({ hook, cwd, env: given, input, timeoutMs });
      for (const one of running) if (one.isGone()) running.delete(one);
      running.add(started);
      if (closed) void started.cancel(CLOSED);
      return started;
    } catch (error) {
      return { kind: "failed", why: errorText(error) };
    }
  };

  const run = async ({ event, input, signal, session: log = session }: RunRequest): Promise<HookVerdict> => {
    const subject = subjectOf(event, input);
    const toolName = typeof input.tool_name === "string" ? input.tool_name : undefined;
    const hookName = subject === undefined ? event : `${event}:${subject}`;
    const mine = hooks.filter((hook) => hook.event === event);
    const { matched, unsure } = await matcher.match(mine, subject);
    const text = toJson({ session_id: log.id, cwd, hook_event_name: event, ...input });
    const judgeRun = (hook: Hook, ended: HookRun, async = false) =>
      judge({
        hook,
        hookName,
        toolName,
        async,
        run: ended,
        redact: redactEnvironment({ ...given, ...hook.env }),
      });

    /** Its answer goes to the main agent, as a sub-agent may be gone by then. */
    const leave = (hook: Hook, wait: () => Promise<HookRun>) => {
      const taken = background.add(async () => record(session, judgeRun(hook, await wait(), true)));
      if (!taken)
        report(`${hookName}: "${hook.command}" is skipped: too many hooks are waiting in the background`);
    };

    const runOne = async (hook: Hook): Promise<HookOutcome | undefined> => {
      if (hook.async) {
        leave(hook, async () => endOf(await start(hook, text)));
        return undefined;
      }
      const started = await start(hook, text, signal);
      const ended = "kind" in started ? started : await untilEnded(started, signal);
      if (ended === undefined) {
        leave(hook, async () => endOf(started));
        return undefined;
      }
      const judged = judgeRun(hook, ended);
      await record(log, judged);
      return judged.outcome;
    };

    const doubts = unsure.map(async ({ hook, why }) => {
      const judged = judgeRun(hook, { kind: "failed", why });
      await record(log, judged);
      return judged.outcome;
    });
    const outcomes = await Promise.all([...matched.map(runOne), ...doubts]);
    return verdictOf(outcomes.filter((outcome) => outcome !== undefined));
  };

  return {
    run,
    running: () => [...running].filter((one) => !one.isGone()).length,
    async close() {
      closed = true;
      await Promise.all([...running].map((one) => one.cancel(CLOSED)));
      await background.settled();
    },
  };
}

function endOf(started: RunningHook | HookRun): Promise<HookRun> | HookRun {
  return "kind" in started ? started : started.ended;
}

/** Undefined if it went to the background and ends later. */
async function untilEnded(hook: RunningHook, signal: AbortSignal | undefined): Promise<HookRun | undefined> {
  const stop = () => void hook.cancel(ABORTED);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  const ended = await Promise.race([hook.ended, hook.wentAside]);
  signal?.removeEventListener("abort", stop);
  return ended ?? undefined;
}

/** The JSON for a hook, whatever a host passes. */
function toJson(input: Readonly<Record<string, unknown>>): string {
  try {
    if (isEndless(input)) throw new Error("it is too large, or contains itself");
    return JSON.stringify(input);
  } catch (error) {
    const { session_id, cwd, hook_event_name, tool_name } = input;
    const why = `the input could not be written as JSON: ${errorText(error)}`;
    return JSON.stringify({
      session_id,
      cwd,
      hook_event_name,
      tool_name: String(tool_name ?? ""),
      error: why,
    });
  }
}

// Background hooks: a few at a time, the others queued, up to a limit.

export interface BackgroundQueue {
  /** False if too many are waiting. */
  add(run: () => Promise<void>): boolean;
  /** Resolves when all that have started are done; waiting ones are dropped. */
  settled(): Promise<void>;
}

const AT_ONCE = 8;
const MOST_WAITING = 100;

export function createBackgroundQueue(): BackgroundQueue {
  const waiting: (() => Promise<void>)[] = [];
  const begun = new Set<Promise<void>>();

  const next = () => {
    while (begun.size < AT_ONCE) {
      const run = waiting.shift();
      if (run === undefined) return;
      const ended = run().catch(() => undefined);
      begun.add(ended);
      void ended.then(() => {
        begun.delete(ended);
        next();
      });
    }
  };

  return {
    add(run) {
      if (waiting.length >= MOST_WAITING) return false;
      waiting.push(run);
      next();
      return true;
    },
    async settled() {
      waiting.length = 0;
      await Promise.all(begun);
    },
  };
}
