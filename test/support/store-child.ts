// Real child processes that use a store: to be killed, to hold locks, to have fewer rights than the tests.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const stores = new URL("../../packages/sotto/src/stores/sqlite/sqlite.ts", import.meta.url);
const notes = new URL("./store-notes.ts", import.meta.url);

/** What a child's script can use: the store, entries, `say` (a line to the parent, at once), `codeOf` (how a call failed). */
const prelude = `
import { writeSync } from "node:fs";
import { createSqliteStore } from ${JSON.stringify(stores.href)};
import { note, claim } from ${JSON.stringify(notes.href)};
const say = (value) => writeSync(1, JSON.stringify(value) + "\\n");
const codeOf = (promise) => promise.then(() => "fine", (error) => error.code ?? String(error));
`;

export interface StoreChild {
  process: ChildProcess;
  /** Everything it said so far. */
  said: unknown[];
  /** Resolves when it has said that many things. */
  saying(count: number): Promise<unknown[]>;
  /** Sends it a line. */
  tell(line: string): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

export interface ChildOptions {
  /** A command to run node with, such as `unshare -m`. */
  wrapper?: string[];
  /** Without the prelude. */
  bare?: boolean;
}

export function storeChild(script: string, options: ChildOptions = {}): StoreChild {
  const node = [process.execPath, "--input-type=module", "-e", options.bare ? script : prelude + script];
  const [command = "", ...parameters] = [...(options.wrapper ?? []), ...node];
  const child = spawn(command, parameters, {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: "pipe",
  });
  const said: unknown[] = [];
  const waiting = new Set<() => void>();
  let stderr = "";
  let over = false;
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  createInterface(child.stdout).on("line", (line) => {
    said.push(JSON.parse(line));
    wake();
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<Awaited<StoreChild["ended"]>>((resolve) => {
    child.on("close", (code, signal) => {
      over = true;
      resolve({ code, signal, stderr });
      wake();
    });
  });
  return {
    process: child,
    said,
    ended,
    tell: (line) => void child.stdin.write(`${line}\n`),
    saying: (count) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (said.length < count && !over) return;
          waiting.delete(check);
          if (said.length >= count) resolve(said.slice(0, count));
          else reject(new Error(`the child ended after ${said.length} of ${count} lines: ${stderr}`));
        };
        waiting.add(check);
        check();
      }),
  };
}

/** Runs a script to its end and gives back what it said. */
export async function runStoreChild(script: string, options: ChildOptions = {}): Promise<unknown[]> {
  const child = storeChild(script, options);
  const { code, stderr } = await child.ended;
  if (code !== 0) throw new Error(`the child failed with ${code}: ${stderr}`);
  return child.said;
}

/** Whether a child may mount file systems of its own, in a namespace that ends with it. */
export function canMount(): boolean {
  return spawnSync("unshare", ["-m", "sh", "-c", 'mount -t tmpfs tmpfs "$0"', tmpdir()]).status === 0;
}
