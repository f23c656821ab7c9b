// Runs `sotto gateway`: in one process, or in several that share the port.

import cluster from "node:cluster";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";
import type { Store } from "sotto/extend";
import { CLOSED_PIPE, type ExitCode, failed, toFailure, usageError } from "sotto-agent/terminal";
import { createGateway, type Gateway } from "sotto-gateway";
import { existingDirectory } from "../input/arguments.ts";
import { writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type GatewayConfig, type GatewayFlags, gatewayOptions } from "./gateway-config.ts";
import { createLiveConfig } from "./live-config.ts";
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
  const { workers = 1 } = command;
  if (workers > 1 && command.store === "memory:")
    throw usageError("--workers needs a store that processes can share, not memory:");
  if (cluster.isWorker) return runAsWorker(command, log);
  for (const one of command.workspace ?? []) existingDirectory(one, "--workspace");
  const config = await createLiveConfig(command, log, (now) => setLevel(log, now, command));
  const options = gatewayOptions(config.now(), command);
  const listens = (url: string) => announce(command, url);
  if (workers > 1) {
    const { runWorkers } = await import("./workers.ts");
    // It never listens: it tells which configs can be used.
    const judge = createGateway(options);
    const reload = () => config.reload(judge);
    // Asked for by each, it would be another one after all of them have died.
    const port = options.port === 0 ? await freePort(options.host) : undefined;
    return runWorkers({ count: workers, log, port, config: config.now, reload, listens });
  }
  const { store } = await openStore(command.store);
  const gateway = createGateway({ ...options, store, log });
  process.on("SIGHUP", () => void config.reload(gateway));
  const stopped = new Promise<void>((stop) => process.once("SIGINT", stop).once("SIGTERM", stop));
  await serve({ gateway, store, listens, stopped });
  return 0;
}

async function runAsWorker(command: GatewayCommand, log: Logger): Promise<ExitCode> {
  const { takeOrders } = await import("./workers.ts");
  const { first, onConfig, stopped } = takeOrders();
  const told = await first;
  if (told === undefined) return 0;
  const { config, port = command.port } = told;
  const flags = { ...command, ...(port === undefined ? {} : { port }) };
  setLevel(log, config, command);
  const { store } = await openStore(command.store);
  const counts = createOwnCounts(() => gateway.counts());
  const gateway = createGateway({ ...gatewayOptions(config, flags), store, log, metrics: counts.all });
  onConfig((next) => {
    setLevel(log, next, command);
    gateway.reload(gatewayOptions(next, flags));
  });
  const listens = async (url: string) => void process.send?.({ type: "listening", url });
  await serve({ gateway, store, listens, stopped }).finally(counts.stop);
  return 0;
}

interface Served {
  gateway: Gateway;
  store: Store;
  listens(url: string): Promise<void>;
  stopped: Promise<void>;
}

async function serve({ gateway, store, listens, stopped }: Served): Promise<void> {
  try {
    await listens(await gateway.listen().catch(portProblem));
    await stopped;
  } finally {
    await gateway.close(PATIENCE_MS);
    await store.close();
  }
}

function portProblem(error: NodeJS.ErrnoException & { port?: number }): never {
  if (error.code === "EADDRINUSE")
    throw failed(`port ${error.port} is in use: choose another one with --port`, "port_in_use");
  if (error.code === "EACCES")
    throw failed(`port ${error.port} is not for this user: choose one from 1024 on`);
  throw error;
}

async function freePort(host = "127.0.0.1"): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function setLevel(log: Logger, { table }: GatewayConfig, { logLevel, json, inspect }: GatewayCommand): void {
  log.level(logLevel ?? table.log_level ?? (json || inspect ? "info" : "warn"));
}

function announce({ json }: GatewayCommand, url: string): Promise<void> {
  const bases = { anthropic: `${url}/anthropic`, openai: `${url}/openai/v1`, gemini: `${url}/gemini` };
  return writeLine(
    json
      ? JSON.stringify({ url, ...bases })
      : `sotto gateway listens on ${url}: base URLs are /anthropic, /openai/v1 and /gemini`,
  );
}
