// A shell command or a program in a process group of its own: all of it is waited for, and all of it can be ended.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

export interface Exit {
  exitCode?: number;
  signal?: string;
}

export interface ProcessGroup {
  stdout: Readable;
  stderr: Readable;
  /** The shell itself has ended; what it left behind may go on. */
  shellEnded: Promise<Exit>;
  /** Nothing of it runs any more. */
  ended: Promise<Exit>;
  isAlive(): boolean;
  /** Asks all of it to end, and makes it end when that does not help. */
  end(): Promise<void>;
}

/** A program that is told something first, and hears of it when this process is gone: its channel closes. */
export interface Program {
  file: string;
  args: readonly string[];
  input: string;
}

type Started = ChildProcess & { stdout: Readable; stderr: Readable };

const GRACE_MS = 1500;
// A program of that kind may have groups of its own to end first.
const PROGRAM_GRACE_MS = 4000;
// A process that hangs in the kernel does not even hear SIGKILL.
const LAST_WAIT_MS = 1000;
const LONGEST_PAUSE_MS = 400;

const SHELL = existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";

// A program that ends without a word must leave nothing behind.
const running = new Set<number>();

/** Rejects where the command cannot even be started. */
export async function startGroup(command: string | Program, cwd: string): Promise<ProcessGroup> {
  const child = await start(command, cwd);
  const pid = child.pid as number;
  keepTrack(pid);
  let over = false;
  const shellEnded = exitOf(child);
  const ended = shellEnded.then(async (exit) => {
    await untilGone(pid);
    over = true;
    running.delete(pid);
    return exit;
  });
  // Its number may belong to someone else once all of it has ended.
  const send = (signal: NodeJS.Signals) => void (over || kill(pid, signal));
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    shellEnded,
    ended,
    isAlive: () => !over && isGroupAlive(pid),
    async end() {
      send("SIGTERM");
      await atMost(ended, typeof command === "string" ? GRACE_MS : PROGRAM_GRACE_MS);
      send("SIGKILL");
      await atMost(ended, LAST_WAIT_MS);
    },
  };
}

/** Resolves with the promise, or when the time is up. */
export async function atMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const waiting = new AbortController();
  const time = delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([promise.catch(() => undefined), time]);
  waiting.abort();
}

async function start(command: string | Program, cwd: string): Promise<Started> {
  try {
    const child = typeof command === "string" ? spawnShell(command, cwd) : spawnProgram(command, cwd);
    await once(child, "spawn");
    return child as Started;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? `${cwd} does not exist` : code === "E2BIG" ? "it is too long" : message;
    throw new Error(`the command cannot be started: ${why}`, { cause: error });
  }
}

function spawnShell(command: string, cwd: string): ChildProcess {
  return spawn(SHELL, ["-c", command], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
}

function spawnProgram({ file, args, input }: Program, cwd: string): ChildProcess {
  const child = spawn(file, args, { cwd, detached: true, stdio: ["pipe", "pipe", "pipe", "ipc"] });
  // One that ends before it has read everything is told by its end.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  return child;
}

async function exitOf(child: Started): Promise<Exit> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { ...(exitCode === null ? {} : { exitCode }), ...(signal === null ? {} : { signal }) };
}

/** Nobody tells when the last process of a group has ended: it is looked for, less often with time. */
async function untilGone(pid: number): Promise<void> {
  for (let pause = 10; isGroupAlive(pid); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) await delay(pause);
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasLiving(pid);
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

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone by itself.
  }
}

function keepTrack(pid: number): void {
  process.off("exit", endAll).on("exit", endAll);
  running.add(pid);
}

function endAll(): void {
  for (const pid of running) kill(pid, "SIGKILL");
}
