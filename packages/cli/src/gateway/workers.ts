// Several gateways on one port: starts them, replaces those that die, tells them the config and when to stop.

import cluster, { type Worker } from "node:cluster";
import process from "node:process";
import { type ExitCode, failed } from "sotto-agent/terminal";
import type { GatewayConfig } from "./gateway-config.ts";
import type { Logger } from "./logger.ts";
import { createWorkerCounts } from "./shared-metrics.ts";

/** One that ends sooner after its start is replaced only then. */
const LEAST_MS = 2000;

export interface WorkersOptions {
  count: number;
  log: Logger;
  /** A free one, if the config names none. */
  port?: number | undefined;
  /** The one in force. All workers have it, also one that is started later. */
  config(): GatewayConfig;
  /** Reads it again. False: it stays as it was. */
  reload(): Promise<boolean>;
  /** All of them listen. */
  listens(url: string): Promise<void>;
}

/** What workers are told. */
type Order = { type: "config"; config: GatewayConfig; port?: number | undefined } | { type: "stop" };

export async function runWorkers({
  count,
  log,
  port,
  config,
  reload,
  listens,
}: WorkersOptions): Promise<ExitCode> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const started = new Map<Worker, number>();
  const listening = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();
  const counts = createWorkerCounts();
  let isTold = false;
  let isStopping = false;
  // They accept connections themselves: one handed to a worker that dies just then would hang.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const fork = () => {
    const worker = cluster.fork();
    started.set(worker, performance.now());
    counts.add(worker);
    worker.on("message", ({ type, url }: { type: string; url: string }) => {
      if (type === "config?")
        return tell(worker, isStopping ? { type: "stop" } : { type: "config", config: config(), port });
      if (type !== "listening") return;
      listening.add(worker);
      if (listening.size < count || isTold) return;
      isTold = true;
      void listens(url).catch(fail);
    });
  };
  const tellAll = (order: Order) => {
    for (const worker of started.keys()) tell(worker, order);
  };
  const stop = () => {
    isStopping = true;
    for (const restart of restarts) clearTimeout(restart);
    if (started.size === 0) return end();
    tellAll({ type: "stop" });
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
    // Starting it again would not help. Later, the others go on.
    if (!listened && !isTold) return fail(failed(`a worker could not start (${how})`));
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
  process.on("SIGHUP", async () => {
    if (await reload()) tellAll({ type: "config", config: config() });
  });
  for (let at = 0; at < count; at++) fork();
  try {
    await ended;
  } finally {
    for (const worker of started.keys()) worker.kill();
  }
  return 0;
}

function tell(worker: Worker, order: Order): void {
  // One that is gone needs nothing.
  if (worker.isConnected()) worker.send(order, () => undefined);
}

// In a worker.

export interface Orders {
  /** The first config, and the port if that is not the config's; undefined if it is to stop before. */
  first: Promise<{ config: GatewayConfig; port?: number | undefined } | undefined>;
  /** Takes the later ones. */
  onConfig(take: (config: GatewayConfig) => void): void;
  stopped: Promise<void>;
}

export function takeOrders(): Orders {
  const first = Promise.withResolvers<Awaited<Orders["first"]>>();
  const stopped = Promise.withResolvers<void>();
  // Those that come behind the first one before somebody takes them.
  const waiting: GatewayConfig[] = [];
  let isFirst = true;
  let take = (config: GatewayConfig, port?: number) => {
    if (isFirst) first.resolve({ config, port });
    else waiting.push(config);
    isFirst = false;
  };
  const stop = () => {
    stopped.resolve();
    first.resolve(undefined);
  };
  // A terminal's signals reach all processes; the one that started this one tells it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  process.on("message", (order: Order) => {
    if (order.type === "config") take(order.config, order.port);
    else if (order.type === "stop") stop();
  });
  process.once("disconnect", stop);
  process.send?.({ type: "config?" });
  return {
    first: first.promise,
    stopped: stopped.promise,
    onConfig(next) {
      take = next;
      for (const config of waiting) next(config);
    },
  };
}
