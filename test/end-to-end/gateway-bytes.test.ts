// What passes through the gateway is what was sent: requests but for reminders, answers to the byte.

import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import zlib from "node:zlib";
import { createMemoryStore } from "sotto";
import { afterEach, describe, expect, it } from "vitest";
import { critical, openGateway } from "../support/gateway-stage.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

interface Got {
  request: IncomingMessage;
  body: Buffer;
}

/** An upstream that answers with `handle` once the body is there, and keeps what it got. */
async function upstream(handle: Handler) {
  const got: Got[] = [];
  const server = http.createServer({ noDelay: true }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    got.push({ request, body });
    handle(request, response, body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

async function behind(
  handle: Handler,
  options: Parameters<typeof openGateway>[0] = {},
  name: "anthropic" | "gemini" = "anthropic",
) {
  const { url, got } = await upstream(handle);
  const stage = await openGateway({ ...options, upstreams: { [name]: { url, dialect: name } } });
  closing.push(() => stage.gateway.close(0));
  return { ...stage, got, direct: url, url: `${stage.own}/${name}` };
}

interface Sent {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: Buffer | string;
}

/** Without a client's own ideas about headers. */
function call(
  url: string,
  { method = "POST", headers = {}, body = "" }: Sent = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method, headers, agent: false }, resolve).on("error", reject);
    sent.end(body);
  });
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const ok: Handler = (_request, response) => response.end('{"id":"a"}');
const talk =
  '{ "model":"m", "max_tokens" : 1.0e2,"odd":[1E3,-0,"\\u00e9\\ud83d"],\n"messages":[ {"role":"user","content":"Hello \\u00fcber.","x":{"b":1,"a":2}} ] , "z":null}';

/** Everything of `part` is in `whole`, in order; returns what else is. */
function beyond(whole: string, part: string): string {
  let at = 0;
  let rest = "";
  for (const character of whole)
    if (character === part[at]) at += 1;
    else rest += character;
  expect(at).toBe(part.length);
  return rest;
}

