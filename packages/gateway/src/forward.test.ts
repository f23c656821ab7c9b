// A connection that was kept open may be closed by the upstream just as a request goes out.

import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGateway } from "./gateway.ts";

/** Answers the first request on a connection, and resets it when so many bytes of a second one are there. */
async function resetting(after: number) {
  const requests: string[] = [];
  const server = createServer((socket: Socket) => {
    let head = "";
    let received = 0;
    let answered = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      received += chunk.length;
      if (!head.includes("\r\n\r\n")) head += chunk.toString("latin1");
      if (answered === 1 && received >= after) {
        requests.push("reset");
        socket.resetAndDestroy();
        return;
      }
      const end = head.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/iu.exec(head.slice(0, 2000))?.[1] ?? 0);
      if (end < 0 || received < end + 4 + length) return;
      [head, received] = ["", 0];
      answered += 1;
      requests.push("answered");
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function bodyOf(characters: number): string {
  return JSON.stringify({
    ...{ model: "m", max_tokens: 1, messages: [{ role: "user", content: "x".repeat(characters) }] },
  });
}

/** `beforeEnd`: what is done while only the last byte is missing. */
async function post(url: string, body: string, beforeEnd?: () => Promise<void>): Promise<number> {
  const call = http.request(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-length": body.length },
  });
  const answered = once(call, "response") as Promise<[http.IncomingMessage]>;
  await new Promise((written) => call.write(body.slice(0, -1), written));
  await beforeEnd?.();
  call.end(body.slice(-1));
  const [answer] = await answered;
  answer.resume();
  await once(answer, "end");
  return answer.statusCode ?? 0;
}

async function gatewayTo(url: string): Promise<string> {
  const gateway = createGateway({ port: 0, upstreams: { anthropic: { url }, openai: { url } } });
  onTestFinished(() => gateway.close(0));
  return `${await gateway.listen()}/anthropic`;
}

test("a request that the upstream may have read is not sent twice: the client hears of it", async () => {
  const { requests, url } = await resetting(1);
  const gateway = await gatewayTo(url);
  expect([await post(gateway, bodyOf(10)), await post(gateway, bodyOf(20))]).toEqual([200, 502]);
  expect(requests).toEqual(["answered", "reset"]);
});

test("one that it cannot have read to the end is sent again on a new connection", async () => {
  // Not JSON, so that nothing is read in it while the connection waits.
  const large = "x".repeat(20_000_000);
  for (let tries = 0; ; tries++) {
    const { requests, url } = await resetting(1);
    const gateway = await gatewayTo(url);
    const small = async () => expect(await post(gateway, bodyOf(10))).toBe(200);
    expect(await post(gateway, large, small)).toBe(200);
    // On a busy machine the connection may have been idle for too long, and a new one was opened at once.
    if (requests.length === 2 && tries < 100) continue;
    expect(requests).toEqual(["answered", "reset", "answered"]);
    break;
  }
});

/** Answers every request with these bytes, and keeps what it got. */
async function answering(answer: string) {
  const got: string[] = [];
  const server = createServer((socket: Socket) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const isWhole = /transfer-encoding: chunked/iu.test(text) ? /\r\n0\r\n.*\r\n\r\n$/su : /\r\n\r\n/u;
      if (!isWhole.test(text)) return;
      got.push(text);
      socket.end(answer, "latin1");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What the gateway answers to these bytes. */
async function exchanged(gateway: string, words: string, onData?: () => void): Promise<string> {
  const { port, host } = new URL(gateway);
  const socket = connect(Number(port), "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    onData?.();
  });
  socket.write(words.replace("HOST", host), "latin1");
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

const asking = (line: string, ...headers: string[]) =>
  `${[`${line}`, "Host: HOST", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;
const GET = asking("GET /anthropic/v1/models HTTP/1.1");

describe("an answer that Node would not write as it is", () => {
  test.each([
    ["a length", "Content-Length: 2", "{}"],
    ["chunks", "Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"],
  ])("has any bytes in its head, and its body comes later, in %s", async (_, framing, body) => {
    const any = String.fromCharCode(...Array.from({ length: 128 }, (_, at) => 128 + at));
    const head = `HTTP/1.1 200 ${any}\r\nX-Any: ${any}\r\n${framing}\r\n\r\n`;
    let sendBody = () => {};
    const server = createServer((socket: Socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write(head, "latin1"));
      sendBody = () => void socket.end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const gateway = await gatewayTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const answer = await exchanged(gateway, GET, () => sendBody());
    expect(answer.startsWith(`HTTP/1.1 200 ${any}\r\nX-Any: ${any}\r\n`)).toBe(true);
    expect(answer.endsWith(body)).toBe(true);
  });

  test.each([
    [
      "200 with a length",
      "GET",
      "HTTP/1.1 200 OK\r\nTrailer: X-T\r\nContent-Length: 2\r\n\r\n{}",
      /^HTTP\/1.1 200 OK.*\{\}$/su,
    ],
    ["204", "GET", "HTTP/1.1 204 No Content\r\nTrailer: X-T\r\n\r\n", /^HTTP\/1.1 204 /u],
    ["304", "GET", "HTTP/1.1 304 Not Modified\r\nTrailer: X-T\r\n\r\n", /^HTTP\/1.1 304 /u],
    [
      "HEAD",
      "HEAD",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n",
      /^HTTP\/1.1 200 OK/u,
    ],
  ])("announces trailers that cannot come: %s", async (_, method, answer, expected) => {
    const { url } = await answering(answer);
    const gateway = await gatewayTo(url);
    expect(await exchanged(gateway, GET.replace("GET", method))).toMatch(expected);
  });

  test("has trailers: they come as they are, but not to an old client", async () => {
    const chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\n{}\r\n0\r\nX-T: 1\r\n\r\n";
    const gateway = await gatewayTo((await answering(chunked)).url);
    expect(await exchanged(gateway, GET)).toMatch(/Trailer: X-T.*\r\n0\r\nX-T: 1\r\n\r\n$/su);
    expect(await exchanged(gateway, GET.replace("HTTP/1.1", "HTTP/1.0"))).toMatch(
      /^HTTP\/1.1 200 OK.*\r\n\r\n\{\}$/su,
    );
  });

  test.each([
    [
      "a status that is none",
      "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n",
      /^HTTP\/1.1 502 .*cannot be passed on: /su,
    ],
    [
      "a reason with a control character",
      "HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n",
      /^HTTP\/1.1 200 /u,
    ],
    ["a status of its own", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", /^HTTP\/1.1 999 Odd/u],
    [
      "a long header",
      `HTTP/1.1 200 OK\r\nX: ${"a".repeat(40_000)}\r\nContent-Length: 0\r\n\r\n`,
      /^HTTP\/1.1 200 OK\r\nX: a{40000}\r\n/u,
    ],
    [
      "another protocol",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      /^HTTP\/1.1 502 .*switched to another protocol/su,
    ],
    [
      "hints before it",
      "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      /^HTTP\/1.1 103 Early Hints\r\nLink: <\/a.css>; rel=preload\r\n\r\nHTTP\/1.1 200 OK/iu,
    ],
    [
      "a sign of life before it",
      "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      /^HTTP\/1.1 102 Processing\r\n\r\nHTTP\/1.1 200 OK/u,
    ],
  ])("has %s", async (_, answer, expected) => {
    const gateway = await gatewayTo((await answering(answer)).url);
    expect(await exchanged(gateway, GET)).toMatch(expected);
    // It still serves others.
    expect(await exchanged(gateway, asking("GET /healthz HTTP/1.1"))).toMatch(/^HTTP\/1.1 200 /u);
  });
});

describe("an answer with an error of HTTP in it", () => {
  const head = "HTTP/1.1 200 OK\r\nX-Kept: yes\r\nTransfer-Encoding: chunked\r\n";
  const events = "9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n";
  const STREAM = "Content-Type: text/event-stream\r\n\r\n";
  const json = (words: string) =>
    `POST /openai/v1/${words} HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Type: application/json\r\n`;
  // One whose end is held back, too.
  const kept = JSON.stringify({ model: "m", input: "Hello.", conversation: "c1" });
  const HELD = `${json("responses")}Content-Length: ${kept.length}\r\n\r\n${kept}`;

  test.each([
    ["passed on", GET],
    ["held back at its end", HELD],
  ])("gives all that came before it: %s", async (_, words) => {
    const bad = await gatewayTo((await answering(`${head}${STREAM}${events}zz\r\n`)).url);
    const got = await exchanged(bad, words);
    expect(got).toMatch(/^HTTP\/1.1 200 OK\r\nX-Kept: yes\r\n/u);
    expect(got).toMatch(/data: 1\n\n.*data: 2\n\n\r\n$/su);
    const none = await gatewayTo((await answering(`${head}${STREAM}zz\r\n`)).url);
    expect(await exchanged(none, words)).toMatch(/^HTTP\/1.1 200 OK\r\nX-Kept: yes\r\n.*\r\n\r\n$/su);
    const behind = await answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokMORE");
    expect(await exchanged(await gatewayTo(behind.url), words)).toMatch(/\r\n\r\nok$/u);
  });
});

/** The chunks of a message as HTTP reads them, and what follows the last one. */
function unchunked(message: string): { body: string; behind: string } {
  let at = message.indexOf("\r\n\r\n") + 4;
  let body = "";
  for (;;) {
    const from = message.indexOf("\r\n", at) + 2;
    const length = Number.parseInt(message.slice(at, from), 16);
    if (length === 0) return { body, behind: message.slice(from) };
    body += message.slice(from, from + length);
    at = from + length + 2;
  }
}

describe("a request that announces trailers", () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"id":"a"}';
  const body = bodyOf(10);
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-T: 1\r\n\r\n`;

  test.each(["files", "messages"])("is passed on with them, to %s", async (path) => {
    const { url, got } = await answering(OK);
    const gateway = await gatewayTo(url);
    const line = `POST /anthropic/v1/${path} HTTP/1.1`;
    const words = asking(line, "Trailer: X-T", "Transfer-Encoding: chunked");
    expect(await exchanged(gateway, words + chunks)).toMatch(/^HTTP\/1.1 200 OK/u);
    expect(got[0]).toMatch(/Trailer: X-T\r\n/iu);
    expect(got[0]?.endsWith("\r\n0\r\nX-T: 1\r\n\r\n")).toBe(true);
  });

  test.each([
    ["anthropic/v1/messages", JSON.parse(body), "messages"],
    ["openai/v1/chat/completions", { model: "m", messages: [{ role: "user", content: "x" }] }, "messages"],
    ["openai/v1/responses", { model: "m", input: "x" }, "input"],
    [
      "gemini/v1beta/models/m:generateContent",
      { contents: [{ role: "user", parts: [{ text: "x" }] }] },
      "contents",
    ],
  ])("has a reminder in its body, and its trailers behind it: %s", async (path, given, field) => {
    const { url, got } = await answering(OK);
    const upstreams = { anthropic: { url }, openai: { url }, gemini: { url } };
    const gateway = createGateway({ port: 0, upstreams });
    onTestFinished(() => gateway.close(0));
    const base = await gateway.listen();
    const text = JSON.stringify(given);
    const first = asking(`POST /${path} HTTP/1.1`, "X-Sotto-Session: s", `Content-Length: ${text.length}`);
    await exchanged(base, first + text);
    const event = { type: "prompt_queued", id: "q", prompt: "Mind the gap." };
    const told = await fetch(`${base}/sotto/v1/sessions/gateway%2Fs/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ events: [{ id: "q", event }] }),
    });
    expect(told.status).toBe(200);
    const lines = ["X-Sotto-Session: s", "Trailer: X-T", "Transfer-Encoding: chunked"];
    const words = asking(`POST /${path} HTTP/1.1`, ...lines);
    await exchanged(base, `${words}${text.length.toString(16)}\r\n${text}\r\n0\r\nX-T: 1\r\n\r\n`);
    const sent = unchunked(got[1] ?? "");
    expect(sent.behind).toBe("X-T: 1\r\n\r\n");
    expect(JSON.stringify(JSON.parse(sent.body)[field])).toContain("Mind the gap.");
  });

  test("goes out as it came if one is a sum of its body", async () => {
    const lines: unknown[] = [];
    const { url } = await answering(OK);
    const upstreams = { anthropic: { url } };
    const gateway = createGateway({ port: 0, upstreams, log: ({ unchanged }) => void lines.push(unchanged) });
    onTestFinished(() => gateway.close(0));
    const line = "POST /anthropic/v1/messages HTTP/1.1";
    const words = asking(line, "Trailer: Content-Digest", "Transfer-Encoding: chunked");
    await exchanged(await gateway.listen(), words + chunks.replace("X-T: 1", "Content-Digest: x"));
    expect(lines).toEqual([expect.stringContaining("it is signed")]);
  });

  test.each([
    ["without a body", asking("GET /anthropic/v1/models HTTP/1.1", "Trailer: X-T")],
    [
      "with a length",
      asking("POST /anthropic/v1/messages HTTP/1.1", "Trailer: X-T", `Content-Length: ${body.length}`) + body,
    ],
    [
      "without trailers",
      asking("POST /anthropic/v1/messages HTTP/1.1", "Trailer: X-T", "Transfer-Encoding: chunked") +
        chunks.replace("X-T: 1\r\n", ""),
    ],
  ])("and is %s goes out without", async (_, words) => {
    const { url, got } = await answering(OK);
    expect(await exchanged(await gatewayTo(url), words)).toMatch(/^HTTP\/1.1 200 OK/u);
    expect(got[0]).not.toMatch(/trailer/iu);
  });
});
