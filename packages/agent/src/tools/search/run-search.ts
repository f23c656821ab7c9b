// Runs the search worker with a time limit; results up to then count.

import { Worker } from "node:worker_threads";
import type { AgentFileAccess, FilePlace } from "../files/access.ts";

export interface SearchOptions {
  limitMs: number;
  signal: AbortSignal;
  /** Return false to stop the search. */
  hear(message: SearchMessage): boolean;
}

export type SearchEnd = "done" | "enough" | "too_long" | "too_much";

const isSource = import.meta.url.endsWith(".ts");
const WORKER = new URL(isSource ? "./search-worker.ts" : "./search-worker.js", import.meta.url);
const MEMORY_MB = 512;
// Loading can be slow on a busy machine and does not count against the search.
const LOAD_LIMIT_MS = 15_000;

export function searchScope(
  { path, realPath }: FilePlace,
  { cwd, denyRead = [] }: AgentFileAccess,
): SearchScope {
  return { root: realPath, named: path, denial: { cwd, denyRead } };
}

export async function runSearch(job: SearchJob, options: SearchOptions): Promise<SearchEnd> {
  const { limitMs, signal, hear } = options;
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: job,
    execArgv: isSource ? ["--conditions=sotto-source"] : [],
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

// The messages to and from the search worker.

export type SearchJob = SearchScope &
  ({ kind: "glob"; pattern: string; most: number } | { kind: "grep"; question: GrepQuestion });

/** Where to search. */
export interface SearchScope {
  /** The real path. */
  root: string;
  /** The path as given. */
  named: string;
  /** What must not be read. */
  denial: { cwd: string; denyRead: readonly string[] };
}

export interface GrepQuestion {
  pattern: string;
  ignoreCase: boolean;
  /** A match may span lines, and a dot matches line breaks. */
  multiline: boolean;
  /** Only files that match; gitignore-style. */
  glob?: string | undefined;
  before: number;
  after: number;
  /** Stop at the first match of a file. */
  firstOnly: boolean;
}

/** The matches in one file. */
export interface FileHits {
  path: string;
  /** The number of lines with a match. */
  count: number;
  /** Matches and context lines, in order. */
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