describe("AC-59 requests", () => {
  it("have reminders spliced in and are otherwise as the client wrote them", async () => {
    const { url, got } = await behind(ok);
    await bodyOf(await call(`${url}/v1/messages`, { body: talk }));
    const sent = String(got[0]?.body);
    expect(sent).toContain(critical);
    expect(
      sent.startsWith('{ "model":"m", "max_tokens" : 1.0e2,"odd":[1E3,-0,"\\u00e9\\ud83d"],\n"messages":[ '),
    ).toBe(true);
    expect(sent.endsWith(' ] , "z":null}')).toBe(true);
    beyond(sent, talk);
    expect(got[0]?.request.headers["content-length"]).toBe(String(got[0]?.body.length));
  });

  it.each([
    ["gzip", zlib.gzipSync],
    ["br", zlib.brotliCompressSync],
    ["zstd", zlib.zstdCompressSync],
    ["deflate", zlib.deflateSync],
    ["gzip, identity", zlib.gzipSync],
    ["GZIP,br", (body: string) => zlib.brotliCompressSync(zlib.gzipSync(body))],
  ])("in %s are understood", async (encoding, compress) => {
    const { url, got } = await behind(ok);
    const headers = { "content-encoding": encoding, "content-type": "application/json" };
    await bodyOf(await call(`${url}/v1/messages`, { headers, body: compress(talk) }));
    expect(got[0]?.request.headers["content-encoding"]).toBeUndefined();
    beyond(String(got[0]?.body), talk);
    expect(String(got[0]?.body)).toContain(critical);
  });

  it.each([
    ["an unknown encoding", { "content-encoding": "compress" }, Buffer.from("abc"), "encoded as compress"],
    ["one behind another", { "content-encoding": "lzma, br" }, zlib.brotliCompressSync("abc"), "as lzma, br"],
    [
      "many encodings",
      { "content-encoding": Array(9).fill("gzip").join(", ") },
      Buffer.from("abc"),
      "gzip, ",
    ],
    ["broken gzip", { "content-encoding": "gzip" }, Buffer.from("abc"), "not valid gzip"],
    ["bytes that are no UTF-8", {}, Buffer.from([0x7b, 0xff, 0x7d]), "not UTF-8"],
    ["no JSON", {}, Buffer.from("{"), "JSON"],
    ["another shape", {}, Buffer.from('{"messages":7}'), "messages"],
    ["a sum of the body", { "content-md5": "x" }, Buffer.from(talk), "signed"],
  ])("with %s go out as they came, and the log says why", async (_, headers, body, why) => {
    const { url, got, lines } = await behind(ok);
    await bodyOf(await call(`${url}/v1/messages`, { headers, body }));
    expect(got[0]?.body.equals(body)).toBe(true);
    for (const [name, value] of Object.entries(headers)) expect(got[0]?.request.headers[name]).toBe(value);
    await expect.poll(() => lines.at(-1)?.unchanged).toContain(why);
    // A signed one is as it has to be; without the others' reminders something is wrong.
    expect(lines.at(-1)?.level).toBe(why === "signed" ? "info" : "warn");
  });

  it("of a session that is switched off go out as they came, and the log says why", async () => {
    const { url, own, got, lines } = await behind(ok);
    const headers = { "x-sotto-session": "off" };
    await bodyOf(await call(`${url}/v1/messages`, { body: talk, headers }));
    const event = { type: "config_changed", config: { enabled: false } };
    const body = JSON.stringify({ events: [{ id: "e1", event }] });
    const told = await fetch(`${own}/sotto/v1/sessions/gateway%2Foff/events`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body },
    });
    expect(told.status).toBe(200);
    const next = '{"role":"assistant","content":"Hi."},{"role":"user","content":"Go on."}';
    const more = talk.replace(" ] ,", `,${next} ] ,`);
    await bodyOf(await call(`${url}/v1/messages`, { body: more, headers }));
    expect(String(got[1]?.body)).toBe(more);
    await expect.poll(() => lines.at(-1)?.unchanged).toBe("switched off: enabled = false");
  });

  it("go out as they came if the store does not answer in time, or fails", async () => {
    const store = createMemoryStore();
    const hanging = await behind(ok, {
      store: { ...store, marks: () => new Promise(() => {}), append: () => new Promise(() => {}) },
      limits: { remindMs: 50 },
    });
    await bodyOf(await call(`${hanging.url}/v1/messages`, { body: talk }));
    expect(String(hanging.got[0]?.body)).toBe(talk);
    await expect.poll(() => hanging.lines.at(-1)?.unchanged).toContain("within 50 ms");
    const failing = await behind(ok, {
      store: { ...store, marks: () => Promise.reject(new Error("the disk is gone")) },
    });
    await bodyOf(await call(`${failing.url}/v1/messages`, { body: talk }));
    expect(String(failing.got[0]?.body)).toBe(talk);
    await expect.poll(() => failing.lines.at(-1)?.unchanged).toContain("the disk is gone");
  });

  it("of 20 MB arrive whole", async () => {
    const { url, got } = await behind(ok);
    const long = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "ä".repeat(10_000_000) }],
    });
    await bodyOf(await call(`${url}/v1/messages`, { body: long }));
    const sent = got[0]?.body as Buffer;
    expect(sent.includes(critical)).toBe(true);
    expect(sent.length).toBeGreaterThan(20_000_000);
  });

  it("of other kinds pass with their headers and bytes, but without those of one connection or of the gateway", async () => {
    const { url, got, direct } = await behind(ok);
    const body = Buffer.from([0, 255, 1, 254, 13, 10]);
    const headers = {
      ...{
        "X-Odd-Case": "Ä".normalize("NFD").slice(0, 1),
        "anthropic-beta": ["one", "two"],
        "x-api-key": "secret",
      },
      ...{ connection: "close, x-mine", "x-mine": "1", "x-sotto-session": "s", "proxy-authorization": "p" },
    };
    await bodyOf(await call(`${url}/v1/files?purpose=a%20b&x=%2F`, { method: "PUT", headers, body }));
    const [{ request, body: arrived } = {} as Got] = got;
    expect(request.method).toBe("PUT");
    expect(request.url).toBe("/v1/files?purpose=a%20b&x=%2F");
    expect(arrived.equals(body)).toBe(true);
    expect(request.headers.host).toBe(new URL(direct).host);
    expect(request.rawHeaders.join("\n")).toContain(
      "X-Odd-Case\nA\nanthropic-beta\none\nanthropic-beta\ntwo\nx-api-key\nsecret",
    );
    for (const name of ["x-mine", "x-sotto-session", "proxy-authorization"])
      expect(request.headers[name]).toBeUndefined();
  });

  it("to count tokens have the reminders of their conversation, and record nothing", async () => {
    const store = createMemoryStore();
    const { url, got } = await behind(ok, { store });
    const headers = { "x-sotto-session": "s1" };
    await bodyOf(await call(`${url}/v1/messages/count_tokens`, { body: talk, headers }));
    expect(String(got[0]?.body)).toBe(talk);
    await bodyOf(await call(`${url}/v1/messages`, { body: talk, headers }));
    await expect
      .poll(async () => (await store.read("gateway/s1", 0)).entries.at(-1))
      .toMatchObject({ state: "confirmed" });
    const before = await store.read("gateway/s1", 0);
    await bodyOf(await call(`${url}/v1/messages/count_tokens`, { body: talk, headers }));
    expect(String(got[2]?.body)).toBe(String(got[1]?.body));
    expect(await store.read("gateway/s1", 0)).toEqual(before);
  });

  it("to count tokens of Gemini have them in both forms", async () => {
    const { url, got, lines } = await behind(ok, {}, "gemini");
    const headers = { "x-sotto-session": "g1" };
    const request = { contents: [{ role: "user", parts: [{ text: "Hi." }] }], tools: [{ googleSearch: {} }] };
    const ask = async (action: string, body: object) =>
      bodyOf(await call(`${url}/v1beta/models/m:${action}`, { body: JSON.stringify(body), headers }));
    await ask("generateContent", request);
    await ask("countTokens", request);
    const whole = { generateContentRequest: { model: "models/m", ...request } };
    await ask("countTokens", whole);
    const [asked, plain, nested] = got.map(({ body }) => JSON.parse(String(body)));
    expect(JSON.stringify(asked)).toContain(critical);
    expect(plain).toEqual(asked);
    expect(nested).toEqual({ generateContentRequest: { model: "models/m", ...asked } });
    await expect.poll(() => lines.map(({ level }) => level)).toEqual(["info", "info", "info"]);
  });
});

