// Keeps a server connected: reconnects with growing pauses when it fails.

import { backOff, type McpClock } from "../clock.ts";
import {
  createRedactor,
  failureWords,
  LoginNeeded,
  type McpConnection,
  openConnection,
} from "./connection.ts";
import type { ReadResource } from "./resources.ts";
import type { CallToolResult, Sdk } from "./sdk.ts";
import type { McpServer } from "./server-settings.ts";
import { type Environment, expandServer } from "./server-settings.ts";
import type { ServerTool } from "./tools.ts";

/** The states a server's connection can be in. */
export type McpStatus = "connecting" | "connected" | "restarting" | "needs login" | "failed" | "closed";

/** The state of one server's connection. */
export interface McpServerState {
  name: string;
  status: McpStatus;
  /** The current or the last problem. */
  problem?: string;
  tools: number;
  resources: number;
  /** What it has and is not offered, and why: tools with a wrong name, lists that could not be read. */
  leftOut?: readonly string[];
  /** The end of its stderr. */
  errors?: string;
}

export interface Connection {
  readonly name: string;
  state(): McpServerState;
  tools(): readonly ServerTool[];
  /** It is connected, or has failed for the first time. */
  settled: Promise<void>;
  /** Rejects at once if the server is down; waits if it is starting. */
  read(uri: string, signal: AbortSignal): Promise<ReadResource>;
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  redact(text: string): string;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  name: string;
  server: McpServer;
  cwd: string;
  environment: Environment;
  clock: McpClock;
  connectMs: number;
  load(): Promise<Sdk>;
  fetch?: typeof globalThis.fetch;
}

// After a connection of this length the next pause is short again.
const WELL_MS = 60_000;

export function createConnection(options: ConnectionOptions): Connection {
  const { name, clock, connectMs, load, cwd } = options;
  const expanded = expandServer(options.server, options.environment);
  const redact = createRedactor("secrets" in expanded ? expanded.secrets : []);
  const ending = new AbortController();
  const { signal } = ending;
  let status: McpStatus = "connecting";
  let problem: string | undefined;
  let errors = "";
  let link: McpConnection | undefined;
  let coming = Promise.withResolvers<void>();
  const settled = coming.promise;

  const become = (now: McpStatus, why?: string) => {
    status = now;
    problem = why ?? (now === "connecting" ? problem : undefined);
    if (now === "connecting") coming = Promise.withResolvers<void>();
    else coming.resolve();
  };

  /** Until the connection is over. */
  const hold = async (server: McpServer) => {
    link = await openConnection({
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      server,
      cwd,
      redact,
      clock,
      connectMs,
      signal,
      sdk: await load(),
      onErrors: (text) => {
        if (text !== "") errors = text;
      },
    });
    // A list that never comes must not block for long.
    await Promise.race([link.over, link.list()]);
    if (!signal.aborted) become("connected");
    const why = await link.over;
    link = undefined;
    return why;
  };

  const live = async () => {
    if ("missing" in expanded) return become("failed", expanded.missing);
    for (let failures = 0; !signal.aborted; ) {
      const from = clock.now();
      try {
        problem = await hold(expanded.server);
      } catch (error) {
        if (error instanceof LoginNeeded) return become("needs login", error.message);
        problem = failureWords(error, redact);
        if (/npm install/u.test(problem)) return become("failed", problem);
      }
      if (signal.aborted) break;
      failures = clock.now() - from >= WELL_MS ? 1 : failures + 1;
      become("restarting", problem);
      await clock.delay(backOff(failures, clock), signal);
      if (!signal.aborted) become("connecting");
    }
  };
  const life = live();

  const linked = async (until: AbortSignal): Promise<McpConnection> => {
    if (status === "connecting") await Promise.race([coming.promise, aborted(until)]);
    if (status === "connected" && link !== undefined) return link;
    throw new Error(
      `the MCP server ${name} ${describeStatus(status)}${problem === undefined ? "" : `: ${problem}`}`,
    );
  };

  return {
    name,
    settled,
    redact,
    state: () => {
      const now = link?.errors() || errors;
      const leftOut = link?.leftOut() ?? [];
      return {
        name,
        status,
        tools: link?.tools.tools().length ?? 0,
        resources: link?.resources.count() ?? 0,
        ...(problem === undefined ? {} : { problem }),
        ...(leftOut.length === 0 ? {} : { leftOut }),
        ...(now === "" ? {} : { errors: now }),
      };
    },
    tools: () => (status === "connected" ? (link?.tools.tools() ?? []) : []),
    async read(uri, until) {
      const { resources } = await linked(until);
      return resources.read(uri, until).catch((error: unknown) => {
        throw new Error(`the MCP server ${name}: ${failureWords(error, redact)}`);
      });
    },
    async call(tool, input, until) {
      const { tools } = await linked(until);
      return tools.call(tool, input, until).catch((error: unknown) => {
        throw new Error(`the MCP server ${name}: ${failureWords(error, redact)}`);
      });
    },
    async close() {
      ending.abort();
      await link?.close();
      await life;
      become("closed");
    },
  };
}

function describeStatus(status: McpStatus): string {
  if (status === "restarting") return "is down, and will be retried";
  if (status === "needs login") return "needs a login";
  return `is not connected (${status})`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
