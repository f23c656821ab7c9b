import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { createSession } from "sotto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { reminders } from "./openai.ts";

const critical = "Run the tests.";
const session = createSession({
  ...{ cwd: "/repo", home: "/nonexistent", agent: { kind: "main" }, configFiles: { read: false } },
  config: { critical_instruction: critical, timeout_ms: 30_000 },
});
const received: { headers: IncomingHttpHeaders; raw: string }[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  received.push({ headers: request.headers, raw: Buffer.concat(chunks).toString() });
  response.end("{}");
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => void received.splice(0));
afterAll(async () => {
  await session.close();
  server.closeAllConnections();
  server.close();
});

const problems: string[] = [];
beforeEach(() => void problems.splice(0));
const fetch = reminders(session, { onProblem: (problem) => void problems.push(problem) });
const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hé?" }] });
const post = (more: RequestInit = {}): RequestInit => ({ method: "POST", body, ...more });
const last = () => received.at(-1) as { headers: IncomingHttpHeaders; raw: string };

describe("what is reminded", () => {
  it("a text, and what it was given is not changed", async () => {
    const init = Object.freeze(post({ headers: Object.freeze({ "x-mine": "1" }) }));
    await fetch(`${url}/chat/completions?api-version=1`, init);
    expect(JSON.parse(last().raw).messages).toHaveLength(2);
    expect(last().raw).toContain(critical);
    expect(last().headers["x-mine"]).toBe("1");
    expect(init).toEqual(post({ headers: { "x-mine": "1" } }));
    expect(problems).toEqual([]);
  });

  it("a URL object, a method in small letters, and a length that was given", async () => {
    const headers = { "content-length": String(Buffer.byteLength(body)) };
    await fetch(new URL(`${url}/chat/completions`), post({ headers, method: "post" }));
    expect(last().raw).toContain(critical);
    expect(last().headers["content-length"]).toBe(String(Buffer.byteLength(last().raw)));
  });

  it("a Request, whose own headers and signal stay", async () => {
    const { signal } = new AbortController();
    const request = new Request(`${url}/chat/completions`, post({ headers: { "x-mine": "2" }, signal }));
    await fetch(request);
    expect(last().raw).toContain(critical);
    expect(last().headers["x-mine"]).toBe("2");
    expect(request.bodyUsed).toBe(false);
  });
});

it("what the client wrote stays, byte for byte, and each request begins with the one before", async () => {
  const head =
    '{ "temperature":1.0, "n":1e0,"mess\\u0061ges": [\n  {"role":"user","content":"\\u0048\\/?","x":1.50}';
  const reply = '{"content":"No.",  "role":"assistant"} ,{"role":"user" ,"content":"Why?"}';
  const tail = '\n], "model":"m", "model":"n" }\n';
  await fetch(`${url}/chat/completions`, post({ body: head + tail }));
  await fetch(`${url}/chat/completions`, post({ body: `${head} ,\n  ${reply}${tail}` }));
  const [first, second] = received.map(({ raw }) => raw) as [string, string];
  const opening = first.slice(0, -tail.length);
  const added = (from: number, text: string) => JSON.parse(`[${text.slice(from).replace(/^,/u, "")}]`);
  expect(first.startsWith(head)).toBe(true);
  expect(first.endsWith(tail)).toBe(true);
  expect(added(head.length, opening)).toEqual([{ role: "user", content: expect.stringContaining(critical) }]);
  expect(second.startsWith(`${opening} ,\n  ${reply},{"role":"user"`)).toBe(true);
  expect(second.endsWith(tail)).toBe(true);
});

describe("what passes as it is", () => {
  it.each<[string, string, RequestInit]>([
    ["another address", "/embeddings", {}],
    ["what is below an address", "/responses/compact", {}],
    ["another method", "/chat/completions", { method: "PUT" }],
  ])("%s", async (_, path, more) => {
    await fetch(url + path, post(more));
    expect(last().raw).toBe(body);
    expect(problems).toEqual([]);
  });

  it.each<[string, RequestInit, string]>([
    ["bytes", { body: new TextEncoder().encode(body) }, "the request body is not text"],
    ["a stream", { body: new Blob([body]).stream(), duplex: "half" } as RequestInit, "not text"],
    ["no JSON", { body: "{" }, "the request is not JSON"],
    ["JSON of another shape", { body: "null" }, "not of the dialect"],
    ["a signed request", { headers: { authorization: "AWS4-HMAC-SHA256 x" } }, "the request is signed"],
  ])("%s, and somebody hears of it", async (_, more, problem) => {
    await fetch(`${url}/chat/completions`, post(more));
    expect(last().raw).toBe(typeof more.body === "string" ? more.body : body);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it("a request without a body, also as a Request", async () => {
    await fetch(`${url}/chat/completions`);
    await fetch(new Request(`${url}/chat/completions`));
    expect(received.map(({ raw }) => raw)).toEqual(["", ""]);
  });

  it("a call that was given up before it began", async () => {
    const signal = AbortSignal.abort();
    await expect(fetch(`${url}/chat/completions`, post({ signal }))).rejects.toThrow(/abort/u);
    expect(received).toEqual([]);
  });
});

it("a listener and a chooser that throw cost nothing but themselves", async () => {
  const fail = () => {
    throw new Error("mine");
  };
  await reminders(session, { onTurn: fail, onProblem: fail })(`${url}/chat/completions`, post());
  expect(last().raw).toContain(critical);
  await reminders(fail, { onProblem: fail })(`${url}/chat/completions`, post());
  expect(last().raw).toBe(body);
});
