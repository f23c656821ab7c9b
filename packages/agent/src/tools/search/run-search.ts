// Asks the search worker, up to a time: what it has said by then is kept.

import { Worker } from "node:worker_threads";
import type { AgentFileAccess, FilePlace } from "../files/access.ts";

export interface SearchOptions {
  limitMs: number;
  signal: AbortSignal;
  /** False: enough was heard. */
  hear(message: SearchMessage): boolean;
}

export type SearchEnd = "done" | "enough" | "too_long" | "too_much";

const WORKER = new URL(
  import.meta.url.endsWith(".ts") ? "./search-worker.ts" : "./search-worker.js",
  import.meta.url,
);
const MEMORY_MB = 512;
// Loading is slow on a busy machine, and no fault of the pattern.
const LOAD_LIMIT_MS = 15_000;

export function searchGround(
  { path, realPath }: FilePlace,
  { cwd, denyRead = [] }: AgentFileAccess,
): SearchGround {
  return { root: realPath, named: path, denial: { cwd, denyRead } };
}

export async function runSearch(job: SearchJob, options: SearchOptions): Promise<SearchEnd> {
  const { limitMs, signal, hear } = options;
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: job,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  let stop: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<SearchEnd>((resolve, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      timer = setTimeout(resolve, LOAD_LIMIT_MS, "too_long");
      worker.on("message", (message: SearchMessage) => {
        if (message.kind === "started") {
          clearTimeout(timer);
          timer = setTimeout(resolve, limitMs, "too_long");
        } else if (!hear(message)) resolve("enough");
      });
      worker.on("exit", () => resolve("done"));
      worker.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ERR_WORKER_OUT_OF_MEMORY") resolve("too_much");
        else reject(error);
      });
    });
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

// What the search worker is asked, and what it says.

export type SearchJob = SearchGround &
  ({ kind: "glob"; pattern: string; most: number } | { kind: "grep"; question: GrepQuestion });

/** Where is looked. */
export interface SearchGround {
  /** Behind all links. */
  root: string;
  /** As it was asked for. */
  named: string;
  /** What may not be read. */
  denial: { cwd: string; denyRead: readonly string[] };
}

export interface GrepQuestion {
  pattern: string;
  ignoreCase: boolean;
  /** A match may go over several lines, and a dot stands for a line break, too. */
  multiline: boolean;
  /** Gitignore-style: only such files. */
  glob?: string | undefined;
  before: number;
  after: number;
  /** Only whether there is a match. */
  firstOnly: boolean;
}

/** What was found in one file. */
export interface FileHits {
  path: string;
  /** Lines with a match. */
  count: number;
  /** Matches and what is around them, in order. */
  lines: HitLine[];
}

export interface HitLine {
  number: number;
  text: string;
  isMatch: boolean;
}

export type SearchMessage =
  | { kind: "started" }
  | { kind: "hits"; hits: FileHits }
  | { kind: "paths"; paths: string[]; total: number }
  | { kind: "skipped"; path: string; why: string }
  | { kind: "wrong"; problem: string };
