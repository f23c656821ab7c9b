// One model call over HTTP, as a host makes it: whole or streamed, with a limit on how long it waits.

// Not fetch, and not node:http, which loads fetch as well: that takes longer than all the rest of a host's start.
import { connect } from "node:net";
import type { Ask } from "./asks.ts";
import type { Reach } from "./points.ts";
import type { Message, Wire } from "./wire.ts";

export interface CallOptions {
  wire: Wire;
  url: string;
  ask: Ask;
  reach: Reach;
}

const PATIENCE_MS = 120_000;
const SHORT_PATIENCE_MS = 60;

/** The answer's message; throws when the provider refuses, breaks off or takes too long. */
export async function call(body: Record<string, unknown>, options: CallOptions): Promise<Message> {
  const { status, text } = readResponse(await send(JSON.stringify(body), options));
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body.stream ? options.wire.streamed(eventsOf(text)) : options.wire.whole(JSON.parse(text));
}

/** All that comes back; the provider closes the connection behind it. */
async function send(body: string, { wire, url, ask, reach }: CallOptions): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const give = () => socket.destroy(new Error("the answer takes too long"));
  const patience = setTimeout(give, ask === "stall" ? SHORT_PATIENCE_MS : PATIENCE_MS);
  const chunks: Buffer[] = [];
  try {
    socket.write(requestOf(wire.path, body));
    for await (const chunk of socket) {
      if (chunks.length === 0) reach("after-send");
      chunks.push(chunk);
      reach("inside-answer");
    }
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks);
}

function requestOf(path: string, body: string): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    "content-type: application/json",
    "anthropic-version: 2023-06-01",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function readResponse(bytes: Buffer): { status: number; text: string } {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) throw new Error("there is no answer");
  const head = bytes.toString("latin1", 0, end);
  const content = bytes.subarray(end + 4);
  const [, length] = /^content-length: (\d+)$/imu.exec(head) ?? [];
  const text = length === undefined ? joinChunks(content) : exactly(content, Number(length)).toString();
  return { status: Number(head.split(" ")[1]), text };
}

function joinChunks(content: Buffer): string {
  const chunks: Buffer[] = [];
  for (let from = 0; ; ) {
    const line = content.indexOf("\r\n", from);
    const size = Number.parseInt(content.toString("latin1", from, Math.max(line, from)), 16);
    if (size === 0) return Buffer.concat(chunks).toString();
    chunks.push(exactly(content.subarray(line + 2), size));
    from = line + 2 + size + 2;
  }
}

function exactly(content: Buffer, size: number): Buffer {
  if (!(content.length >= size)) throw new Error("the answer breaks off");
  return content.subarray(0, size);
}

function eventsOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
}
