// Two gateways on one store that takes its time: whichever gets the next request, and however soon, it is the same conversation.

import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { createMemoryStore } from "sotto";
import type { Batch, Store } from "sotto/extend";
import { expect, onTestFinished, test } from "vitest";
import { openGateway } from "../support/gateway-stage.ts";
import { timesIn } from "../support/integration-stage.ts";

/** A store that waits where a test tells it to. */
function slowStore() {
  const base = createMemoryStore();
  const slow: { until?: (batch: Batch) => Promise<unknown> | undefined } = {};
  const store: Store = {
    ...base,
    async append(session, batch) {
      await slow.until?.(batch);
      return base.append(session, batch);
    },
  };
  return { store, slow };
}

const isOfAnswer = ({ marks = [] }: Batch) => marks.some(({ name }) => name.startsWith("answer/"));
const isConfirmed = ({ entries }: Batch) => JSON.stringify(entries).includes('"confirmed"');
const isTurn = ({ entries }: Batch) => entries.some(({ kind }) => kind === "turn");

/** Answers as the Responses API does, plain or streamed; `usage` without saying which model it was. */
async function startProvider() {
  const texts: string[] = [];
  let count = 0;
  const server = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    texts.push(text);
    const usage = { input_tokens: 900, output_tokens: 100 };
    const answer = { id: `resp_${++count}`, object: "response", status: "completed", output: [], usage };
    if (!text.includes('"stream":true')) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify(answer));
    }
    const isCompressed = text.includes('"compress":true');
    response.writeHead(200, {
      "content-type": "text/event-stream",
      ...(isCompressed && { "content-encoding": "gzip" }),
    });
    const events = ["response.created", "response.in_progress", "response.completed"].map(
      (type) => `event: ${type}\ndata: ${JSON.stringify({ type, response: answer })}\n\n`,
    );
    if (isCompressed) return response.end(gzipSync(events.join("")));
    for (const event of events) response.write(event);
    return response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { texts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function twoGateways(store: Store, timeout = 30_000) {
  const { texts, url } = await startProvider();
  const gateways = await Promise.all(
    [1, 2].map(() =>
      openGateway({
        store,
        upstreams: { openai: { url, dialect: "openai" } },
        session: { config: { enable_token_usage: true, timeout_ms: timeout } },
        modelFacts: () => ({ window: 10_000, costOf: () => 0 }),
      }),
    ),
  );
  onTestFinished(async () => {
    for (const { gateway } of gateways) await gateway.close(0);
  });
  let asked = 0;
  /** Each request goes to the other one. */
  const post = (path: string, value: object) =>
    fetch(`${gateways[asked++ % 2]?.own}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(value),
    });
  const tell = async (id: string, prompt: string) => {
    const session = encodeURIComponent(gateways[0]?.lines[0]?.session ?? "");
    const event = { type: "prompt_queued", id, prompt };
    const answer = await post(`/sotto/v1/sessions/${session}/events`, { events: [{ id, event }] });
    expect(answer.status).toBe(200);
  };
  const sessions = () => new Set(gateways.flatMap(({ lines }) => lines.map(({ session }) => session)));
  return { post, tell, sessions, texts };
}

const tools = [{ type: "function", name: "bash" }];
const words = (text: string) => [{ role: "user", content: text }];

test.each([false, true])(
  "AC-59 an answer's id is known everywhere before its end is passed on (streamed: %s)",
  async (stream) => {
    const { store, slow } = slowStore();
    const { post, tell, sessions, texts } = await twoGateways(store);
    let isKept: (() => void) | undefined;
    slow.until = (batch) =>
      isOfAnswer(batch) ? new Promise<void>((resolve) => (isKept = resolve)) : undefined;
    const ask = async (text: string, previous?: string) => {
      const body = { model: "m", stream, tools, input: words(text) };
      const response = await post("/openai/v1/responses", {
        ...body,
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let all = "";
      const next = async () => {
        const { value, done } = await reader.read();
        all += new TextDecoder().decode(value);
        return done;
      };
      // Other events are not held back.
      while (stream && !all.includes("response.in_progress")) await next();
      await expect.poll(() => isKept).toBeDefined();
      expect(all).not.toContain(stream ? "response.completed" : "}");
      isKept?.();
      isKept = undefined;
      while (!(await next()));
      return /resp_\d+/u.exec(all)?.[0];
    };
    const first = await ask("One.");
    await tell("n1", "Mind the gap.");
    let previous = first;
    for (const text of ["Two.", "Three.", "Four."]) previous = await ask(text, previous);
    expect(sessions().size).toBe(1);
    expect(texts.map((text) => timesIn(text, "Mind the gap."))).toEqual([0, 1, 0, 0]);
    // What it took is known although the answer does not name its model.
    const [session = ""] = sessions();
    const { entries } = await store.read(session, 0);
    expect(JSON.stringify(entries)).toContain('"usedTokens":1000,"totalTokens":10000');
  },
);

test.each(
  ["conversation", "previous_response_id"].flatMap((field) =>
    ["plain", "streamed", "compressed"].map((form) => [field, form] as const),
  ),
)(
  "AC-59 where the provider keeps the history (%s), what was told is kept before the answer's end is passed on (%s)",
  async (field, form) => {
    const { store, slow } = slowStore();
    const { post, tell, texts } = await twoGateways(store);
    const stream = form !== "plain";
    let name = "kept_1";
    const ask = async (text: string) => {
      const answer = await post("/openai/v1/responses", {
        ...{ model: "m", stream, tools, input: words(text), [field]: name },
        ...(form === "compressed" && { compress: true }),
      });
      const [id = ""] = /resp_\d+/u.exec(await answer.text()) ?? [];
      if (field === "previous_response_id") name = id;
    };
    await ask("One.");
    await tell("n1", "Mind the gap.");
    let isKept: (() => void) | undefined;
    slow.until = (batch) =>
      isConfirmed(batch) ? new Promise<void>((resolve) => (isKept = resolve)) : undefined;
    let isOver = false;
    const answered = ask("Two.").finally(() => {
      isOver = true;
    });
    await expect.poll(() => isKept ?? isOver).toBeTypeOf("function");
    // An answer on its way would be here by then.
    await (await post("/sotto/v1/sessions/none/events", {})).text();
    expect(isOver).toBe(false);
    slow.until = undefined as never;
    isKept?.();
    await answered;
    for (const text of ["Three.", "Four."]) await ask(text);
    expect(texts.map((text) => timesIn(text, "Mind the gap."))).toEqual([0, 1, 0, 0]);
  },
);

test("AC-59 AC-46 a first request that the store kept too long is found by the next one", async () => {
  const { store, slow } = slowStore();
  const { post, tell, sessions, texts } = await twoGateways(store, 200);
  let isOver: (() => void) | undefined;
  slow.until = (batch) => {
    if (!isTurn(batch)) return undefined;
    slow.until = undefined as never;
    return new Promise<void>((resolve) => (isOver = resolve));
  };
  const input: object[] = words("One.");
  const ask = async (text: string) => {
    input.push({ role: "assistant", content: "Yes." }, ...words(text));
    await (await post("/openai/v1/responses", { model: "m", tools, store: false, input })).text();
  };
  await (await post("/openai/v1/responses", { model: "m", tools, store: false, input })).text();
  isOver?.();
  await tell("n1", "Mind the gap.");
  // On a busy machine others may be late as well: then it comes with a later one.
  for (let asked = 2; asked < 200 && timesIn(texts.at(-1) ?? "", "Mind the gap.") === 0; asked++)
    await ask(`Message ${asked}.`);
  expect(timesIn(texts.at(-1) ?? "", "Mind the gap.")).toBe(1);
  expect(sessions().size).toBe(1);
});

test.each([
  ["application/json", false],
  ["application/json", true],
  ["text/event-stream", false],
  ["text/event-stream", true],
])(
  "AC-59 of an answer that breaks off, all that came is passed on (%s, the store is slow: %s)",
  async (type, isSlow) => {
    const event = (name: string) =>
      `data: ${JSON.stringify({ type: `response.${name}`, response: { id: "resp_1", output: [] } })}\n\n`;
    const pieces =
      type === "application/json"
        ? ['{"id":"resp_1",', '"output":[', "{"]
        : [event("created"), event("completed"), "data: more", "data: and more"];
    const { store, slow } = slowStore();
    if (isSlow) slow.until = (batch) => (isOfAnswer(batch) ? pause(100) : undefined);
    const upstream = http.createServer(async (request, response) => {
      for await (const _ of request);
      response.writeHead(200, { "content-type": type, "content-length": 1000 });
      for (const piece of pieces) {
        await new Promise((done) => response.write(piece, done));
        await pause(10);
      }
      response.socket?.destroySoon();
    });
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    onTestFinished(() => void upstream.close());
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const { gateway, own } = await openGateway({ store, upstreams: { openai: { url, dialect: "openai" } } });
    onTestFinished(() => gateway.close(0));
    const asked = http.request(`${own}/openai/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    asked.end(JSON.stringify({ model: "m", tools, input: words("One.") }));
    const [answer] = (await once(asked, "response")) as [http.IncomingMessage];
    let got = "";
    answer.on("data", (chunk) => (got += chunk)).on("error", () => undefined);
    await new Promise((closed) => answer.once("close", closed));
    expect({ got, isWhole: answer.complete }).toEqual({ got: pieces.join(""), isWhole: false });
  },
);
