// A command in its own process group, so that everything it starts can be waited for and ended with it.

import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "./ends-within.ts";

export interface GroupOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  /** Default: the environment of this process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: all three are pipes. */
  stdio?: readonly ("pipe" | "ignore" | "ipc")[] | undefined;
  /**
   * How long the processes that the command leaves behind may go on after its exit. With Infinity they are waited for,
   * and keep this process alive meanwhile.
   */
  leftoversMs: number;
}

export interface Exit {
  exitCode?: number;
  signal?: string;
}

export interface ProcessGroup<Child extends ChildProcess = ChildProcessWithoutNullStreams> {
  child: Child;
  pid: number;
  /** The command itself has exited; processes it started may still run. */
  exited: Promise<Exit>;
  /** No process of the group runs any more. */
  ended: Promise<Exit>;
  /** Whether any process of the group still runs. */
  isAlive(): boolean;
  /** Asks the whole group to end, and kills it if it still runs after `graceMs`. */
  end(graceMs: number): Promise<void>;
}

// A process stuck in the kernel does not even react to SIGKILL.
const AFTER_KILL_MS = 1000;
const LONGEST_PAUSE_MS = 400;

const hasGroups = process.platform !== "win32";
// Killed when this process exits. A group stays listed only while it runs: later its number may belong to another one.
const running = new Set<number>();

/** Rejects with Node's error if the command cannot be started. A stream that breaks is not an error of this process. */
export async function startGroup<Child extends ChildProcess = ChildProcessWithoutNullStreams>(
  options: GroupOptions,
): Promise<ProcessGroup<Child>> {
  const { command, args, cwd, env, stdio = ["pipe", "pipe", "pipe"], leftoversMs } = options;
  const child = spawn(command, [...args], {
    ...{ cwd, env, stdio: [...stdio], detached: hasGroups, windowsHide: true },
  }) as unknown as Child;
  for (const stream of child.stdio) stream?.on("error", () => undefined);
  await once(child, "spawn");
  const pid = child.pid as number;
  process.off("exit", killAll).on("exit", killAll);
  running.add(pid);
  const exited = exitOf(child);
  const ended = exited.then(async (exit) => {
    await untilGone(pid, leftoversMs);
    send(pid, "SIGKILL");
    running.delete(pid);
    return exit;
  });
  return {
    child,
    pid,
    exited,
    ended,
    isAlive: () => running.has(pid) && isGroupAlive(pid),
    async end(graceMs) {
      send(pid, "SIGTERM");
      if (await endsWithin(ended, graceMs)) return;
      send(pid, "SIGKILL");
      await endsWithin(ended, AFTER_KILL_MS);
    },
  };
}

/** The shell that runs a command line, and its arguments. */
export function shellFor(commandLine: string): { command: string; args: string[] } {
  // With a socket as its input, which is what pipes are here, bash takes itself for a remote shell and reads .bashrc.
  return existsSync("/bin/bash")
    ? { command: "/bin/bash", args: ["--norc", "-c", commandLine] }
    : { command: "/bin/sh", args: ["-c", commandLine] };
}

export function describeExit({ exitCode, signal }: Exit): string {
  return exitCode === undefined ? `it was killed by ${signal}` : `it exited with code ${exitCode}`;
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
  return { ...(exitCode === null ? {} : { exitCode }), ...(signal === null ? {} : { signal }) };
}

/** Polls, as there is no event for the end of a group's last process. */
async function untilGone(pid: number, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const ref = ms === Number.POSITIVE_INFINITY;
  for (
    let pause = 10;
    performance.now() < end && isGroupAlive(pid);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  )
    await delay(pause, undefined, { ref });
}

function send(pid: number, signal: NodeJS.Signals): void {
  if (!running.has(pid)) return;
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // It has already ended.
  }
}

function killAll(): void {
  for (const pid of running) send(pid, "SIGKILL");
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(hasGroups ? -pid : pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return process.platform !== "linux" || hasLiving(pid);
}

/** Zombies answer to signals forever where nobody reaps orphans, as in many containers: they do not count. */
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
    // The name comes first and may contain anything; after it: state, parent, group.
    const [state = "", , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return Number(itsGroup) === group && !/[ZX]/iu.test(state);
  } catch {
    return false;
  }
}
