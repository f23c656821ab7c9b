// MCP over a process's stdin and stdout, line by line, with limits on memory and time.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { endsWithin } from "../../platform/ends-within.ts";
import { describeExit, startGroup } from "../../platform/process-group.ts";
import type { JSONRPCMessage, Sdk, Transport } from "./sdk.ts";
import { httpAddress, type RemoteServer } from "./server-settings.ts";

export interface ProcessTransport extends Transport {
  errors(): string;
  /** Why it is over. */
  problem(): string | undefined;
}

// Some servers print a greeting; one that prints more is not an MCP server.
const MOST_NONSENSE = 50;
const NEWLINE = 10;
const LINES_AT_ONCE = 50;

export function createProcessTransport(
  command: ServerCommand,
  { sdk, flood }: { sdk: Pick<Sdk, "deserializeMessage" | "serializeMessage">; flood: FloodLimit },
): ProcessTransport {
  let server: ServerProcess | undefined;
  let problem: string | undefined;
  let isOver = false;
  const giveUp = (why: string) => {
    problem ??= why;
    server?.child.stdout.destroy();
    void server?.end();
  };

  let nonsense = 0;
  const onLine = (line: Buffer) => {
    if (!flood.message()) return giveUp(flood.problem() as string);
    const message = parse(line, sdk);
    if (message !== undefined) transport.onmessage?.(message);
    else if (++nonsense > MOST_NONSENSE) giveUp("it does not speak MCP");
  };
  const lines = createLines();
  /** A few lines at a time, so that many at once do not block the thread. */
  const read = (stdout: Readable) => {
    for (let count = 0; count < LINES_AT_ONCE && problem === undefined; count++) {
      const line = lines.next();
      if (line === undefined) return void stdout.resume();
      if (line.length > 0) onLine(line);
    }
    if (problem === undefined) setImmediate(read, stdout);
  };

  const transport: ProcessTransport = {
    async start() {
      server = await startServer(command);
      const { stdout } = server.child;
      stdout.on("data", (chunk: Buffer) => {
        if (problem !== undefined) return;
        if (!flood.bytes(chunk.length)) return giveUp(flood.problem() as string);
        if (!lines.add(chunk)) return giveUp(`it sent a message of more than ${LONGEST_MESSAGE} bytes`);
        stdout.pause();
        read(stdout);
      });
      void server.ended.then((how) => {
        problem ??= how;
        if (isOver) return;
        isOver = true;
        transport.onclose?.();
      });
    },
    async send(message) {
      const input = server?.child.stdin;
      if (input === undefined || isOver || !input.writable) throw new Error(problem ?? "it has ended");
      if (!input.write(sdk.serializeMessage(message)))
        await new Promise<void>((resolve) => {
          input.once("drain", resolve);
          input.once("close", resolve);
        });
    },
    async close() {
      if (!isOver) {
        isOver = true;
        transport.onclose?.();
      }
      await server?.end();
    },
    errors: () => server?.errors() ?? "",
    problem: () => problem,
  };
  return transport;
}

