// Runs `sotto gateway`: in one process, or in several that share the port.

import cluster from "node:cluster";
import process from "node:process";
import { type ExitCode, usageError } from "sotto-agent/terminal";
import { createGateway } from "sotto-gateway";
import { writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type GatewayFlags, gatewayOptions } from "./gateway-config.ts";
import { createLogger } from "./logger.ts";
import { createOwnCounts } from "./shared-metrics.ts";

export interface GatewayCommand extends GatewayFlags {
  store?: string;
  workers?: number;
  inspect?: boolean;
  json?: boolean;
}

const PATIENCE_MS = 30_000;

export async function runGateway(command: GatewayCommand): Promise<ExitCode> {
  const { workers = 1, inspect, json } = command;
  if (workers > 1 && command.store === "memory:")
    throw usageError("--workers needs a store that processes can share, not memory:");
  const { logLevel, ...options } = await gatewayOptions(command);
  const log = await createLogger({ json });
  const usual = json || inspect ? "info" : "warn";
  log.level(logLevel ?? usual);
  if (workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    return runWorkers({ count: workers, log, announce: (url) => announce(command, url) }).finally(log.flush);
  }
  const { store } = await openStore(command.store);
  const shared = cluster.isWorker ? createOwnCounts(() => gateway.counts()) : undefined;
  const gateway = createGateway({ ...options, store, log, metrics: shared?.all });
  const stopped = untilStopped(async () => {
    try {
      const { logLevel: level, ...changed } = await gatewayOptions(command);
      gateway.reload(changed);
      log.level(level ?? usual);
      log({ level: "info", message: "the config was read again" });
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      log({ level: "warn", message: `the config stays as it was: ${why}` });
    }
  });
  try {
    const url = await gateway.listen();
    if (cluster.isWorker) process.send?.({ type: "listening", url });
    else await announce(command, url);
    await stopped;
  } finally {
    await gateway.close(PATIENCE_MS);
    await store.close();
    shared?.stop();
    log.flush();
  }
  if (cluster.isWorker) cluster.worker?.disconnect();
  return 0;
}

function announce({ json }: GatewayCommand, url: string): Promise<void> {
  const bases = { anthropic: `${url}/anthropic`, openai: `${url}/openai/v1`, gemini: `${url}/gemini` };
  return writeLine(
    json
      ? JSON.stringify({ url, ...bases })
      : `sotto gateway listens on ${url}: base URLs are /anthropic, /openai/v1 and /gemini`,
  );
}

/** Workers are told by the process that started them: a terminal's signals reach all of them. */
function untilStopped(reload: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (cluster.isWorker) {
    process
      .on("SIGINT", () => undefined)
      .on("SIGTERM", () => undefined)
      .on("SIGHUP", () => undefined);
    process.on("message", (message) => (message === "reload" ? reload() : message === "stop" && resolve()));
    process.once("disconnect", resolve);
  } else {
    process.once("SIGINT", resolve).once("SIGTERM", resolve).on("SIGHUP", reload);
  }
  return promise;
}
