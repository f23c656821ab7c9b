// A server's process in a group of its own, so that all it started ends with it.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

export interface ServerProcess {
  child: ChildProcessWithoutNullStreams;
  /** How it ended, in words. */
  ended: Promise<string>;
  /** The last it wrote to stderr, bounded. */
  errors(): string;
  /** Asks it to end by closing its input, then by signals. */
  end(): Promise<void>;
}

export interface ServerCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

const ERRORS_KEPT = 8 * 1024;
const GRACE_MS = 700;
const TERM_MS = 1000;
const LAST_MS = 1000;
const LAST_WORDS_MS = 500;

const hasGroups = process.platform !== "win32";
// A program that ends without a word must leave nothing behind.
const running = new Set<number>();

/** Rejects where it cannot even be started. */
export async function startServer({ command, args, env, cwd }: ServerCommand): Promise<ServerProcess> {
  const child = spawn(command, [...args], { cwd, env, detached: hasGroups, windowsHide: true });
  // Writing to one that has gone is no failure of this process.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new Error(whyNot(error as NodeJS.ErrnoException, command, cwd), { cause: error });
  }
  const pid = child.pid as number;
  process.off("exit", endAll).on("exit", endAll);
  running.add(pid);
  const closed = once(child, "close");
  const ended = once(child, "exit").then(async ([code, signal]) => {
    // What it left behind in its group.
    kill(pid, "SIGKILL");
    running.delete(pid);
    // Its last words may still be in the pipe.
    await isOver(closed, LAST_WORDS_MS);
    return signal === null ? `it ended with code ${String(code)}` : `it was ended by ${String(signal)}`;
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text.slice(-ERRORS_KEPT)).slice(-ERRORS_KEPT);
  });
  return {
    child,
    ended,
    errors: () => errors.toWellFormed(),
    async end() {
      child.stdin.end();
      if (await isOver(ended, GRACE_MS)) return;
      if (running.has(pid)) kill(pid, "SIGTERM");
      if (await isOver(ended, TERM_MS)) return;
      if (running.has(pid)) kill(pid, "SIGKILL");
      await isOver(ended, LAST_MS);
    },
  };
}

function whyNot({ code, message }: NodeJS.ErrnoException, command: string, cwd: string): string {
  if (code === "ENOENT") return `it cannot be started: there is no ${command}, or no directory ${cwd}`;
  return `it cannot be started: ${code ?? message}`;
}

async function isOver(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const time = delay(ms, false, { signal: waiting.signal }).catch(() => false);
  const over = await Promise.race([ended.then(() => true), time]);
  waiting.abort();
  return over;
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(hasGroups ? -pid : pid, signal);
  } catch {
    // Gone by itself.
  }
}

function endAll(): void {
  for (const pid of running) kill(pid, "SIGKILL");
}