function parse(line: Buffer, sdk: Pick<Sdk, "deserializeMessage">): JSONRPCMessage | undefined {
  try {
    return sdk.deserializeMessage(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

interface Lines {
  /** False once there is a line over the limit. */
  add(chunk: Buffer): boolean;
  /** The next complete line. */
  next(): Buffer | undefined;
}

function createLines(): Lines {
  /** The beginning of an incomplete line. */
  let open: Buffer[] = [];
  let length = 0;
  let chunk: Buffer = Buffer.alloc(0);
  return {
    add(more) {
      chunk = more;
      return length + chunk.length <= LONGEST_MESSAGE || chunk.includes(NEWLINE);
    },
    next() {
      const end = chunk.indexOf(NEWLINE);
      if (end === -1) {
        if (chunk.length > 0) open.push(chunk);
        length += chunk.length;
        chunk = chunk.subarray(chunk.length);
        return undefined;
      }
      const line = Buffer.concat([...open, chunk.subarray(0, end)]);
      chunk = chunk.subarray(end + 1);
      open = [];
      length = 0;
      return line;
    },
  };
}

// A local server's process, with everything that it started.

interface ServerProcess {
  child: ChildProcessWithoutNullStreams;
  /** How it ended, in words. */
  ended: Promise<string>;
  /** The end of what it wrote to stderr. */
  errors(): string;
  /** Asks it to end by closing its input, then by signals. */
  end(): Promise<void>;
}

export interface ServerCommand {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

const ERRORS_KEPT = 8 * 1024;
const GRACE_MS = 700;
const TERM_MS = 1000;
const LAST_OUTPUT_MS = 500;

async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const group = await startGroup({ ...server, leftoversMs: 0 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(whyNot(error, server), { cause: error });
  });
  const { child } = group;
  const closed = once(child, "close");
  const ended = group.ended.then(async (exit) => {
    // Its last output may still be in the pipe.
    await endsWithin(closed, LAST_OUTPUT_MS);
    return describeExit(exit);
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text.slice(-ERRORS_KEPT)).slice(-ERRORS_KEPT);
  });
  return {
    child,
    ended,
    errors: () => errors.toWellFormed(),
    async end() {
      child.stdin.end();
      if (!(await endsWithin(ended, GRACE_MS))) await group.end(TERM_MS);
    },
  };
}

function whyNot({ code, message }: NodeJS.ErrnoException, { command, cwd }: ServerCommand): string {
  if (code === "ENOENT") return `it cannot be started: there is no ${command}, or no directory ${cwd}`;
  return `it cannot be started: ${code ?? message}`;
}

// MCP over HTTP, bounded; notices servers that require a login.

export interface RemoteOptions {
  sdk: Sdk;
  flood: FloodLimit;
  /** The server refused access. */
  onLoginNeeded(): void;
  fetch?: typeof globalThis.fetch;
}

/** Throws if the address is invalid. */
export function createRemoteTransport(
  { type, url, headers = {} }: RemoteServer,
  { sdk, flood, onLoginNeeded, fetch = globalThis.fetch }: RemoteOptions,
): Transport {
  const address = httpAddress(url);
  if (address === undefined) throw new Error("its url is not an http address");
  const bounded: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (response.status === 401 || response.status === 403) onLoginNeeded();
    return withFloodLimit(response, flood);
  };
  const options = { requestInit: { headers }, fetch: bounded };
  return type === "sse"
    ? new sdk.SSEClientTransport(address, options)
    : (new sdk.StreamableHTTPClientTransport(address, options) as Transport);
}

function withFloodLimit(response: Response, flood: FloodLimit): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  // An event stream lasts as long as the connection; anything else is one message.
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  let left = isStream ? Number.POSITIVE_INFINITY : LONGEST_MESSAGE;
  const metered = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.length;
        if (left < 0) controller.error(new Error(`it sent a message of more than ${LONGEST_MESSAGE} bytes`));
        else if (flood.bytes(chunk.length)) controller.enqueue(chunk);
        else controller.error(new Error(flood.problem()));
      },
    }),
  );
  return new Response(metered, { status, statusText, headers });
}

// How much a server may send: bursts are fine, a flood is not. Exceeding it ends the connection, not this process.

export interface FloodLimit {
  /** Counts received bytes; false once there are too many. */
  bytes(count: number): boolean;
  message(): boolean;
  /** Which limit was exceeded. */
  problem(): string | undefined;
}

export interface FloodLimits {
  /** In a burst. */
  bytes: number;
  messages: number;
  /** Sustained. */
  bytesPerSecond: number;
  messagesPerSecond: number;
}

export const FLOOD_LIMITS: FloodLimits = {
  // Enough for a large resource or two.
  bytes: 16 * 1024 * 1024,
  bytesPerSecond: 1024 * 1024,
  messages: 2000,
  messagesPerSecond: 200,
};

/** The most bytes of one message, as parsing it blocks the thread. */
export const LONGEST_MESSAGE = 4 * 1024 * 1024;

export function createFloodLimit(now: () => number, limits: FloodLimits = FLOOD_LIMITS): FloodLimit {
  let problem: string | undefined;
  let bytesLeft = limits.bytes;
  let messagesLeft = limits.messages;
  let at = now();
  const refill = () => {
    const seconds = Math.max(0, now() - at) / 1000;
    at = now();
    bytesLeft = Math.min(limits.bytes, bytesLeft + seconds * limits.bytesPerSecond);
    messagesLeft = Math.min(limits.messages, messagesLeft + seconds * limits.messagesPerSecond);
  };
  return {
    bytes(count) {
      refill();
      bytesLeft -= count;
      if (bytesLeft < 0) problem ??= `it sent more than ${Math.round(limits.bytes / 1024 / 1024)} MB at once`;
      return problem === undefined;
    },
    message() {
      refill();
      messagesLeft -= 1;
      if (messagesLeft < 0) problem ??= `it sent more than ${limits.messages} messages at once`;
      return problem === undefined;
    },
    problem: () => problem,
  };
}