describe("AC-59 answers", () => {
  it.each(["/v1/messages", "/v1/files"])(
    "of %s come back to the byte, with headers, status and trailers",
    async (path) => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256));
      const { url, direct } = await behind((_request, response) => {
        response.sendDate = false;
        response.writeHead(218, "This Is Fine", [
          ...["X-One", "a", "x-one", "b", "Set-Cookie", "c=1", "Set-Cookie", "d=2"],
          ...["Content-Type", "application/json; odd", "Trailer", "X-Sum"],
        ]);
        response.write(bytes.subarray(0, 10));
        response.write(bytes.subarray(10));
        response.addTrailers([["X-Sum", "42"]]);
        response.end();
      });
      const [through, straight] = await Promise.all(
        [url, direct].map((base) => call(base + path, { body: talk })),
      );
      expect(through?.statusCode).toBe(218);
      expect(through?.statusMessage).toBe("This Is Fine");
      const own = (answer: IncomingMessage | undefined) =>
        answer?.rawHeaders
          .join("\n")
          .replace(/\n?(?:Connection|Keep-Alive|Transfer-Encoding)\n[^\n]*/giu, "");
      expect(own(through)).toBe(own(straight));
      expect((await bodyOf(through as IncomingMessage)).equals(bytes)).toBe(true);
      expect(through?.rawTrailers).toEqual(["X-Sum", "42"]);
    },
  );

  it("that are compressed stay so, and their usage is read all the same", async () => {
    const told = {
      id: "m",
      model: "claude-x",
      usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 2 },
    };
    const packed = zlib.gzipSync(JSON.stringify(told));
    const store = createMemoryStore();
    const { url, gateway } = await behind(
      (_request, response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(packed),
      {
        store,
        session: { config: { attachments: { token_usage: { enabled: true } } } },
        modelFacts: () => ({ window: 1000, costOf: () => 0.5 }),
      },
    );
    const answer = await call(`${url}/v1/messages`, { body: talk, headers: { "x-sotto-session": "u" } });
    expect((await bodyOf(answer)).equals(packed)).toBe(true);
    await expect
      .poll(async () =>
        (await store.read("gateway/u", 0)).entries.map((entry) => (entry as { event?: object }).event),
      )
      .toContainEqual({ type: "usage_reported", usedTokens: 14, totalTokens: 1000, addedUsd: 0.5 });
    expect(gateway.total("cached_tokens")).toBe(7);
  });

  it.each(["gzip", "br"] as const)(
    "that are compressed as %s are known by their id when the next request continues from them",
    async (coding) => {
      const pack = coding === "gzip" ? zlib.gzipSync : zlib.brotliCompressSync;
      let count = 0;
      const { url } = await upstream((_request, response) => {
        const id = `resp_${++count}`;
        const answer = JSON.stringify({ id, output: [], usage: { input_tokens: 1, output_tokens: 1 } });
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": coding })
          .end(pack(answer));
      });
      const stage = await openGateway({ upstreams: { openai: { url, dialect: "openai" } } });
      closing.push(() => stage.gateway.close(0));
      for (let turn = 0; turn < 30; turn++) {
        const before = turn === 0 ? {} : { previous_response_id: `resp_${turn}` };
        const body = JSON.stringify({ model: "m", input: "Go on.", ...before });
        const answer = await call(`${stage.own}/openai/v1/responses`, { body });
        await bodyOf(answer);
      }
      await expect.poll(() => stage.lines.filter(({ session }) => session !== undefined)).toHaveLength(30);
      expect(new Set(stage.lines.map(({ session }) => session)).size).toBe(1);
    },
  );

  it("pass event by event: each is there before the next is sent", async () => {
    let next = () => {};
    const { url } = await behind(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (let at = 0; at < 5; at++) {
        response.write(`data: ${at}\n\n`);
        await new Promise<void>((resolve) => {
          next = resolve;
        });
      }
      response.end();
    });
    const answer = await call(`${url}/v1/messages`, { body: talk });
    const seen: string[] = [];
    for await (const chunk of answer) {
      seen.push(String(chunk));
      next();
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((at) => `data: ${at}\n\n`));
  });

  it("begin before their first byte of body", async () => {
    let finish = () => {};
    const { url } = await behind((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      finish = () => response.end("data: x\n\n");
    });
    const answer = await call(`${url}/v1/messages`, { body: talk });
    expect(answer.statusCode).toBe(200);
    finish();
    expect(String(await bodyOf(answer))).toBe("data: x\n\n");
  });

  it("are not read further than the client reads them", async () => {
    const chunk = Buffer.alloc(1 << 20);
    const { promise: written, resolve } = Promise.withResolvers<number>();
    const { url } = await behind(async (_request, response) => {
      response.on("error", () => undefined);
      for (let count = 0; count < 200; count++) {
        if (response.write(chunk)) continue;
        // On a slow machine it looks stuck sooner; it never is if somebody reads.
        const stuck = new Promise((late) => setTimeout(late, 300, "stuck"));
        if ((await Promise.race([once(response, "drain"), stuck])) === "stuck") return resolve(count);
      }
      resolve(200);
    });
    const answer = await call(`${url}/v1/messages`, { body: talk });
    expect(await written).toBeLessThan(100);
    answer.destroy();
  });

  it("are given up at the upstream when the client leaves", async () => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const { url } = await behind((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      response.once("close", resolve);
    });
    const answer = await call(`${url}/v1/messages`, { body: talk });
    await once(answer, "data");
    answer.destroy();
    await gone;
  });

  it("come after 100-continue", async () => {
    const { url, got } = await behind(ok);
    const sent = http.request(`${url}/v1/messages`, {
      ...{ method: "POST", agent: false },
      headers: { expect: "100-continue", "content-length": Buffer.byteLength(talk) },
    });
    sent.flushHeaders();
    await once(sent, "continue");
    sent.end(talk);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    expect(got[0]?.request.headers.expect).toBeUndefined();
  });
});
