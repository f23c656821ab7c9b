// Runs `sotto gateway`: in one process, or in several that share the port.

import cluster from "node:cluster";
import process from "node:process";
import { type ExitCode, usageError } from "sotto-agent/terminal";
import { createGateway, type LogLine } from "sotto-gateway";
import { note, writeLine } from "../output/write.ts";
import { openStore } from "../sessions/open-store.ts";
import { type GatewayFlags, gatewayOptions } from "./gateway-config.ts";
import { lineWords } from "./log-words.ts";

export interface GatewayCommand extends GatewayFlags {
  store?: string;
  workers?: number;
  inspect?: boolean;
  json?: boolean;
}

const PATIENCE_MS = 30_000;

export async function runGateway(command: GatewayCommand): Promise<ExitCode> {
  const { workers = 1 } = command;
  if (workers > 1 && command.store === "memory:")
    throw usageError("--workers needs a store that processes can share, not memory:");
  if (workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import("./workers.ts");
    return runWorkers(workers, (url) => announce(command, url));
  }
  const options = await gatewayOptions(command);
  const { store } = await openStore(command.store);
  const log = (line: LogLine) => {
    if (command.json)
      process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
    else if (command.inspect || line.level !== "info") note(lineWords(line));
  };
  const gateway = createGateway({ ...options, store, log });
  const stopped = untilStopped(async () => {
    try {
      gateway.reload(await gatewayOptions(command));
      note("the config was read again");
    } catch (error) {
      note(`the config stays as it was: ${error instanceof Error ? error.message : error}`);
    }
  });
  try {
    const url = await gateway.listen();
    if (cluster.isPrimary) await announce(command, url);
    await stopped;
  } finally {
    await gateway.close(PATIENCE_MS);
    await store.close();
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
