// A language server's process, in a group of its own: whatever it starts ends with it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import type { Readable, Writable } from "node:stream";

export interface ServerProcess {
  pid: number;
  stdin: Writable;
  stdout: Readable;
  /** Why it is over, in words. */
  ended: Promise<string>;
  /** Ends all of it, for sure. */
  end(graceMs: number): Promise<void>;
}

export interface StartOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  environment: NodeJS.ProcessEnv;
}

const hasGroups = process.platform !== "win32";
// A program that ends without a word must leave nothing behind.
const running = new Set<ChildProcess>();

/** Rejects where it cannot be started at all. It keeps no program alive that has nothing else to do. */
export async function startServer(options: StartOptions): Promise<ServerProcess> {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: withoutSecrets(options.environment),
    // What it complains about may hold anything, and nobody reads it.
    stdio: ["pipe", "pipe", "ignore"],
    detached: hasGroups,
    windowsHide: true,
  });
  await once(child, "spawn");
  process.off("exit", endAll).on("exit", endAll);
  running.add(child);
  child.unref();
  for (const stream of [child.stdin, child.stdout]) {
    (stream as unknown as { unref?(): void }).unref?.();
    // A pipe that breaks is the end of the process, which is told below.
    stream.on("error", () => undefined);
  }
  let isOver = false;
  const ended = once(child, "exit").then(([code, signal]) => {
    running.delete(child);
    // What it has started itself. Afterwards its number may belong to someone else.
    kill(child, "SIGKILL");
    isOver = true;
    return signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
  });
  return {
    pid: child.pid as number,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    async end(graceMs) {
      if (isOver) return;
      child.stdin.destroy();
      kill(child, "SIGTERM");
      await atMost(ended, graceMs);
      if (isOver) return;
      kill(child, "SIGKILL");
      await atMost(ended, graceMs);
    },
  };
}

/** Resolves with the promise, or when the time is up. */
export async function atMost(promise: Promise<unknown>, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    // Kept alive: whoever closes waits for the end.
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    promise.then(done, done);
  });
}

// Keys and tokens of other programs are no business of a language server.
const SECRET =
  /(?:^|_)(?:api_?key|key|keys|token|tokens|secret|secrets|password|passwd|passphrase|credentials?|auth|cookie)(?:_|$)/iu;

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET.test(name)));
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Gone by itself.
  }
}

function endAll(): void {
  for (const child of running) kill(child, "SIGKILL");
}
