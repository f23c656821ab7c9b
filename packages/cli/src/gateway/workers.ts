// Several gateways on one port: starts them, replaces those that die, passes signals on.

import cluster, { type Worker } from "node:cluster";
import process from "node:process";
import { type ExitCode, failed } from "sotto-agent/terminal";
import { note } from "../output/write.ts";

/** A worker that dies sooner did not get far: starting it again would not help. */
const LEAST_MS = 2000;

export async function runWorkers(count: number, announce: (url: string) => Promise<void>): Promise<ExitCode> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>();
  const started = new Map<Worker, number>();
  let listening = 0;
  let isStopping = false;
  const fork = () => started.set(cluster.fork(), performance.now());
  const stop = () => {
    isStopping = true;
    for (const worker of started.keys()) if (worker.isConnected()) worker.send("stop");
  };
  cluster.on("listening", (worker, { address, port }) => {
    // It heard nothing before.
    if (isStopping) return void worker.send("stop");
    listening += 1;
    if (listening === count) void announce(`http://${address}:${port}`).catch(fail);
  });
  cluster.on("exit", (worker, code, signal) => {
    const lived = performance.now() - (started.get(worker) ?? 0);
    started.delete(worker);
    if (isStopping) {
      if (started.size === 0) end();
      return;
    }
    if (lived < LEAST_MS) return fail(failed(`a worker could not start (${signal ?? `exit code ${code}`})`));
    note(`a worker ended (${signal ?? code}); another is started`);
    fork();
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
