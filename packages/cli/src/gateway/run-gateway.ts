// Runs `sotto gateway`: in one process, or in several that share the port.

import cluster from "node:cluster";
import process from "node:process";
import { problemText } from "sotto/inspect";
import { CLOSED_PIPE, type ExitCode, toFailure, usageError } from "sotto-agent/terminal";
import { createGateway } from "sotto-gateway";
import { writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type GatewayConfig, type GatewayFlags, gatewayConfig } from "./gateway-config.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createOwnCounts } from "./shared-metrics.ts";

export interface GatewayCommand extends GatewayFlags {
  store?: string;
  workers?: number;
  inspect?: boolean;
  json?: boolean;
}

const PATIENCE_MS = 30_000;

export async function runGateway(command: GatewayCommand): Promise<ExitCode> {
  const { json } = command;
  const log = await createLogger({ json });
  try {
    return await run(command, log);
  } catch (thrown) {
    const { exitCode, code, message } = toFailure(thrown);
    if (!json || code === CLOSED_PIPE) throw thrown;
    log({ level: "error", message });
    await writeLine(JSON.stringify({ error: { code, message } })).catch(() => undefined);
    return exitCode;
  } finally {
    log.flush();
    // It would wait for messages.
    cluster.worker?.disconnect();
  }
}

async function run(command: GatewayCommand, log: Logger): Promise<ExitCode> {
  const { workers = 1, inspect, json } = command;
  if (workers > 1 && command.store === "memory:")
    throw usageError("--workers needs a store that processes can share, not memory:");
  let config = await gatewayConfig(command);
  const usual = json || inspect ? "info" : "warn";
  log.level(config.logLevel ?? usual);
  if (workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    return runWorkers({ count: workers, log, announce: (url) => announce(command, url) });
  }
  tellIgnored(config, log);
  const { store } = await openStore(command.store);
  const shared = cluster.isWorker ? createOwnCounts(() => gateway.counts()) : undefined;
  const gateway = createGateway({ ...config.options, store, log, metrics: shared?.all });
  const reload = async () => {
    try {
      const next = await gatewayConfig(command);
      // What it says was in use: without it requests would go elsewhere.
      const lost = next.ignored.find(({ where }) => config.files.includes(where));
      if (lost !== undefined) throw usageError(problemText(lost));
      gateway.reload(next.options);
      config = next;
      log.level(config.logLevel ?? usual);
      tellIgnored(config, log);
      log({ level: "info", message: "the config was read again" });
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      log({ level: "warn", message: `the config stays as it was: ${why}` });
    }
  };
  // One after the other: the last one has the last word.
  let reloading = Promise.resolve();
  const stopped = untilStopped(() => {
    reloading = reloading.then(reload);
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
  }
  return 0;
}

function tellIgnored({ ignored }: GatewayConfig, log: Logger): void {
  for (const problem of ignored) log({ level: "warn", message: problemText(problem) });
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
