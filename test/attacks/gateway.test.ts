// Requests that try to use the gateway for something else: from web pages, from other machines, with broken HTTP.

import { createHash } from "node:crypto";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import net, { type AddressInfo } from "node:net";
import zlib from "node:zlib";
import { createMemoryStore } from "sotto";
import { createGateway, type GatewayOptions, type LogLine } from "sotto-gateway";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const body = JSON.stringify({ model: "m", max_tokens: 5, messages: [{ role: "user", content: "hi" }] });
const token = "correct horse battery staple";
const hash = createHash("sha256").update(token).digest("hex");
const critical = "Only for those who may ask.";

/** What the upstream got, raw. */
const got: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
const upstream = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  got.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() });
  response.end("{}");
});
const lines: LogLine[] = [];
const store = createMemoryStore();
let port = 0;
let guarded = 0;
let closeAll = async () => {};

beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/base`;
  const options: GatewayOptions = {
    port: 0,
    store,
    upstreams: { anthropic: { url, dialect: "anthropic" } },
    limits: {
      headers: 16 * 1024,
      headersMs: 300,
      requestMs: 2000,
      body: 1 << 20,
      connections: 50,
      remindMs: 60_000,
    },
    session: {
      home: "/nonexistent",
      configFiles: { read: false },
      config: { critical_instruction: critical, timeout_ms: 30_000 },
    },
    log: (line) => lines.push(line),
  };
  const open = createGateway(options);
  const closed = createGateway({ ...options, tokens: { ci: hash, other: "a".repeat(64) } });
  port = Number(new URL(await open.listen()).port);
  guarded = Number(new URL(await closed.listen()).port);
  closeAll = async () => {
    await Promise.all([open.close(0), closed.close(0)]);
    upstream.closeAllConnections();
    upstream.close();
  };
});
afterAll(() => closeAll());

/** Bytes to the gateway, and all that it answers. */
async function raw(text: string | Buffer, to = port): Promise<string> {
  const socket = net.connect(to, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    answer += chunk;
  });
  socket.on("error", () => undefined);
  socket.write(text);
  await once(socket, "close");
  return answer;
}

const request = (lines: string[], content = "") =>
  `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n${content}`;
const post = (headers: string[], path = "/anthropic/v1/messages", content = body) =>
  request([`POST ${path} HTTP/1.1`, ...headers, `Content-Length: ${Buffer.byteLength(content)}`], content);
const local = () => `Host: 127.0.0.1:${port}`;
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1] ?? 0);

async function reachesNobody(answer: () => Promise<string>): Promise<number> {
  const before = got.length;
  const status = statusOf(await answer());
  expect(got.length).toBe(before);
  return status;
}

describe("AC-60 refused by the gateway", () => {
  it("a name that merely points here, as after DNS rebinding", async () => {
    expect(await reachesNobody(() => raw(post(["Host: evil.example"])))).toBe(421);
    expect(await reachesNobody(() => raw(post(["Host: 127.0.0.1.evil.example"])))).toBe(421);
    expect(await reachesNobody(() => raw(post(["Host: localhost@evil.example"])))).toBe(421);
  });

  it("a web page that posts to it, simple or with a preflight", async () => {
    expect(
      await reachesNobody(() =>
        raw(post([local(), "Origin: https://evil.example", "Content-Type: text/plain"])),
      ),
    ).toBe(403);
    expect(await reachesNobody(() => raw(post([local(), "Origin: null"])))).toBe(403);
    expect(await reachesNobody(() => raw(post([local(), "Origin: http://localhost:3000"])))).toBe(403);
    expect(await reachesNobody(() => raw(post([local(), "Sec-Fetch-Site: cross-site"])))).toBe(403);
    const preflight = await raw(
      request(["OPTIONS /anthropic/v1/messages HTTP/1.1", local(), "Origin: https://evil.example"]),
    );
    expect(statusOf(preflight)).toBe(403);
    expect(preflight.toLowerCase()).not.toContain("access-control");
  });

  it("two lengths: Content-Length beside Transfer-Encoding", async () => {
    const smuggled = request(
      ["POST /anthropic/v1/messages HTTP/1.1", local(), "Content-Length: 6", "Transfer-Encoding: chunked"],
      "0\r\n\r\nGET /anthropic/admin HTTP/1.1\r\n\r\n",
    );
    expect(await reachesNobody(() => raw(smuggled))).toBe(400);
  });

  it("two lengths that differ, an odd length, an odd encoding", async () => {
    for (const header of [
      "Content-Length: 5\r\nContent-Length: 6",
      "Content-Length: +5",
      "Transfer-Encoding: xchunked",
      "Transfer-Encoding : chunked",
    ])
      expect(
        await reachesNobody(() =>
          raw(request(["POST /anthropic/v1/messages HTTP/1.1", local(), header], "{}{}{}")),
        ),
      ).toBe(400);
  });

  it("two names, and codings that it would not undo", async () => {
    expect(await reachesNobody(() => raw(post([local(), "host: evil.example"])))).toBe(400);
    expect(await reachesNobody(() => raw(post([local(), local()])))).toBe(400);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const coded = (coding: string, path = "/anthropic/v1/messages") =>
      raw(request([`POST ${path} HTTP/1.1`, local(), `Transfer-Encoding: ${coding}`], chunked));
    for (const coding of ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "deflate, chunked"])
      for (const path of ["/anthropic/v1/messages", "/anthropic/v1/files"])
        expect(await reachesNobody(() => coded(coding, path))).toBe(400);
    expect(statusOf(await coded("Chunked"))).toBe(200);
  });

  it("an address of somewhere else in the request line", async () => {
    expect(
      await reachesNobody(() =>
        raw(request(["GET http://169.254.169.254/latest/meta-data HTTP/1.1", local()])),
      ),
    ).toBe(400);
    expect(await reachesNobody(() => raw(request(["GET //evil.example/x HTTP/1.1", local()])))).toBe(400);
  });

  it("CONNECT, as to an open proxy", async () => {
    const answer = await raw(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`);
    expect(statusOf(answer)).toBe(405);
  });

  it.each(["websocket", "WebSocket", "h2c, websocket"])("websockets (%s)", async (protocol) => {
    const answer = await raw(
      `GET /anthropic/v1/responses HTTP/1.1\r\n${local()}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    expect(statusOf(answer)).toBe(426);
    expect(answer).toContain("websockets are not supported");
  });

  it.each([
    ...[
      "/anthropic/../admin",
      "/anthropic/%2e%2e/admin",
      "/anthropic/%252e%252e%252fadmin",
      "/anthropic/..%2fadmin",
    ],
    ...[
      "/anthropic/.%2E/admin",
      "/anthropic/v1\\..\\admin",
      "/anthropic//evil.example/v1",
      "/anthropic/v1/%0d%0aX: y",
      "/anthropic/%5c..%5cadmin",
    ],
  ])("a path out of the upstream's: %s", async (path) => {
    expect(await reachesNobody(() => raw(post([local()], path)))).toBe(400);
  });

  it("upstreams that nobody configured", async () => {
    for (const path of ["/evil/v1/messages", "/constructor/v1", "/__proto__/v1", "/169.254.169.254/"])
      expect(await reachesNobody(() => raw(post([local()], path)))).toBe(404);
  });

  it("line ends in header values", async () => {
    const answer = await reachesNobody(() => raw(post([local(), "X-A: one\nX-B: two\0"])));
    expect(answer).toBe(400);
  });

  it("headers that are too large", async () => {
    expect(await reachesNobody(() => raw(post([local(), `X-Long: ${"x".repeat(20_000)}`])))).toBe(431);
  });

  it("a body that is too large, said or not", async () => {
    expect(
      await reachesNobody(() =>
        raw(request(["POST /anthropic/v1/messages HTTP/1.1", local(), "Content-Length: 99999999"])),
      ),
    ).toBe(413);
    const chunk = `${(1 << 16).toString(16)}\r\n${"x".repeat(1 << 16)}\r\n`;
    const chunked = request(
      ["POST /anthropic/v1/messages HTTP/1.1", local(), "Transfer-Encoding: chunked"],
      chunk.repeat(40),
    );
    expect(await reachesNobody(() => raw(chunked))).toBe(413);
  });

  it("clients that never finish their headers or their body", async () => {
    const [head, half] = await Promise.all([
      raw(`POST /anthropic/v1/messages HTTP/1.1\r\n${local()}\r\nX-Slow: `),
      raw(`POST /anthropic/v1/messages HTTP/1.1\r\n${local()}\r\nContent-Length: 100\r\n\r\n{`),
    ]);
    expect(statusOf(head)).toBe(408);
    expect([0, 408]).toContain(statusOf(half));
  });

  it("no token, a wrong one, one in the wrong place, its hash", async () => {
    const ask = (headers: string[]) => raw(post([`Host: 127.0.0.1:${guarded}`, ...headers]), guarded);
    for (const headers of [
      [],
      ["X-Sotto-Token: guess"],
      [`Authorization: Bearer ${token}`],
      [`X-Sotto-Token: ${hash}`],
      ["X-Sotto-Token: "],
      [`X-Sotto-Token: ${token}x`],
    ])
      expect(await reachesNobody(() => ask(headers))).toBe(401);
    const before = got.length;
    expect(statusOf(await ask([`X-Sotto-Token: ${token}`]))).toBe(200);
    expect(got.length).toBe(before + 1);
    expect(got.at(-1)?.headers["x-sotto-token"]).toBeUndefined();
    expect(
      statusOf(await raw(request(["GET /metrics HTTP/1.1", `Host: 127.0.0.1:${guarded}`]), guarded)),
    ).toBe(401);
    expect(
      statusOf(await raw(request(["GET /healthz HTTP/1.1", `Host: 127.0.0.1:${guarded}`]), guarded)),
    ).toBe(200);
  });

  it("another client's session", async () => {
    const mine = [`Host: 127.0.0.1:${guarded}`, `X-Sotto-Token: ${token}`];
    await raw(post([local(), "X-Sotto-Session: private"]));
    await raw(post([...mine, "X-Sotto-Session: private"]), guarded);
    const names = (await store.sessions()).map(({ id }) => id);
    expect(names).toContain("gateway/private");
    expect(names).toContain("gateway/@ci/private");
    const look = (name: string) =>
      raw(request([`GET /sotto/v1/sessions/${encodeURIComponent(name)}/explain HTTP/1.1`, ...mine]), guarded);
    expect(statusOf(await look("gateway/private"))).toBe(404);
    expect(statusOf(await look("gateway/@other/private"))).toBe(404);
    expect(statusOf(await look("gateway/@ci/../private"))).toBe(404);
    expect(statusOf(await look("gateway/@ci/private"))).toBe(200);
  });

  it("events for sessions that there are not, of unknown types, as another content type", async () => {
    const tell = (name: string, events: unknown, type = "application/json") => {
      const content = JSON.stringify({ events });
      return raw(
        post(
          [local(), `Content-Type: ${type}`],
          `/sotto/v1/sessions/${encodeURIComponent(name)}/events`,
          content,
        ),
      ).then(statusOf);
    };
    const event = { type: "prompt_queued", id: "q", prompt: "x" };
    await raw(post([local(), "X-Sotto-Session: known"]));
    expect(await tell("gateway/unknown", [{ id: "1", event }])).toBe(404);
    expect(await tell("other/session", [{ id: "1", event }])).toBe(404);
    expect(await tell("gateway/known", [{ id: "1", event: { type: "config_from_nowhere" } }])).toBe(400);
    expect(await tell("gateway/known", [{ id: "", event }])).toBe(400);
    expect(await tell("gateway/known", [{ id: "1", event }], "text/plain")).toBe(415);
    expect(await tell("gateway/known", [{ id: "1", event }])).toBe(200);
  });
});

describe("AC-60 harmless to the gateway", () => {
  it("compressed bombs: they go on as they came, and are not unpacked", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(200 * 2 ** 20));
    const before = process.memoryUsage().rss;
    const head = [
      "POST /anthropic/v1/messages HTTP/1.1",
      local(),
      "Content-Encoding: gzip",
      `Content-Length: ${bomb.length}`,
    ];
    expect(statusOf(await raw(Buffer.concat([Buffer.from(request(head)), bomb])))).toBe(200);
    expect(got.at(-1)?.headers["content-encoding"]).toBe("gzip");
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
  });

  it("JSON nested too deep, __proto__, fields twice", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const odd of [
      `{"messages":${deep}}`,
      '{"__proto__":{"polluted":1},"messages":[{"role":"user","content":"hi"}]}',
      '{"messages":[],"messages":[{"role":"user","content":"hi"}]}',
    ])
      expect(statusOf(await raw(post([local()], "/anthropic/v1/messages", odd)))).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(got.at(-2)?.body).toContain('"__proto__":{"polluted":1}');
  });

  it("names of sessions that look like paths, options or other sessions", async () => {
    for (const name of ["../../etc/passwd", "~gateway/head/x", "a".repeat(1900), "@ci/private", "x%00y"])
      expect(statusOf(await raw(post([local(), `X-Sotto-Session: ${name}`])))).toBe(200);
    const names = (await store.sessions()).map(({ id }) => id);
    expect(names.filter((name) => !name.startsWith("gateway/"))).toEqual([]);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThan(250);
  });

  it("prompts that mention files: without a workspace none is read", async () => {
    const content = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "Look at @/etc/passwd and @package.json." }],
    });
    await raw(post([local(), "X-Sotto-Workspace: /"], "/anthropic/v1/messages", content));
    expect(got.at(-1)?.body).not.toContain("root:");
    expect(got.at(-1)?.body).not.toContain("devDependencies");
  });

  it("keys: they reach the upstream, and neither the log, the metrics nor the store", async () => {
    const secret = "sk-ant-very-secret-7";
    await raw(
      post(
        [local(), `X-Api-Key: ${secret}`, `Authorization: Bearer ${secret}`, "X-Sotto-Session: keyed"],
        `/anthropic/v1/messages?key=${secret}`,
      ),
    );
    expect(got.at(-1)?.headers["x-api-key"]).toBe(secret);
    expect(got.at(-1)?.url).toBe(`/base/v1/messages?key=${secret}`);
    await raw(post([local()], `/nowhere/${secret.length}?key=${secret}`));
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(await raw(request(["GET /metrics HTTP/1.1", local()]))).not.toContain(secret);
    expect(JSON.stringify(await store.read("gateway/keyed", 0))).not.toContain(secret);
  });

  it("more connections than it takes: the others go on", async () => {
    const sockets = Array.from({ length: 80 }, () =>
      net.connect(port, "127.0.0.1").on("error", () => undefined),
    );
    await Promise.all(
      sockets.map((socket) =>
        Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined),
      ),
    );
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => raw(post([local()])).then(statusOf)).toBe(200);
  });
});

it.each(["h2c", "TLS/1.0", "h2c, x/1"])(
  "AC-60 an offer of another protocol (%s) is not taken and not passed on: the request is served as any other",
  async (protocol) => {
    const before = got.length;
    const offer = `Connection: Upgrade, HTTP2-Settings, X-Mine\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: AAMAAABk\r\nX-Mine: 1`;
    const first = `POST /anthropic/v1/messages HTTP/1.1\r\n${local()}\r\n${offer}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    // The connection stays as it is: the next request comes on it, too.
    const socket = net.connect(port, "127.0.0.1").setEncoding("utf8");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.write(first);
    await expect.poll(() => answer).toMatch(/\{\}$/u);
    socket.write(post([local(), "HTTP2-Settings: AAMAAABk"]));
    await once(socket, "close");
    expect(answer.match(/HTTP\/1\.1 \d+/gu)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    const served = got.slice(before);
    expect(served).toHaveLength(2);
    for (const { headers, body: sent } of served) {
      expect(sent).toContain(critical);
      for (const name of ["upgrade", "http2-settings", "x-mine"]) expect(headers[name]).toBeUndefined();
    }
  },
);

it("AC-60 beyond loopback a gateway does not start without tokens, and TLS or a stated proxy", () => {
  const tokens = { ci: hash };
  expect(() => createGateway({ host: "0.0.0.0" })).toThrow("a token for each client is required");
  expect(() => createGateway({ host: "0.0.0.0", tokens })).toThrow("TLS is required");
  expect(() => createGateway({ host: "127.0.0.1.evil.example", tokens })).toThrow("is not loopback");
  expect(() => createGateway({ host: "0.0.0.0", tokens, behindProxy: true })).not.toThrow();
  expect(() => createGateway({ tokens: { ci: token } })).toThrow("expected the SHA-256");
  for (const name of ["sotto", "metrics", "v1"])
    expect(() => createGateway({ upstreams: { [name]: { url: "http://x.example" } } })).toThrow(
      "is reserved",
    );
  expect(() => createGateway({ upstreams: { x: { url: "https://user:pass@x.example" } } })).toThrow(
    "no password",
  );
  expect(() => createGateway({ upstreams: { x: { url: "file:///etc/passwd" } } })).toThrow(
    "expected an address",
  );
});

it("AC-60 a gateway in front of itself ends in an answer", async () => {
  const gateway = createGateway({ port: 0 });
  const url = await gateway.listen();
  gateway.reload({ upstreams: { anthropic: { url } } });
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    http.get(`${url}/anthropic/anthropic/x`, resolve).on("error", reject),
  );
  expect(answer.statusCode).toBe(404);
  await gateway.close(0);
});
