// Asks the search worker, up to a time: what it has said by then is kept.

import { Worker } from "node:worker_threads";
import type { Ground, Place } from "../files/open-file.ts";
import type { SearchGround, SearchJob, SearchMessage } from "./messages.ts";

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

export function searchGround({ path, realPath }: Place, { cwd, denyRead = [] }: Ground): SearchGround {
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
