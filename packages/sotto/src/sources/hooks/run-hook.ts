// One hook at work: started, given its time, and ended with all it started when that is over.

import { errorText } from "../../platform/errors.ts";
import { type Group, type GroupEnd, startGroup } from "../../platform/process-group.ts";
import { type Hook, type HookAnswer, type HookEvent, parseHookAnswer } from "./hook-format.ts";

/** How a run came to its end. */
export type HookRun =
  | { kind: "ended"; processId: string; startedAt: number; end: GroupEnd }
  /** Its time was up, or nobody waits for it any more. What it had printed by then does not count. */
  | { kind: "cancelled"; processId?: string; startedAt?: number; why: string }
  | { kind: "failed"; why: string };

export interface RunningHook {
  ended: Promise<HookRun>;
  /** It said on its first line that nobody need wait for it; never resolves where it does not. */
  wentAside: Promise<void>;
  /** Ends it, with all that it started. */
  cancel(why: string): Promise<void>;
  /** Neither it nor anything it started runs any more. */
  isGone(): boolean;
}

export interface RunHookOptions {
  hook: Hook;
  cwd: string;
  env: Record<string, string | undefined>;
  /** JSON, for its standard input. */
  input: string;
  timeoutMs: number;
}

const KEPT_STDERR = 64 * 1024;
// Timers take no more.
const LONGEST_MS = 2 ** 31 - 1;

/** Rejects, in words, where it cannot be started. */
export async function startHook(options: RunHookOptions): Promise<RunningHook> {
  const { hook, cwd, env, input, timeoutMs } = options;
  const startedAt = Date.now();
  try {
    const group = await startGroup({
      command: hook.command,
      args: hook.args?.map((word) => filled(word, env)),
      cwd,
      env: { ...env, ...hook.env },
      input: `${input}\n`,
      // One byte more than may be read, to tell that there was more.
      keep: { stdout: MOST_OUTPUT + 1, stderr: KEPT_STDERR },
      leftMs: timeoutMs,
    });
    return follow(group, startedAt, timeoutMs);
  } catch (error) {
    throw new Error(`it cannot be started: ${errorText(error)}`, { cause: error });
  }
}

function follow(group: Group, startedAt: number, timeoutMs: number): RunningHook {
  // Numbers of processes come again; what a hook answers must not be taken for an earlier one's.
  const processId = `${group.pid}-${Date.now().toString(36)}`;
  let cancelled: string | undefined;
  let isAside = false;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: () => void;
  const givenUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const cancel = async (why: string) => {
    cancelled ??= why;
    await group.end();
    // What even that did not end is waited for no longer.
    giveUp();
  };
  const giveTime = (ms: number) => {
    clearTimeout(timer);
    const why = `it took longer than ${ms / 1000} s and was ended`;
    timer = setTimeout(() => void cancel(why), Math.min(ms, LONGEST_MS));
  };
  giveTime(timeoutMs);
  const wentAside = new Promise<void>((resolve) => {
    void group.firstLine.then((line) => {
      const aside = asideIn(line);
      if (aside === undefined) return;
      isAside = true;
      if (aside.timeoutMs !== undefined) giveTime(aside.timeoutMs);
      resolve();
    });
  });
  const ended = Promise.race([group.ended, givenUp]).then((end): HookRun => {
    clearTimeout(timer);
    if (cancelled !== undefined || !end)
      return { kind: "cancelled", processId, startedAt, why: cancelled ?? "" };
    return { kind: "ended", processId, startedAt, end: isAside ? behindFirstLine(end) : end };
  });
  return { ended, wentAside, cancel, isGone: group.isGone };
}

/** `{"async": true, "asyncTimeout": 15000}`: the hook goes on by itself, its answer comes later. */
function asideIn(line: string): { timeoutMs?: number } | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const { async, asyncTimeout } = JSON.parse(line) as { async?: unknown; asyncTimeout?: unknown };
    if (async !== true) return undefined;
    return typeof asyncTimeout === "number" && asyncTimeout > 0 ? { timeoutMs: asyncTimeout } : {};
  } catch {
    return undefined;
  }
}

function behindFirstLine(end: GroupEnd): GroupEnd {
  const start = end.stdout.indexOf(10) + 1;
  return { ...end, stdout: end.stdout.subarray(start), printed: end.printed - start };
}

function filled(word: string, env: RunHookOptions["env"]): string {
  return word.replaceAll(
    /\$\{((?:CLAUDE|SOTTO)_PROJECT_DIR)\}/gu,
    (whole, name: string) => env[name] ?? whole,
  );
}

// What a hook printed, read as its answer: JSON, or text. What is neither is rejected, in words.

export type Answer =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  | { kind: "parts"; parts: HookAnswer }
  | { kind: "rejected"; why: string };

/** More than anyone means to say. */
export const MOST_OUTPUT = 1024 * 1024;

export function readAnswer(event: HookEvent, stdout: Uint8Array, printed: number): Answer {
  if (printed > MOST_OUTPUT)
    return rejected(`it printed ${printed} bytes, ${MOST_OUTPUT} is the most that is read`);
  const text = decode(stdout);
  if (text === undefined) return rejected("what it printed is not text in UTF-8");
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "nothing" };
  return trimmed.startsWith("{") ? readParts(event, trimmed) : { kind: "text", text: trimmed };
}

function readParts(event: HookEvent, text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejected(`its answer begins like JSON and is not one document of it: ${errorText(error)}`);
  }
  const parsed = parseHookAnswer(event, value);
  return "answer" in parsed
    ? { kind: "parts", parts: parsed.answer }
    : rejected(`its answer does not fit: ${parsed.problem}`);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function rejected(why: string): Answer {
  return { kind: "rejected", why };
}
