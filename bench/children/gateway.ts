// One server of the gateway's bench: the upstream, a bare pass-through, or the gateway. Tells its address.

import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { createSqliteStore } from "sotto";
import { createPostgresStore } from "sotto/postgres";
import { createGateway } from "sotto-gateway";
import "./resources.ts";

export type ServerKind = "upstream" | "pass-through" | "gateway";

/** Events of a streamed answer, and the time between two. */
const EVENTS = 30;
const EVERY_MS = 4;

const [kind = "", upstreamUrl = "", storeAt = ""] = process.argv.slice(2);
process.send?.({ url: await start(kind as ServerKind) });

async function start(one: ServerKind): Promise<string> {
  if (one === "gateway") return startGateway();
  return listen(one === "upstream" ? answer : passOn());
}

function listen(handle: http.RequestListener): Promise<string> {
  const server = http.createServer({ noDelay: true }, handle);
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  );
}

/** Says how many bytes it got, or streams. */
function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  let length = 0;
  let end = "";
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    end = chunk.toString("latin1", Math.max(0, chunk.length - 100));
  });
  request.on("end", () => {
    const usage = { input_tokens: Math.round(length / 4), output_tokens: 5 };
    const message = { id: "msg", type: "message", role: "assistant", model: "claude-bench", usage, length };
    if (end.includes('"stream":true')) return void stream(response);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...message, content: [{ type: "text", text: "Yes." }] }));
  });
}

/** Each event says when it was sent, by the clock that all processes of a machine share. */
async function stream(response: http.ServerResponse): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  const send = (event: { type: string; [field: string]: unknown }) =>
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  for (let index = 0; index < EVENTS; index++) {
    await pause(EVERY_MS);
    const text = `sent at ${process.hrtime.bigint()} ns`;
    send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  }
  send({ type: "message_stop" });
  response.end();
}

/** As short as it can be written. */
function passOn(): http.RequestListener {
  const agent = new http.Agent({ keepAlive: true });
  const to = new URL(upstreamUrl);
  return (request, response) => {
    const { method, url: path, headers } = request;
    const call = http.request(
      { agent, host: to.hostname, port: to.port, method, path, headers: { ...headers, host: to.host } },
      (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      },
    );
    request.pipe(call);
  };
}

async function startGateway(): Promise<string> {
  const gateway = createGateway({
    port: 0,
    store: storeAt.startsWith("postgres:")
      ? createPostgresStore({ connectionString: storeAt })
      : createSqliteStore({ path: storeAt }),
    upstreams: { anthropic: { url: upstreamUrl } },
    session: { home: tmpdir(), configFiles: { read: false }, config: { timeout_ms: 60_000 } },
    limits: { remindMs: 60_000 },
    modelFacts: () => ({ window: 200_000, costOf: () => 0.01 }),
  });
  return gateway.listen();
}
