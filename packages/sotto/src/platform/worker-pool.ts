// Runs jobs that may block in worker threads. A job that takes too long or too much memory is ended, and not run
// again with the same input.

import { serialize } from "node:v8";
import { Worker } from "node:worker_threads";
import { errorText, SottoError } from "./errors.ts";
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
const { deserialize } = process.getBuiltinModule("node:v8");
parentPort.on("message", async ({ number, bytes }) => {
  try {
    const { module, name, input } = deserialize(bytes);
    const loaded = await import(module);
    parentPort.postMessage({ number, started: true });
    parentPort.postMessage({ number, value: await loaded[name](input) });
  } catch (error) {
    parentPort.postMessage({ number, error: String(error && error.message || error) });
  }
});`;

interface Waiting {
  number: number;
  /** The job as it was when it was given. All that can fail in it has: nothing of the host's is looked at again. */
  bytes: Uint8Array;
  key: string;
  about: string;
  limitMs: number;
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

type Report = { number: number } & ({ started: true } | { value: unknown } | { error: string });

export function createWorkerPool({ limitMs = 250, memoryMb = 128, hash }: WorkerPoolOptions): WorkerPool {
  const queue: Waiting[] = [];
  const slots = new Set<Slot>();
  const refused = new Map<string, Refusal>();
  let given = 0;

  const next = () => {
    while (queue.length > 0) {
      const free = [...slots].find((slot) => slot.current === undefined);
      if (free === undefined && slots.size >= WORKERS) return;
      const waiting = queue.shift() as Waiting;
      try {
        start(free ?? hire(), waiting);
      } catch (error) {
        waiting.reject(failure(waiting, `could not be started: ${errorText(error)}`));
      }
    }
  };
  const start = (slot: Slot, waiting: Waiting) => {
    const { number, bytes, limitMs: ms } = waiting;
    slot.worker.postMessage({ number, bytes });
    slot.current = waiting;
    startTimer(slot, Math.max(LOAD_LIMIT_MS, LOAD_SHARE * ms));
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
    worker.on("exit", (code) => dismiss(slot, `left its worker with exit code ${code}`));
    // After the listeners, which would keep the process alive again.
    worker.unref();
    slots.add(slot);
    return slot;
  };
  const receive = (slot: Slot, report: Report) => {
    const { current } = slot;
    // A module may send messages of its own.
    if (current === undefined || report?.number !== current.number) return;
    if ("started" in report) return startTimer(slot, current.limitMs);
    clearTimeout(slot.timer);
    slot.current = undefined;
    if ("value" in report) current.resolve(report.value);
    else current.reject(failure(current, `failed: ${report.error}`));
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
      const slowWith = isSlow ? { slowWith: current.limitMs } : {};
      refused.set(current.key, { why, ...slowWith });
      if (refused.size > REFUSED_KEPT) refused.delete(refused.keys().next().value as string);
      current.reject(failure(current, `${why} and was ended`, isSlow));
    }
    next();
  };

  return {
    async run(job) {
      const ready = prepare(job);
      const { why, slowWith } = refused.get(ready.key) ?? {};
      // With more time it may finish.
      const hasMoreTime = slowWith !== undefined && ready.limitMs > slowWith;
      if (why !== undefined && !hasMoreTime)
        throw failure(
          ready,
          `${why} before; not tried again until its content changes`,
          slowWith !== undefined,
        );
      return new Promise((resolve, reject) => {
        queue.push({ ...ready, number: ++given, resolve, reject });
        next();
      });
    },
    async close() {
      for (const waiting of queue.splice(0))
        waiting.reject(failure(waiting, "was not run: the pool is closed"));
      await Promise.all([...slots].map(({ worker }) => worker.terminate()));
    },
  };

  function prepare({ module, name, input, about, limitMs: ms = limitMs }: Job) {
    const label = { about: String(about ?? name) };
    try {
      const bytes = serialize({ module, name, input });
      return { ...label, bytes, key: hash(bytes.toString("latin1")), limitMs: Number(ms) };
    } catch (error) {
      throw failure(label, `cannot be sent to a worker: ${errorText(error)}`);
    }
  }
}

/** Too slow is not the same as wrong: on a busy machine anything can be slow. */
function failure({ about }: { about: string }, why: string, isSlow = false): SottoError {
  return new SottoError(isSlow ? "worker_slow" : "worker_failed", `${about} ${why}`);
}
