// Child processes that end with us: Ctrl-C ends those that run, and the caller's `finally` cleans up.

import { spawn } from "node:child_process";
import process from "node:process";

export interface Processes {
  /** What it printed; throws if it was ended, or if its exit code is not one of these. */
  run(file: string, args: readonly string[], options: RunOptions): Promise<string>;
  /** No longer listens for Ctrl-C. */
  done(): void;
}

export interface RunOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  codes?: readonly number[];
}

export class Interrupted extends Error {}

export function createProcesses(): Processes {
  const signals = ["SIGINT", "SIGTERM"] as const;
  let isEnded = false;
  let current: ReturnType<typeof spawn> | undefined;
  const end = () => {
    isEnded = true;
    if (current?.pid !== undefined && current.exitCode === null) killGroup(current.pid);
  };
  for (const signal of signals) process.on(signal, end);
  return {
    run(file, args, { cwd, env, codes = [0] }) {
      if (isEnded) throw new Interrupted("interrupted");
      return new Promise((resolve, reject) => {
        // A group of its own: what it started ends with it.
        const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
        current = child;
        let output = "";
        let errors = "";
        child.stdout.on("data", (bytes) => {
          output += bytes;
        });
        child.stderr.on("data", (bytes) => {
          errors = `${errors}${bytes}`.slice(-4000);
        });
        child.on("error", reject);
        child.on("close", (code) => {
          current = undefined;
          if (isEnded) reject(new Interrupted("interrupted"));
          else if (codes.includes(code ?? -1)) resolve(output);
          else reject(new Error(`${file} ${args.join(" ")} ended with ${code}:\n${errors}`));
        });
      });
    },
    done: () => {
      for (const signal of signals) process.off(signal, end);
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // It has just ended.
  }
}
