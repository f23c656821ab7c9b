// One connection to a server, from its first word to its last.

import { resolve } from "node:path";
import { errorText } from "../../platform/errors.ts";
import type { McpClock } from "../clock.ts";
import { createRedact, type Redact } from "../redact.ts";
import { createResourceShelf, type ServerResources } from "./resources.ts";
import type { Client, JsonSchemaValidator, jsonSchemaValidator, Sdk, Transport } from "./sdk.ts";
import { isRemote, type McpServer } from "./server-config.ts";
import { createToolShelf, type ServerTools } from "./tools.ts";
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
  /** Why it is over. */
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
  /** The last it wrote to stderr, also of one that never came up. */
  onErrors?(errors: string): void;
  /** Notifications that are not of MCP itself, by their method. */
  notices?: Readonly<Record<string, (params: unknown) => void>>;
  fetch?: typeof globalThis.fetch;
}

const INFO = { name: "sotto", version: "0.1.0" };
// What a tool gives is text for a model: no schema of a stranger is compiled, no pattern of theirs is run.
const unchecked: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};
const LIST_PAUSE_MS = 1000;

/** Rejects where it cannot be had within its time. */
export async function openConnection(options: LinkOptions): Promise<McpConnection> {
  const { sdk, clock, redact, signal, connectMs } = options;
  const gate = createFloodLimit(clock.now);
  let needsLogin = false;
  const transport = createTransport(options, gate, () => {
    needsLogin = true;
  });
  const errors = () => redact("errors" in transport ? transport.errors() : "");
  const over = Promise.withResolvers<string>();
  const client = new sdk.Client(INFO, { capabilities: {}, jsonSchemaValidator: unchecked });
  let isClosed = false;
  const close = async (why = "it was closed") => {
    if (isClosed) return;
    isClosed = true;
    over.resolve(("problem" in transport ? transport.problem() : undefined) ?? gate.problem() ?? why);
    options.onErrors?.(errors());
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  client.onclose = () => void close("the connection was closed");
  client.onerror = (error) => {
    if (gate.problem() !== undefined || isLost(error)) void close(failureWords(error, redact));
  };
  client.fallbackNotificationHandler = async ({ method, params }) => options.notices?.[method]?.(params);
  try {
    await client.connect(transport, { timeout: connectMs, signal });
  } catch (error) {
    await close();
    if (needsLogin) throw new LoginNeeded("it wants a login: check its headers");
    throw new Error(("problem" in transport && transport.problem()) || failureWords(error, redact));
  }
  countMessages(transport, gate, () => void close());
  const tools = createToolShelf(client, redact);
  const resources = createResourceShelf(client, redact);
  const pause = () => clock.delay(LIST_PAUSE_MS, signal);
  client.setNotificationHandler(
    "notifications/tools/list_changed",
    oneByOne(() => tools.list(), pause),
  );
  client.setNotificationHandler(
    "notifications/resources/list_changed",
    oneByOne(() => resources.list(), pause),
  );
  client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
    resources.updated(params.uri),
  );
  return { client, tools, resources, over: over.promise, errors, close };
}

function createTransport(
  { server, cwd, sdk, fetch }: LinkOptions,
  gate: FloodLimit,
  onLoginNeeded: () => void,
): Transport | ProcessTransport {
  if (isRemote(server))
    return createRemoteTransport(server, {
      sdk,
      gate,
      onLoginNeeded,
      ...(fetch === undefined ? {} : { fetch }),
    });
  const { command, args = [], env = {}, cwd: place = "." } = server;
  return createProcessTransport(
    { command, args, env: { ...sdk.getDefaultEnvironment(), ...env }, cwd: resolve(cwd, place) },
    { sdk, gate },
  );
}

/** A process's transport counts by itself; over HTTP only bytes are counted before a message is read. */
function countMessages(transport: Transport | ProcessTransport, gate: FloodLimit, end: () => void): void {
  if ("problem" in transport) return;
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (gate.message()) onmessage?.(message, extra);
    else end();
  };
}

/** Over HTTP nobody says that the connection is gone: it is noticed when the stream cannot be had again. */
function isLost(error: Error): boolean {
  return /Maximum reconnection attempts|session not found/iu.test(error.message);
}

/** However often it is asked for: once at a time, and once more behind what came meanwhile, with a pause. */
function oneByOne(run: () => Promise<void>, pause: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const work = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await run().catch(() => undefined);
      await pause();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void work();
  };
}

// What went wrong with a server, in our words: theirs may hold anything, also what we sent them.

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
  if (code === "REQUEST_TIMEOUT") return "it gave no answer in time";
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return "the connection was closed";
  const http = status ?? data?.status;
  if (typeof http === "number") return `it answered HTTP ${http}`;
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  if (error instanceof TypeError && typeof cause === "string") return `it cannot be reached: ${cause}`;
  const words = error instanceof Error ? error.message : String(error);
  // Before it is cut: of half a secret nobody could tell what it is.
  return errorText(redact(words.slice(0, LONGEST)));
}
