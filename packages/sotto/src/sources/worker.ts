// Work that can hold the thread runs in worker threads: ended when it takes too long or too much, and not tried again.

import { Worker } from "node:worker_threads";
import { SottoError } from "../core/errors.ts";
import type { Job } from "../core/platform.ts";

export interface WorkerPool {
  run(job: Job): Promise<unknown>;
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** How long one job may run. */
  limitMs?: number;
  /** How much memory one job may take. */
  memoryMb?: number;
  hash(text: string): string;
}

// Two, so that one offender does not keep the others waiting.
const WORKERS = 2;
// Loading a job's module is slow on a cold disk, but must end too.
const LOAD_LIMIT_MS = 2000;
const REFUSED_KEPT = 1000;

// As text, so that it works from a bundle that has no second file.
const BOOTSTRAP = `
const { parentPort } = process.getBuiltinModule("node:worker_threads");
parentPort.on("message", async ({ module, name, input }) => {
  try {
    const loaded = await import(module);
    parentPort.postMessage({ started: true });
    parentPort.postMessage({ value: await loaded[name](input) });
  } catch (error) {
    parentPort.postMessage({ error: String(error && error.message || error) });
  }
});`;

interface Waiting {
  job: Job;
  key: string;
  resolve(value: unknown): void;
  reject(error: SottoError): void;
}

interface Desk {
  worker: Worker;
  current?: Waiting | undefined;
  timer?: NodeJS.Timeout | undefined;
}

type Report = { started: true } | { value: unknown } | { error: string };

export function createWorkerPool({ limitMs = 250, memoryMb = 128, hash }: WorkerPoolOptions): WorkerPool {
  const queue: Waiting[] = [];
  const desks = new Set<Desk>();
  const refused = new Map<string, string>();

  const next = () => {
    const free = [...desks].find((desk) => desk.current === undefined);
    const desk = free ?? (desks.size < WORKERS && queue.length > 0 ? hire() : undefined);
    const waiting = desk === undefined ? undefined : queue.shift();
    if (desk === undefined || waiting === undefined) return;
    desk.current = waiting;
    startTimer(desk, LOAD_LIMIT_MS);
    const { module, name, input } = waiting.job;
    desk.worker.postMessage({ module, name, input });
    next();
  };
  const hire = (): Desk => {
    const worker = new Worker(BOOTSTRAP, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    const desk: Desk = { worker };
    worker.on("message", (report: Report) => hear(desk, report));
    worker.on("error", (error: Error & { code?: string }) => {
      const tooMuch = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      dismiss(
        desk,
        tooMuch ? `took more than ${memoryMb} MB of memory` : `broke its worker: ${error.message}`,
      );
    });
    // Behind the listeners, which would hold the process again.
    worker.unref();
    desks.add(desk);
    return desk;
  };
  const hear = (desk: Desk, report: Report) => {
    const { current } = desk;
    if (current === undefined) return;
    if ("started" in report) return startTimer(desk, current.job.limitMs ?? limitMs);
    clearTimeout(desk.timer);
    desk.current = undefined;
    if ("value" in report) current.resolve(report.value);
    else current.reject(failure(current.job, `failed: ${report.error}`));
    next();
  };
  const startTimer = (desk: Desk, ms: number) => {
    clearTimeout(desk.timer);
    desk.timer = setTimeout(() => dismiss(desk, `took longer than ${ms} ms`), ms);
  };
  const dismiss = (desk: Desk, why: string) => {
    if (!desks.delete(desk)) return;
    clearTimeout(desk.timer);
    void desk.worker.terminate();
    const { current } = desk;
    if (current !== undefined) {
      refused.set(current.key, why);
      if (refused.size > REFUSED_KEPT) refused.delete(refused.keys().next().value as string);
      current.reject(failure(current.job, `${why} and was ended`));
    }
    next();
  };

  return {
    run(job) {
      const key = hash(`${job.module}\n${job.name}\n${JSON.stringify(job.input)}`);
      const why = refused.get(key);
      if (why !== undefined)
        return Promise.reject(failure(job, `${why} before; not tried again until its content changes`));
      return new Promise((resolve, reject) => {
        queue.push({ job, key, resolve, reject });
        next();
      });
    },
    async close() {
      await Promise.all([...desks].map(({ worker }) => worker.terminate()));
    },
  };
}

function failure({ name, about }: Job, why: string): SottoError {
  return new SottoError("worker_failed", `${about ?? name} ${why}`);
}
