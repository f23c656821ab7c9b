// One server of the gateway's bench: the upstream, a bare pass-through, or the gateway. Tells its address, and on every
// message how much time of the processor it has used.

import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createSqliteStore } from "sotto";
import { createGateway } from "sotto-gateway";

export type ServerKind = "upstream" | "pass-through" | "gateway";

const [kind = "", upstreamUrl = ""] = process.argv.slice(2);
process.once("disconnect", () => process.exit(0));
process.send?.({ url: await start(kind as ServerKind) });
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000 });
});

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

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
  });
  request.on("end", () => {
    const usage = { input_tokens: Math.round(length / 4), output_tokens: 5 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "msg", model: "claude-bench", usage, length }));
  });
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
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-gateway-"));
  process.once("exit", () => rmSync(directory, { recursive: true }));
  const gateway = createGateway({
    port: 0,
    store: createSqliteStore({ path: join(directory, "sotto.db") }),
    upstreams: { anthropic: { url: upstreamUrl } },
    session: { home: directory, configFiles: { read: false }, config: { timeout_ms: 60_000 } },
    limits: { remindMs: 60_000 },
    modelFacts: () => ({ window: 200_000, costOf: () => 0.01 }),
  });
  return gateway.listen();
}
