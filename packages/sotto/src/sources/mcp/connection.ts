// One connection to a server, from start to end.

import { resolve } from "node:path";
import { errorText } from "../../platform/errors.ts";
import type { McpClock } from "../clock.ts";
import { createRedact, type Redact } from "../redact.ts";
import { createServerResources, type ServerResources } from "./resources.ts";
import type { Client, JsonSchemaValidator, jsonSchemaValidator, Sdk, Transport } from "./sdk.ts";
import { isRemote, type McpServer } from "./server-settings.ts";
import { createServerTools, type ServerTools } from "./tools.ts";
import {
  createFloodLimit,
  createProcessTransport,
  createRemoteTransport,
  type FloodLimit,
  type ProcessTransport,
} from "./transports.ts";

export interface McpConnection {
  client: Client;
  tools: ServerTools;
  resources: ServerResources;
  /** Asks for all lists. One that fails leaves the rest usable. */
  list(): Promise<unknown>;
  /** What the server has and is not offered, and why. */
  leftOut(): readonly string[];
  /** Resolves with the reason when it is over. */
  over: Promise<string>;
  errors(): string;
  close(why?: string): Promise<void>;
}

export class LoginNeeded extends Error {}

export interface LinkOptions {
  server: McpServer;
  cwd: string;
  redact: Redact;
  sdk: Sdk;
  clock: McpClock;
  connectMs: number;
  signal: AbortSignal;
  /** The end of its stderr, even if it never started properly. */
  onErrors?(errors: string): void;
  /** Handlers for notifications outside of MCP itself, by method. */
  notices?: Readonly<Record<string, (params: unknown) => void>>;
  fetch?: typeof globalThis.fetch;
}

const INFO = { name: "sotto", version: "0.1.0" };
// The output of a tool is text for a model: no schema of a server is compiled, and none of its patterns is run.
const unchecked: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
const LIST_PAUSE_MS = 1000;

/** Rejects if it cannot be established in time. */
export async function openConnection(options: LinkOptions): Promise<McpConnection> {
  const { sdk, clock, redact, signal, connectMs } = options;
  const flood = createFloodLimit(clock.now);
  let needsLogin = false;
  const transport = createTransport(options, flood, () => {
    needsLogin = true;
  });
  const errors = () => redact("errors" in transport ? transport.errors() : "");
  const over = Promise.withResolvers<string>();
  const client = new sdk.Client(INFO, { capabilities: {}, jsonSchemaValidator: unchecked });
  let isClosed = false;
  const close = async (why = "it was closed") => {
    if (isClosed) return;
    isClosed = true;
    over.resolve(("problem" in transport ? transport.problem() : undefined) ?? flood.problem() ?? why);
    options.onErrors?.(errors());
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  client.onclose = () => void close("the connection was closed");
  client.onerror = (error) => {
    if (flood.problem() !== undefined || isLost(error)) void close(failureWords(error, redact));
  };
  client.fallbackNotificationHandler = async ({ method, params }) => options.notices?.[method]?.(params);
  try {
    await client.connect(transport, { timeout: connectMs, signal });
  } catch (error) {
    await close();
    if (needsLogin) throw new LoginNeeded("it requires a login: check its headers");
    throw new Error(("problem" in transport && transport.problem()) || failureWords(error, redact));
  }
  countMessages(transport, flood, () => void close());
  const tools = createServerTools(client, redact);
  const resources = createServerResources(client, redact);
  const unlisted = new Map<string, string>();
  const listOf =
    (kind: string, { list }: { list(): Promise<void> }) =>
    async () => {
      await list().then(
        () => unlisted.delete(kind),
        (error) => unlisted.set(kind, `its ${kind} could not be listed: ${failureWords(error, redact)}`),
      );
    };
  const listTools = listOf("tools", tools);
  const listResources = listOf("resources", resources);
  const pause = () => clock.delay(LIST_PAUSE_MS, signal);
  client.setNotificationHandler("notifications/tools/list_changed", oneByOne(listTools, pause));
  client.setNotificationHandler("notifications/resources/list_changed", oneByOne(listResources, pause));
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    resources.updated(params.uri),
  );
  return {
    ...{ client, tools, resources, over: over.promise, errors, close },
    list: () => Promise.all([listTools(), listResources()]),
    leftOut: () => [...unlisted.values(), ...tools.leftOut()],
  };
}

function createTransport(
  { server, cwd, sdk, fetch }: LinkOptions,
  flood: FloodLimit,
  onLoginNeeded: () => void,
): Transport | ProcessTransport {
  if (isRemote(server))
    return createRemoteTransport(server, {
      sdk,
      flood,
      onLoginNeeded,
      ...(fetch === undefined ? {} : { fetch }),
    });
  const { command, args = [], env = {}, cwd: place = "." } = server;
  return createProcessTransport(
    { command, args, env: { ...sdk.getDefaultEnvironment(), ...env }, cwd: resolve(cwd, place) },
    { sdk, flood },
  );
}

/** A process's transport counts by itself; over HTTP only bytes are counted before a message is parsed. */
function countMessages(transport: Transport | ProcessTransport, flood: FloodLimit, end: () => void): void {
  if ("problem" in transport) return;
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (flood.message()) onmessage?.(message, extra);
    else end();
  };
}

/** HTTP does not report a lost connection: it is noticed when the stream cannot be reopened. */
function isLost(error: Error): boolean {
  return /Maximum reconnection attempts|session not found/iu.test(error.message);
}

/** However often it is called: one run at a time, and one more after a pause for calls meanwhile. */
function oneByOne(run: () => Promise<void>, pause: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const work = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await run();
      await pause();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void work();
  };
}

// Describes failures of a server in our own words: its words may contain anything, including what we sent.

const HIDDEN = "[secret]";
// Far more than is shown of an error.
const LONGEST = 100_000;

export function createRedactor(secrets: readonly string[]): Redact {
  return createRedact(secrets.map((value) => ({ value, shown: HIDDEN })));
}

/** For a trace and for `state()`: one line, bounded, without secrets. */
export function failureWords(error: unknown, redact: Redact): string {
  const { code, status, data } = (error ?? {}) as {
    code?: unknown;
    status?: unknown;
    data?: { status?: unknown };
  };
  if (code === "REQUEST_TIMEOUT") return "it did not answer in time";
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return "the connection was closed";
  const http = status ?? data?.status;
  if (typeof http === "number") return `it answered HTTP ${http}`;
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  if (error instanceof TypeError && typeof cause === "string") return `it cannot be reached: ${cause}`;
  const words = error instanceof Error ? error.message : String(error);
  // Before it is cut: half a secret could not be recognised.
  return errorText(redact(words.slice(0, LONGEST)));
}
