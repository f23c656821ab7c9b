// The rehearsal's HTTP: a server on 127.0.0.1, and one request to the model with the ways to answer it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { asError, MODEL } from "./answer.ts";

export interface Exchange {
  /** The body as it came. */
  readonly raw: Buffer;
  /** Resolves when whoever asked has gone. */
  readonly left: Promise<void>;
  hasLeft(): boolean;
  send(status: number, body: object, headers?: Record<string, string>): void;
  stream(events: readonly string[]): void;
  /** Sends a part of it, and breaks the connection. */
  cut(contentType: string, part: string): Promise<void>;
}

export interface Serving {
  /** The base of all paths. */
  url: string;
  close(): Promise<void>;
}

export async function serve(answer: (exchange: Exchange) => Promise<void>): Promise<Serving> {
  const open = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = route(request, response, answer).finally(() => open.delete(work));
    open.add(work);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, ...open]);
    },
  };
}

/** Never rejects: an answer that fails is an error of the server. */
async function route(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  try {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const what = `${request.method} ${pathname}`;
    if (what === "POST /v1/messages") return await answer(await exchangeOf(request, response));
    const self = { type: "model", id: MODEL, display_name: "Rehearsal: plays a script, no model" };
    if (what === "GET /v1/models") return send(response, 200, { data: [self], has_more: false });
    if (what === `GET /v1/models/${MODEL}`) return send(response, 200, self);
    send(response, 404, asError(404, `This is a rehearsal: it has no ${what}, only POST /v1/messages.`));
  } catch (error) {
    if (response.headersSent) response.destroy();
    else send(response, 500, asError(500, `The rehearsal failed: ${(error as Error).message}`));
  }
}

async function exchangeOf(request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  let gone = false;
  const left = new Promise<void>((resolve) => {
    response.once("close", () => {
      gone = true;
      resolve();
    });
  });
  return {
    raw: await readAll(request),
    left,
    hasLeft: () => gone,
    send: (status, body, headers) => send(response, status, body, headers),
    stream(events) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      for (const event of events) response.write(event);
      response.end();
    },
    async cut(contentType, part) {
      response.writeHead(200, { "content-type": contentType });
      // What is not flushed would never be seen.
      await new Promise((resolve) => response.write(part, resolve));
      response.destroy();
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers?: Record<string, string>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
