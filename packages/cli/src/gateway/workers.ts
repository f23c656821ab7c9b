// Several gateways on one port: starts them, replaces those that die, passes signals on.

import cluster, { type Worker } from "node:cluster";
import process from "node:process";
import { type ExitCode, failed } from "sotto-agent/terminal";
import type { Logger } from "./logger.ts";
import { createWorkerCounts } from "./shared-metrics.ts";

/** One that ends sooner after its start is replaced only then. */
const LEAST_MS = 2000;

export interface WorkersOptions {
  count: number;
  log: Logger;
  /** All of them listen. */
  announce(url: string): Promise<void>;
}

export async function runWorkers({ count, log, announce }: WorkersOptions): Promise<ExitCode> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const started = new Map<Worker, number>();
  const listening = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();
  const counts = createWorkerCounts();
  let isAnnounced = false;
  let isStopping = false;
  const fork = () => {
    const worker = cluster.fork();
    started.set(worker, performance.now());
    counts.add(worker);
    worker.on("message", ({ type, url }: { type: string; url: string }) => {
      if (type !== "listening") return;
      // It heard nothing before.
      if (isStopping) return void worker.send("stop");
      listening.add(worker);
      if (listening.size < count || isAnnounced) return;
      isAnnounced = true;
      void announce(url).catch(fail);
    });
  };
  const stop = () => {
    isStopping = true;
    for (const restart of restarts) clearTimeout(restart);
    if (started.size === 0) return end();
    for (const worker of started.keys()) if (worker.isConnected()) worker.send("stop");
  };
  cluster.on("exit", (worker, code, signal) => {
    const lived = performance.now() - (started.get(worker) ?? 0);
    const how = signal ?? `exit code ${code}`;
    started.delete(worker);
    counts.ended(worker);
    if (isStopping) {
      if (started.size === 0) end();
      return;
    }
    const listened = listening.delete(worker);
    // Starting it again would not help. Later, the others go on: a config may have a mistake for a while.
    if (!listened && !isAnnounced) return fail(failed(`a worker could not start (${how})`));
    const what = listened ? "a worker ended" : "a worker could not start";
    log({ level: "warn", message: `${what} (${how}); another is started` });
    const restart = setTimeout(
      () => {
        restarts.delete(restart);
        fork();
      },
      Math.max(0, LEAST_MS - lived),
    );
    restarts.add(restart);
  });
  process.once("SIGINT", stop).once("SIGTERM", stop);
  process.on("SIGHUP", () => {
    for (const worker of started.keys()) if (worker.isConnected()) worker.send("reload");
  });
  for (let at = 0; at < count; at++) fork();
  try {
    await ended;
  } finally {
    for (const worker of started.keys()) worker.kill();
  }
  return 0;
}
