// MCP over a process's input and output, line by line, bounded: what a server writes can fill neither memory nor time.

import type { Readable } from "node:stream";
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
const LINES_AT_ONCE = 50;

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

  let nonsense = 0;
  const onLine = (line: Buffer) => {
    if (!gate.message()) return giveUp(gate.problem() as string);
    const message = parse(line, sdk);
    if (message !== undefined) transport.onmessage?.(message);
    else if (++nonsense > MOST_NONSENSE) giveUp("it does not speak MCP");
  };
  const lines = createLines();
  /** Some lines at a time: what is said at once does not hold the thread. */
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
        if (!gate.bytes(chunk.length)) return giveUp(gate.problem() as string);
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
  /** False once there is a line that is longer than any may be. */
  add(chunk: Buffer): boolean;
  /** The next whole line. */
  next(): Buffer | undefined;
}

function createLines(): Lines {
  /** The beginning of a line whose end has not come yet. */
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
