// Writes an answer to its connection, whole or cut off at a named point.
import { once } from "node:events";
import type { ServerResponse } from "node:http";

export type Cut = "before-headers" | "after-first-event" | "mid-stream";

type Sent = {
  status: number;
  parts: string[];
  stream?: boolean;
  cut?: Cut;
  headers?: Record<string, string>;
};

export async function send(
  response: ServerResponse,
  { status, parts, stream, cut, headers }: Sent,
): Promise<void> {
  if (cut === "before-headers") return void response.destroy();
  const whole = parts.join("");
  const type = stream
    ? { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }
    : { "content-type": "application/json", "content-length": Buffer.byteLength(whole) };
  response.writeHead(status, { ...type, "request-id": "req_loopback", ...headers });
  if (!cut) {
    for (const part of parts) await write(response, part);
    response.end();
    return;
  }
  // An answer in one piece has no events: it breaks off in the middle of that piece.
  const kept = stream
    ? parts.slice(0, cut === "mid-stream" ? Math.ceil(parts.length / 2) : 1)
    : [whole.slice(0, whole.length / 2)];
  await new Promise<void>((resolve) => response.write(kept.join(""), () => resolve()));
  response.destroy();
}

async function write(response: ServerResponse, part: string): Promise<void> {
  if (response.destroyed || response.write(part)) return;
  // The client may leave before it has read all; then there is nothing to wait for.
  await Promise.race([once(response, "drain"), once(response, "close")]).catch(() => {});
}
