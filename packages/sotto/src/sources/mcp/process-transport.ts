// MCP over a process's input and output, line by line, bounded: what a server writes can fill neither memory nor time.

import { type FloodGate, LONGEST_MESSAGE } from "./flood-gate.ts";
import type { JSONRPCMessage, Sdk, Transport } from "./sdk.ts";
import { type ServerCommand, type ServerProcess, startServer } from "./server-process.ts";

export interface ProcessTransport extends Transport {
  errors(): string;
  /** Why it is over. */
  problem(): string | undefined;
}

// Some servers print a greeting; one that prints a book speaks another language.
const MOST_NONSENSE = 50;
const NEWLINE = 10;

export function createProcessTransport(
  command: ServerCommand,
  { sdk, gate }: { sdk: Pick<Sdk, "deserializeMessage" | "serializeMessage">; gate: FloodGate },
): ProcessTransport {
  let server: ServerProcess | undefined;
  let problem: string | undefined;
  let isOver = false;
  const giveUp = (why: string) => {
    problem ??= why;
    server?.child.stdout.destroy();
    void server?.end();
  };

  const read = createLineReader({
    isAllowed: (bytes) => gate.bytes(bytes),
    onLine(line) {
      if (!gate.message()) return;
      const message = parse(line, sdk);
      if (message !== undefined) transport.onmessage?.(message);
      else if (++nonsense > MOST_NONSENSE) giveUp("it does not speak MCP");
    },
    onOverflow: () => giveUp(gate.problem() ?? `it sent a message of more than ${LONGEST_MESSAGE} bytes`),
  });
  let nonsense = 0;

  const transport: ProcessTransport = {
    async start() {
      server = await startServer(command);
      server.child.stdout.on("data", (chunk: Buffer) => {
        if (problem === undefined) read(chunk);
        if (gate.problem() !== undefined) giveUp(gate.problem() as string);
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

interface LineReader {
  isAllowed(bytes: number): boolean;
  onLine(line: Buffer): void;
  onOverflow(): void;
}

/** Keeps what is not a whole line yet, up to the longest that may be. */
function createLineReader({ isAllowed, onLine, onOverflow }: LineReader): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    if (!isAllowed(chunk.length)) {
      parts = [];
      return onOverflow();
    }
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]);
      parts = [];
      length = 0;
      from = end + 1;
      if (line.length > 0) onLine(line);
    }
    length += chunk.length - from;
    if (length > LONGEST_MESSAGE) {
      parts = [];
      return onOverflow();
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  };
}
