// Runs jobs that may block in worker threads. A job that takes too long or too much memory is ended, and not run
// again with the same input.

import { Worker } from "node:worker_threads";
import { SottoError } from "./errors.ts";
import type { Job } from "./platform.ts";

export interface WorkerPool {
  run(job: Job): Promise<unknown>;
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** Processor time for one job. */
  limitMs?: number;
  /** Memory for one job. */
  memoryMb?: number;
  hash(text: string): string;
}

// Two, so that one slow job does not make the others wait.
const WORKERS = 2;
// Loading a module is slow on a cold disk, but must not take forever. A job with more time also gets more for this.
const LOAD_LIMIT_MS = 2000;
const LOAD_SHARE = 2;
// On a busy machine a job gets little processor time: after this many times its limit it is ended anyway.
const PATIENCE = 8;
const REFUSED_KEPT = 1000;

// A string, as a bundle has no second file.
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

interface Slot {
  worker: Worker;
  current?: Waiting | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/** Why a job is not run again. `slowWith`: the time that was not enough for it. */
interface Refusal {
  why: string;
  slowWith?: number;
}

type Report = { started: true } | { value: unknown } | { error: string };

export function createWorkerPool({ limitMs = 250, memoryMb = 128, hash }: WorkerPoolOptions): WorkerPool {
  const queue: Waiting[] = [];
  const slots = new Set<Slot>();
  const refused = new Map<string, Refusal>();

  const next = () => {
    const free = [...slots].find((slot) => slot.current === undefined);
    const slot = free ?? (slots.size < WORKERS && queue.length > 0 ? hire() : undefined);
    const waiting = slot === undefined ? undefined : queue.shift();
    if (slot === undefined || waiting === undefined) return;
    slot.current = waiting;
    const { module, name, input, limitMs: ms = limitMs } = waiting.job;
    startTimer(slot, Math.max(LOAD_LIMIT_MS, LOAD_SHARE * ms));
    slot.worker.postMessage({ module, name, input });
    next();
  };
  const hire = (): Slot => {
    const worker = new Worker(BOOTSTRAP, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    const slot: Slot = { worker };
    worker.on("message", (report: Report) => receive(slot, report));
    worker.on("error", (error: Error & { code?: string }) => {
      const tooMuch = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      dismiss(
        slot,
        tooMuch ? `took more than ${memoryMb} MB of memory` : `broke its worker: ${error.message}`,
      );
    });
    // After the listeners, which would keep the process alive again.
    worker.unref();
    slots.add(slot);
    return slot;
  };
  const receive = (slot: Slot, report: Report) => {
    const { current } = slot;
    if (current === undefined) return;
    if ("started" in report) return startTimer(slot, current.job.limitMs ?? limitMs);
    clearTimeout(slot.timer);
    slot.current = undefined;
    if ("value" in report) current.resolve(report.value);
    else current.reject(failure(current.job, `failed: ${report.error}`));
    next();
  };
  const startTimer = (slot: Slot, ms: number) => {
    clearTimeout(slot.timer);
    const [before, from] = [process.cpuUsage(), performance.now()];
    const look = () => {
      // Of all threads together: the job has not used more than this.
      const { user, system } = process.cpuUsage(before);
      const left = Math.min(ms - (user + system) / 1000, PATIENCE * ms - (performance.now() - from));
      if (left >= 1) slot.timer = setTimeout(look, left);
      else setImmediate(endIfOpen, slot.current, slot.timer);
    };
    // Its answer may have come while this thread was busy: that is read first.
    const endIfOpen = (current: Waiting | undefined, timer: NodeJS.Timeout | undefined) => {
      if (slot.current === current && slot.timer === timer) dismiss(slot, `took longer than ${ms} ms`, true);
    };
    slot.timer = setTimeout(look, ms);
  };
  const dismiss = (slot: Slot, why: string, isSlow = false) => {
    if (!slots.delete(slot)) return;
    clearTimeout(slot.timer);
    void slot.worker.terminate();
    const { current } = slot;
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
      // With more time it may finish.
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
      await Promise.all([...slots].map(({ worker }) => worker.terminate()));
    },
  };
}

/** Too slow is not the same as wrong: on a busy machine anything can be slow. */
function failure({ name, about }: Job, why: string, isSlow = false): SottoError {
  return new SottoError(isSlow ? "worker_slow" : "worker_failed", `${about ?? name} ${why}`);
}
