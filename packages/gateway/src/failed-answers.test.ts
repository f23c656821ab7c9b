// Answers that fail behind a status of success, and requests that are tried again in another form: what is told meanwhile
// comes once, and each request begins with the one before.

import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

interface Provider {
  path(isStream: boolean): string;
  body(said: readonly string[], isStream: boolean): object;
  /** A streamed answer with these words, or its beginning. */
  events(words: string): unknown[];
  error: object;
  whole(words: string): object;
  /** What a request tells the model, in order. */
  texts(body: Record<string, unknown>): string;
}

const roles = (said: readonly string[], assistant = "assistant") =>
  said.map((_, at) => (at % 2 === 0 ? "user" : assistant));
const messages = (said: readonly string[]) =>
  roles(said).map((role, at) => ({ role, content: said[at] as string }));

const PROVIDERS: Record<string, Provider> = {
  anthropic: {
    path: () => "/anthropic/v1/messages",
    body: (said, stream) => ({ model: "m", max_tokens: 9, stream, messages: messages(said) }),
    events: (text) => [
      { type: "message_start", message: { id: "m1", role: "assistant", content: [] } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      { type: "message_stop" },
    ],
    error: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    whole: (text) => ({ id: "m1", role: "assistant", content: [{ type: "text", text }] }),
    texts: (body) => JSON.stringify(body.messages),
  },
  chat: {
    path: () => "/openai/v1/chat/completions",
    body: (said, stream) => ({ model: "m", stream, messages: messages(said) }),
    events: (content) => [{ id: "c1", choices: [{ index: 0, delta: { content } }] }, { choices: [] }],
    error: { error: { message: "The server had an error", type: "server_error" } },
    whole: (content) => ({ id: "c1", choices: [{ message: { role: "assistant", content } }] }),
    texts: (body) => JSON.stringify(body.messages),
  },
  responses: {
    path: () => "/openai/v1/responses",
    body: (said, stream) => ({ model: "m", stream, input: messages(said) }),
    events: (delta) => [
      { type: "response.created", response: { id: "r1", error: null } },
      { type: "response.output_text.delta", delta },
      { type: "response.completed", response: { id: "r1", status: "completed", error: null } },
    ],
    error: { type: "error", code: "server_error", message: "The server had an error" },
    whole: (text) => ({
      ...{ id: "r1", status: "completed", error: null },
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }],
    }),
    texts: (body) => JSON.stringify(body.input),
  },
  gemini: {
    path: (isStream) =>
      `/gemini/v1beta/models/m:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: (said) => ({
      contents: roles(said, "model").map((role, at) => ({ role, parts: [{ text: said[at] }] })),
    }),
    events: (text) => [{ candidates: [{ content: { role: "model", parts: [{ text }] } }] }],
    error: { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
    whole: (text) => ({ candidates: [{ content: { role: "model", parts: [{ text }] } }] }),
    texts: (body) => JSON.stringify(body.contents),
  },
};

const ENCODE = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

const STATUSES = ["401", "403", "429", "500", "529"] as const;
const BODY_STATUSES = ["400", "404", "413", "422"] as const;
type Fate =
  | "answered"
  | "thrown away"
  | "error at once"
  | "error behind words"
  | "cut"
  | (typeof STATUSES)[number]
  | (typeof BODY_STATUSES)[number];

async function talk(provider: Provider, headers: Record<string, string>, coding?: keyof typeof ENCODE) {
  const got: Record<string, unknown>[] = [];
  let fate: Fate = "answered";
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    got.push(JSON.parse(text));
    const words = `Answer ${got.length}.`;
    if (Number(fate) > 0) return void response.writeHead(Number(fate)).end("{}");
    const isStream = /"stream":true|streamGenerate/u.test(`${text}${request.url}`);
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
    const events = provider.events(words).map(event);
    const send = (given: string) => {
      if (coding === undefined) return void response.end(given);
      response.setHeader("content-encoding", coding);
      response.end(ENCODE[coding](given));
    };
    const whole = isStream ? events.join("") : JSON.stringify(provider.whole(words));
    // The client may send the same again all the same.
    if (fate === "answered" || fate === "thrown away") send(whole);
    else if (fate === "cut")
      response.write(whole.slice(0, whole.length / 2), () => response.socket?.destroy());
    else if (!isStream) send(JSON.stringify(provider.error));
    else send((fate === "error at once" ? "" : events.slice(0, 2).join("")) + event(provider.error));
  }, headers);
  const said = ["One."];
  const seen = () => provider.texts(got.at(-1) as Record<string, unknown>);
  return {
    /** Sends the conversation as it is, once more if it was sent before. */
    async ask(to: Fate, isStream = true): Promise<string> {
      fate = to;
      const body = provider.body(said, isStream);
      await post(provider.path(isStream), body)
        .then((answer) => answer.text())
        .catch(() => undefined);
      if (to === "answered") said.push(`Answer ${got.length}.`, `Next ${said.length}.`);
      return seen();
    },
    tell,
  };
}

/** What comes later begins with what was sent before. */
function expectToBegin(later: string, earlier: string): void {
  expect(later.slice(0, earlier.length - 1)).toBe(earlier.slice(0, -1));
}

const FOUND: [by: string, headers: Record<string, string>][] = [
  ["header", { "x-sotto-session": "s" }],
  ["content", {}],
];

describe.each(Object.entries(PROVIDERS))("%s", (_, provider) => {
  test.each(
    FOUND.flatMap(([by, headers]) =>
      (["error at once", "error behind words", "cut"] as const).map((fate) => [fate, by, headers] as const),
    ),
  )(
    "AC-59 %s, known by its %s: the same request again is the same conversation",
    async (fate, _by, headers) => {
      const { ask, tell } = await talk(provider, headers);
      await ask("answered");
      const first = await ask(fate);
      await tell("one");
      const again = await ask("answered");
      expectToBegin(again, first);
      const next = await ask("answered");
      expectToBegin(next, again);
      const last = await ask("answered");
      expectToBegin(last, next);
      expect(last.split("Mind one.")).toHaveLength(2);
    },
  );

  test.each(STATUSES)(
    "AC-59 %s with more waiting than one request tells: the same request again has the same bytes",
    async (status) => {
      const { ask, tell } = await talk(provider, { "x-sotto-session": "s" });
      await ask("answered");
      const ids = Array.from({ length: 45 }, (_, at) => `of ${at}`);
      await tell(ids, "a letter");
      const first = await ask(status);
      expect(await ask(status)).toBe(first);
      expect(await ask("answered")).toBe(first);
      let last = "";
      for (let turn = 0; turn < 2; turn++) last = await ask("answered");
      expectToBegin(last, first);
      expect(ids.filter((id) => last.split(`Mind ${id}.`).length !== 2)).toEqual([]);
    },
  );

  test.each(BODY_STATUSES)(
    "AC-59 %s refuses the body: the same one again begins with the same bytes, and each thing is told once",
    async (status) => {
      const { ask, tell } = await talk(provider, { "x-sotto-session": "s" });
      await ask("answered");
      const ids = Array.from({ length: 45 }, (_, at) => `of ${at}`);
      await tell(ids, "a letter");
      const first = await ask(status);
      const again = await ask(status);
      expectToBegin(again, first);
      let last = again;
      for (let turn = 0; turn < 3; turn++) {
        const next = await ask("answered");
        expectToBegin(next, last);
        last = next;
      }
      expect(ids.filter((id) => last.split(`Mind ${id}.`).length !== 2)).toEqual([]);
    },
  );

  test.each(
    (["400", "529", "cut", "error behind words"] as const).flatMap((fate) =>
      (["cut", "thrown away"] as const).map((other) => [fate, other] as const),
    ),
  )(
    "AC-59 %s, then another form that is %s, then the first form: it has what the other one had",
    async (fate, other) => {
      const { ask, tell } = await talk(provider, { "x-sotto-session": "s" });
      await ask("answered", false);
      await tell("one");
      const sent = [await ask(fate, false)];
      await tell("two");
      sent.push(await ask(other, true));
      sent.push(await ask("answered", false));
      sent.push(await ask("answered", false));
      for (const [at, one] of sent.slice(1).entries()) expectToBegin(one, sent[at] as string);
      expect(sent.map((one) => ["one", "two"].filter((id) => one.includes(`Mind ${id}.`)))).toEqual([
        ["one"],
        ["one", "two"],
        ["one", "two"],
        ["one", "two"],
      ]);
    },
  );
});

/** A provider that keeps the conversation: what a request that failed has said is not in it. */
async function startConversation(coding: keyof typeof ENCODE | undefined) {
  const { events, error, whole } = PROVIDERS.responses as Provider;
  const kept: unknown[] = [];
  let fate: Fate = "answered";
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { input, stream } = JSON.parse(text);
    if (fate === "answered") kept.push(input);
    const failing = fate === "error at once" ? [error] : [...events("Well.").slice(0, 2), error];
    const all = fate === "answered" ? events("Well.") : failing;
    const streamed = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    const given = stream ? streamed : JSON.stringify(fate === "answered" ? whole("Well.") : error);
    response.setHeader("content-type", stream ? "text/event-stream" : "application/json");
    if (coding !== undefined) response.setHeader("content-encoding", coding);
    response.end(coding === undefined ? given : ENCODE[coding](given));
  }, {});
  return {
    async ask(to: Fate, words: string, stream: boolean): Promise<void> {
      fate = to;
      const input = [{ role: "user", content: words }];
      const answer = await post("/openai/v1/responses", { model: "m", conversation: "c1", input, stream });
      await answer.text();
    },
    tell,
    heard: () => JSON.stringify(kept),
  };
}

test.each(
  ([undefined, "gzip", "br", "deflate"] as const).flatMap((coding) =>
    ([true, false] as const).flatMap((stream) =>
      (["error at once", "error behind words"] as const).map((fate) => [coding, stream, fate] as const),
    ),
  ),
)(
  "AC-59 a conversation that the provider keeps, encoded as %s, streamed: %s, %s: what it would have heard comes again",
  async (coding, stream, fate) => {
    const { ask, tell, heard } = await startConversation(coding);
    await ask("answered", "Begin.", stream);
    for (const id of ["one", "two", "three"]) {
      await tell(id);
      await ask(fate, `About ${id}.`, stream);
      await ask("answered", `About ${id}, again.`, stream);
      await ask("answered", `More about ${id}.`, stream);
      expect(heard().split(`Mind ${id}.`)).toHaveLength(2);
    }
  },
);

test.each([
  ["a page of a proxy", "text/html", "<html>Sign in</html>"],
  ["an empty text", "application/json", ""],
  ["white space", "application/json", " \n "],
  ["null", "application/json", "null"],
  ["no field", "application/json", "{}"],
  ["an empty list", "application/json", "[]"],
  ["half of an answer, as if whole", "application/json", '{"id": "resp_1", "status": "comp'],
  ["a failure without a type", undefined, '{"id": "resp_1", "status": "failed"}'],
])("AC-59 %s behind a status of success is no answer", async (_, type, text) => {
  expect(await timesTold(type, text)).toBe(1);
});

test.each([
  ["events without a type", undefined, 'data: {"type": "response.completed"}\n\n'],
  ["events as text", "text/plain", 'data: {"type": "response.completed"}\n\n'],
  ["lines of JSON", "application/x-ndjson", '{"id": "resp_1"}\n{"id": "resp_1"}\n'],
])("%s may be an answer", async (_, type, text) => {
  // This provider did not keep it.
  expect(await timesTold(type, text)).toBe(0);
});

/** How often a provider keeps what was told with a request that it answered so, and with the next ones, answered well. */
async function timesTold(type: string | undefined, text: string): Promise<number> {
  const kept: unknown[] = [];
  let fails = false;
  const { post, tell } = await startToldGateway(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (fails) {
      if (type !== undefined) response.setHeader("content-type", type);
      return void response.end(text);
    }
    kept.push(JSON.parse(body).input);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: `resp_${kept.length}`, status: "completed", output: [] }));
  }, {});
  const ask = async (words: string, failing = false) => {
    fails = failing;
    const input = [{ role: "user", content: words }];
    const answer = await post("/openai/v1/responses", { model: "m", conversation: "c1", input });
    return answer.text();
  };
  await ask("Begin.");
  await tell("one");
  expect(await ask("On.", true)).toBe(text);
  await ask("On, again.");
  await ask("More.");
  return JSON.stringify(kept).split("Mind one.").length - 1;
}

describe.each(Object.keys(ENCODE) as (keyof typeof ENCODE)[])("encoded as %s", (coding) => {
  test.each(Object.entries(PROVIDERS))(
    "AC-59 %s: an answer that fails behind words is none",
    async (_, provider) => {
      const { ask, tell } = await talk(provider, {}, coding);
      await ask("answered");
      const first = await ask("error behind words");
      await tell("one");
      const again = await ask("answered");
      expectToBegin(again, first);
      const last = await ask("answered");
      expectToBegin(last, again);
      expect(last.split("Mind one.")).toHaveLength(2);
    },
  );
});
