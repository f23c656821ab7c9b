// A command in a process group of its own: fed, heard up to a limit, and ended as a whole when its time is up.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import process from "node:process";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

export interface GroupOptions {
  command: string;
  /** Present: started without a shell. */
  args?: readonly string[] | undefined;
  cwd: string;
  env: Record<string, string | undefined>;
  input: string;
  /** How much of each stream is kept. */
  keep: { stdout: number; stderr: number };
  /** How long what it leaves running may go on. */
  leftMs: number;
}

export interface Group {
  pid: number;
  /** The first line it printed, once it is whole. */
  firstLine: Promise<string>;
  /** The command itself has ended; what it left running may go on. */
  ended: Promise<GroupEnd>;
  /** Ends all of it; resolves when nothing runs any more, or nothing more can be done. */
  end(): Promise<void>;
  /** Nothing of it runs any more. */
  isGone(): boolean;
}

export interface GroupEnd {
  exitCode?: number;
  signal?: string;
  stdout: Uint8Array;
  /** All it printed, kept or not. */
  printed: number;
  stderr: Uint8Array;
}

// Bash with a socket for its input, as pipes are here, takes itself for a remote shell and would read the user's file.
const SHELL = existsSync("/bin/bash") ? ["/bin/bash", "--norc", "-c"] : ["/bin/sh", "-c"];
const GRACE_MS = 1500;
// What it has written is read at once, unless something it left behind holds the pipe open.
const DRAIN_MS = 250;
// A process that hangs in the kernel does not even hear SIGKILL.
const LAST_WAIT_MS = 1000;
const LONGEST_PAUSE_MS = 400;

// A program that ends without a word must leave nothing behind.
const running = new Set<number>();

/** Rejects where it cannot be started. */
export async function startGroup(options: GroupOptions): Promise<Group> {
  const child = await start(options);
  const pid = child.pid as number;
  process.off("exit", endAll).on("exit", endAll);
  running.add(pid);
  const stdout = collect(child.stdout, options.keep.stdout);
  const stderr = collect(child.stderr, options.keep.stderr);
  // A command that does not read is no failure.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input);
  const ended = endOf(child).then(async (exit): Promise<GroupEnd> => {
    const drained = Promise.all([stdout.ended, stderr.ended]);
    await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
    // What it left behind may go on writing; nobody waits for that.
    for (const stream of [child.stdout, child.stderr]) (stream as Socket).unref();
    void forgetWhenGone(pid, options.leftMs);
    return { ...exit, stdout: stdout.kept(), printed: stdout.length(), stderr: stderr.kept() };
  });
  return {
    pid,
    firstLine: stdout.firstLine,
    ended,
    isGone: () => !running.has(pid),
    async end() {
      send(pid, "SIGTERM");
      await untilGone(pid, GRACE_MS);
      send(pid, "SIGKILL");
      await untilGone(pid, LAST_WAIT_MS);
    },
  };
}

async function start(options: GroupOptions): Promise<ChildProcessWithoutNullStreams> {
  const { command, args, cwd, env } = options;
  const [file = "", ...words] = args === undefined ? [...SHELL, command] : [command, ...args];
  const child = spawn(file, words, { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  await once(child, "spawn");
  return child;
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<{ exitCode?: number; signal?: string }> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { ...(exitCode === null ? {} : { exitCode }), ...(signal === null ? {} : { signal }) };
}

/** Its number may belong to someone else once all of it has ended: from then on it gets no signal. */
async function forgetWhenGone(pid: number, leftMs: number): Promise<void> {
  await untilGone(pid, leftMs, { ref: false });
  send(pid, "SIGKILL");
  running.delete(pid);
}

/** Nobody tells when the last process of a group has ended: it is looked for, less often with time. */
async function untilGone(pid: number, ms: number, { ref = true } = {}): Promise<void> {
  const end = performance.now() + ms;
  for (let pause = 10; isAlive(pid) && performance.now() < end; pause = Math.min(pause * 2, LONGEST_PAUSE_MS))
    await delay(pause, undefined, { ref });
}

function isAlive(pid: number): boolean {
  return running.has(pid) && isGroupAlive(pid);
}

function send(pid: number, signal: NodeJS.Signals): void {
  if (!running.has(pid)) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone by itself.
  }
}

function endAll(): void {
  for (const pid of running) send(pid, "SIGKILL");
}

// Whether anything of a process group still runs.

export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasLiving(group);
}

/** Where nobody collects orphans, as in many containers, the dead of a group answer to signals for ever. */
function hasLiving(group: number): boolean {
  try {
    return readdirSync("/proc").some((name) => /^\d+$/u.test(name) && isLivingIn(name, group));
  } catch {
    return true;
  }
}

function isLivingIn(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Behind the name, which may hold anything: state, parent, group.
    const [state = "", , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(itsGroup) === group && !/[ZX]/iu.test(state);
  } catch {
    return false;
  }
}

// What a stream brings, up to a limit: the rest is counted and let go, so that nothing blocks and nothing piles up.

export interface Collected {
  /** The first line, once it is whole; never, where none fits into what is kept. */
  firstLine: Promise<string>;
  ended: Promise<void>;
  length(): number;
  kept(): Uint8Array;
}

export function collect(stream: Readable, most: number): Collected {
  const chunks: Buffer[] = [];
  let length = 0;
  let room = most;
  let hasLine = false;
  let tellLine: (line: string) => void;
  const firstLine = new Promise<string>((resolve) => {
    tellLine = resolve;
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
    tellLine(all.subarray(0, all.indexOf(10)).toString("utf8"));
  });
  return { firstLine, ended, length: () => length, kept: () => Buffer.concat(chunks) };
}
