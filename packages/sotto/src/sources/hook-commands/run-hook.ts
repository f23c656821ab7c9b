// Runs one hook: starts it, limits its time, and then ends it with everything it started.

import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { endsWithin } from "../../platform/ends-within.ts";
import { errorText } from "../../platform/errors.ts";
import { type Exit, type ProcessGroup, shellFor, startGroup } from "../../platform/process-group.ts";
import { type Hook, type HookAnswer, type HookEvent, parseHookAnswer } from "./hook-format.ts";

export interface HookOutput extends Exit {
  stdout: Uint8Array;
  /** How many bytes it printed, including those that were not kept. */
  printed: number;
  stderr: Uint8Array;
}

/** How a run ended. */
export type HookRun =
  | { kind: "ended"; processId: string; startedAt: number; end: HookOutput }
  /** Its time was up, or nobody waits for it any more. Its output up to then is discarded. */
  | { kind: "cancelled"; processId?: string; startedAt?: number; why: string }
  | { kind: "failed"; why: string };

export interface RunningHook {
  ended: Promise<HookRun>;
  /** Resolves if its first line says to go on in the background; otherwise never. */
  wentAside: Promise<void>;
  /** Ends it with everything it started. */
  cancel(why: string): Promise<void>;
  /** Whether neither it nor anything it started still runs. */
  isGone(): boolean;
}

export interface RunHookOptions {
  hook: Hook;
  cwd: string;
  env: Record<string, string | undefined>;
  /** JSON for its standard input. */
  input: string;
  timeoutMs: number;
}

const KEPT_STDERR = 64 * 1024;
const GRACE_MS = 1500;
// Its output is read at once, unless a process it left behind holds the pipe open.
const DRAIN_MS = 250;
// The longest delay of a timer.
const LONGEST_MS = 2 ** 31 - 1;

/** Rejects if it cannot be started. */
export async function startHook(options: RunHookOptions): Promise<RunningHook> {
  const { hook, cwd, env, input, timeoutMs } = options;
  const startedAt = Date.now();
  try {
    const { command, args } = hook;
    const group = await startGroup({
      ...(args === undefined ? shellFor(command) : { command, args: args.map((word) => filled(word, env)) }),
      cwd,
      env: { ...env, ...hook.env },
      leftoversMs: timeoutMs,
    });
    group.child.stdin.end(`${input}\n`);
    return follow(group, startedAt, timeoutMs);
  } catch (error) {
    throw new Error(`it cannot be started: ${errorText(error)}`, { cause: error });
  }
}

function follow(group: ProcessGroup, startedAt: number, timeoutMs: number): RunningHook {
  // One byte more than is read, to know that there was more.
  const stdout = collect(group.child.stdout, MOST_OUTPUT + 1);
  const stderr = collect(group.child.stderr, KEPT_STDERR);
  const output = group.exited.then(async (exit): Promise<HookOutput> => {
    await endsWithin(Promise.all([stdout.ended, stderr.ended]), DRAIN_MS);
    // Processes it left behind may go on writing; nothing waits for that.
    for (const stream of [group.child.stdout, group.child.stderr]) (stream as Socket).unref();
    return { ...exit, stdout: stdout.kept(), printed: stdout.length(), stderr: stderr.kept() };
  });
  // Process ids are reused: the answer of a hook must not be mistaken for an earlier one's.
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
    await group.end(GRACE_MS);
    // What still runs after that is no longer waited for.
    giveUp();
  };
  const giveTime = (ms: number) => {
    clearTimeout(timer);
    const why = `it took longer than ${ms / 1000} s and was ended`;
    timer = setTimeout(() => void cancel(why), Math.min(ms, LONGEST_MS));
  };
  giveTime(timeoutMs);
  let hasEnded = false;
  void group.ended.then(() => {
    hasEnded = true;
  });
  const wentAside = new Promise<void>((resolve) => {
    void stdout.firstLine.then((line) => {
      const aside = asideIn(line);
      if (aside === undefined) return;
      isAside = true;
      if (aside.timeoutMs !== undefined) giveTime(aside.timeoutMs);
      resolve();
    });
  });
  const ended = Promise.race([output, givenUp]).then((end): HookRun => {
    clearTimeout(timer);
    if (cancelled !== undefined || !end)
      return { kind: "cancelled", processId, startedAt, why: cancelled ?? "" };
    return { kind: "ended", processId, startedAt, end: isAside ? behindFirstLine(end) : end };
  });
  return { ended, wentAside, cancel, isGone: () => hasEnded };
}

/** `{"async": true, "asyncTimeout": 15000}`: the hook goes on in the background and answers later. */
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

function behindFirstLine(end: HookOutput): HookOutput {
  const start = end.stdout.indexOf(10) + 1;
  return { ...end, stdout: end.stdout.subarray(start), printed: end.printed - start };
}

function filled(word: string, env: RunHookOptions["env"]): string {
  return word.replaceAll(
    /\$\{((?:CLAUDE|SOTTO)_PROJECT_DIR)\}/gu,
    (whole, name: string) => env[name] ?? whole,
  );
}

// The output of a hook as its answer: JSON or text. Anything else is rejected with a reason.

export type Answer =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  | { kind: "parts"; parts: HookAnswer }
  | { kind: "rejected"; why: string };

/** More output than that is rejected. */
export const MOST_OUTPUT = 1024 * 1024;

export function readAnswer(event: HookEvent, stdout: Uint8Array, printed: number): Answer {
  if (printed > MOST_OUTPUT) return rejected(`it printed ${printed} bytes, the limit is ${MOST_OUTPUT}`);
  const text = decode(stdout);
  if (text === undefined) return rejected("its output is not UTF-8 text");
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "nothing" };
  return trimmed.startsWith("{") ? readParts(event, trimmed) : { kind: "text", text: trimmed };
}

function readParts(event: HookEvent, text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejected(`its answer starts like JSON but is not valid JSON: ${errorText(error)}`);
  }
  const parsed = parseHookAnswer(event, value);
  return "answer" in parsed
    ? { kind: "parts", parts: parsed.answer }
    : rejected(`its answer is invalid: ${parsed.problem}`);
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

interface Collected {
  /** Never resolves if the first line does not fit into what is kept. */
  firstLine: Promise<string>;
  ended: Promise<void>;
  length(): number;
  kept(): Uint8Array;
}

/** Keeps the first bytes of a stream and counts the rest, so that the writer never blocks and memory stays bounded. */
function collect(stream: Readable, most: number): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  let room = most;
  let hasLine = false;
  let resolveLine: (line: string) => void;
  const firstLine = new Promise<string>((resolve) => {
    resolveLine = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    stream.once("close", resolve).once("error", () => resolve());
  });
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    room -= kept.length;
    chunks.push(kept);
    if (hasLine || !kept.includes(10)) return;
    hasLine = true;
    const all = Buffer.concat(chunks);
    resolveLine(all.subarray(0, all.indexOf(10)).toString("utf8"));
  });
  return { firstLine, ended, length: () => length, kept: () => Buffer.concat(chunks) };
}
