// Counts of all workers together. The process that started them keeps the last counts of each, also of those that died,
// and asks the living ones when somebody wants to know.

import type { Worker } from "node:cluster";
import process from "node:process";
import { type MetricsData, sumOfMetrics } from "sotto-gateway";

/** Between the processes. */
type Message =
  | { type: "counts"; data: MetricsData; id?: number }
  | { type: "counts?"; id: number }
  | { type: "all counts"; id: number; data: MetricsData }
  | { type: "all counts?"; id: number };

/** How long workers are waited for. */
const ANSWER_MS = 1000;
/** How long the process that asks them is. */
const ALL_MS = 3 * ANSWER_MS;
/** How often a worker tells its counts without being asked: what it counted since then is lost if it is killed. */
const TELL_MS = 250;

// In the process that started the workers.

export interface WorkerCounts {
  add(worker: Worker): void;
  /** It ended: what it counted stays in the sums. */
  ended(worker: Worker): void;
}

export function createWorkerCounts(): WorkerCounts {
  const known = new Map<Worker, MetricsData>();
  let past: MetricsData = { counters: {}, times: {}, gauges: {} };
  const waiting = new Map<number, (worker: Worker) => void>();
  let asked = 0;

  async function all(): Promise<MetricsData> {
    const id = ++asked;
    const missing = new Set([...known.keys()].filter((worker) => worker.isConnected()));
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ANSWER_MS);
    let answered = 0;
    waiting.set(id, (worker) => {
      if (missing.delete(worker)) answered += 1;
      if (missing.size === 0) resolve();
    });
    for (const worker of missing) send(worker, { type: "counts?", id });
    if (missing.size > 0) await promise;
    clearTimeout(timer);
    waiting.delete(id);
    const sum = sumOfMetrics([past, ...known.values()]);
    return { ...sum, gauges: { ...sum.gauges, workers: known.size, workers_answered: answered } };
  }

  return {
    add(worker) {
      known.set(worker, { counters: {}, times: {}, gauges: {} });
      worker.on("message", (message: Message) => {
        if (message.type === "counts") {
          if (known.has(worker)) known.set(worker, message.data);
          if (message.id !== undefined) waiting.get(message.id)?.(worker);
        } else if (message.type === "all counts?") {
          const { id } = message;
          void all().then((data) => send(worker, { type: "all counts", id, data }));
        }
      });
    },
    ended(worker) {
      const { counters, times } = known.get(worker) ?? { counters: {}, times: {} };
      known.delete(worker);
      past = sumOfMetrics([past, { counters, times, gauges: {} }]);
    },
  };
}

function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

// In a worker.

export interface OwnCounts {
  /** Of all workers. Rejects if the process that asks them does not answer. */
  all(): Promise<MetricsData>;
  stop(): void;
}

export function createOwnCounts(counts: () => MetricsData): OwnCounts {
  const waiting = new Map<number, (data: MetricsData) => void>();
  let asked = 0;
  const tell = (message: Message) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  const listen = (message: Message) => {
    if (message.type === "counts?") tell({ type: "counts", data: counts(), id: message.id });
    else if (message.type === "all counts") waiting.get(message.id)?.(message.data);
  };
  process.on("message", listen);
  let told = "";
  const timer = setInterval(() => {
    const data = counts();
    const text = JSON.stringify([data.counters, data.times]);
    if (text !== told) tell({ type: "counts", data });
    told = text;
  }, TELL_MS);
  timer.unref();
  return {
    all() {
      const id = ++asked;
      const { promise, resolve, reject } = Promise.withResolvers<MetricsData>();
      const late = setTimeout(() => reject(new Error("the other workers did not answer in time")), ALL_MS);
      waiting.set(id, resolve);
      tell({ type: "all counts?", id });
      return promise.finally(() => {
        clearTimeout(late);
        waiting.delete(id);
      });
    },
    stop() {
      clearInterval(timer);
      process.off("message", listen);
      tell({ type: "counts", data: counts() });
    },
  };
}
