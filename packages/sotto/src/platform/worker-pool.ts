// Work that can hold the thread runs in worker threads: ended when it takes too long or too much, and not tried again as it was.

import { Worker } from "node:worker_threads";
import { SottoError } from "./errors.ts";
import type { Job } from "./platform.ts";

export interface WorkerPool {
  run(job: Job): Promise<unknown>;
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** How much processor time one job may take. */
  limitMs?: number;
  /** How much memory one job may take. */
  memoryMb?: number;
  hash(text: string): string;
}

// Two, so that one offender does not keep the others waiting.
const WORKERS = 2;
// Loading a job's module is slow on a cold disk, but must end too. A job that gets more time gets more for this as well.
const LOAD_LIMIT_MS = 2000;
const LOAD_SHARE = 2;
// On a busy machine a job waits for its turn: so many times its limit may pass before it is ended all the same.
const PATIENCE = 8;
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

/** Why a job is not run again; `slowWith`: how much time was not enough for it. */
interface Refusal {
  why: string;
  slowWith?: number;
}

type Report = { started: true } | { value: unknown } | { error: string };

export function createWorkerPool({ limitMs = 250, memoryMb = 128, hash }: WorkerPoolOptions): WorkerPool {
  const queue: Waiting[] = [];
  const desks = new Set<Desk>();
  const refused = new Map<string, Refusal>();

  const next = () => {
    const free = [...desks].find((desk) => desk.current === undefined);
    const desk = free ?? (desks.size < WORKERS && queue.length > 0 ? hire() : undefined);
    const waiting = desk === undefined ? undefined : queue.shift();
    if (desk === undefined || waiting === undefined) return;
    desk.current = waiting;
    const { module, name, input, limitMs: ms = limitMs } = waiting.job;
    startTimer(desk, Math.max(LOAD_LIMIT_MS, LOAD_SHARE * ms));
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
    const [before, from] = [process.cpuUsage(), performance.now()];
    const look = () => {
      // All threads together: the job has not taken more than this.
      const { user, system } = process.cpuUsage(before);
      const left = Math.min(ms - (user + system) / 1000, PATIENCE * ms - (performance.now() - from));
      if (left < 1) dismiss(desk, `took longer than ${ms} ms`, true);
      else desk.timer = setTimeout(look, left);
    };
    desk.timer = setTimeout(look, ms);
  };
  const dismiss = (desk: Desk, why: string, isSlow = false) => {
    if (!desks.delete(desk)) return;
    clearTimeout(desk.timer);
    void desk.worker.terminate();
    const { current } = desk;
    if (current !== undefined) {
      const slowWith = isSlow ? { slowWith: current.job.limitMs ?? limitMs } : {};
      refused.set(current.key, { why, ...slowWith });
      if (refused.size > REFUSED_KEPT) refused.delete(refused.keys().next().value as string);
      current.reject(failure(current.job, `${why} and was ended`, isSlow));
    }
    next();
  };

  return {
    run(job) {
      const key = hash(`${job.module}\n${job.name}\n${JSON.stringify(job.input)}`);
      const { why, slowWith } = refused.get(key) ?? {};
      // With more time it may come to its end.
      const hasMoreTime = slowWith !== undefined && (job.limitMs ?? limitMs) > slowWith;
      if (why !== undefined && !hasMoreTime)
        return Promise.reject(
          failure(job, `${why} before; not tried again until its content changes`, slowWith !== undefined),
        );
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

/** Too slow is another thing than wrong: on a busy machine anything can be. */
function failure({ name, about }: Job, why: string, isSlow = false): SottoError {
  return new SottoError(isSlow ? "worker_slow" : "worker_failed", `${about ?? name} ${why}`);
}
