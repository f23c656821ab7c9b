// The real Anthropic SDK talks to the loopback server as it would to the provider.
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const opened: ModelServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

const model = "claude-test";
const question = { role: "user" as const, content: "What is the weather in Paris?" };
const plain = { model, max_tokens: 2048, messages: [question] };
const tools = [{ name: "get_weather", input_schema: { type: "object" as const } }];

async function connect(
  script: ModelServerOptions["script"],
  rules: { midConversationSystem?: boolean } = {},
) {
  const server = await startModelServer({ provider: "anthropic", script, ...rules });
  opened.push(server);
  return { server, client: new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0 }) };
}

test("answers in one piece", async () => {
  const { server, client } = await connect([
    { text: "Sunny.", usage: { input: 7, output: 3, cacheRead: 5, cacheWrite: 2 } },
  ]);
  expect(await client.messages.create(plain)).toMatchObject({
    ...{ type: "message", role: "assistant", model, stop_reason: "end_turn" },
    content: [{ type: "text", text: "Sunny." }],
    usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 2 },
  });
  expect(server.requests).toEqual([
    {
      ...{
        index: 0,
        path: "/v1/messages",
        status: 200,
        violations: [],
        body: plain,
        raw: JSON.stringify(plain),
      },
      time: expect.any(Number),
      headers: expect.objectContaining({ authorization: "Bearer key" }),
    },
  ]);
  expect(server.violations).toEqual([]);
});

test.each([false, true])("drives a tool loop with thinking, streamed: %s", async (streamed) => {
  const { server, client } = await connect([
    {
      thinking: "Hm, Paris…",
      text: "I look.",
      toolCalls: [
        { name: "get_weather", input: { city: "Zürich 🏔️" } },
        { id: "mine", name: "get_weather", input: {} },
      ],
    },
    { text: "Sunny in both." },
  ]);
  const body = { ...plain, tools, thinking: { type: "enabled" as const, budget_tokens: 1024 } };
  const say = (messages: Anthropic.MessageParam[]) =>
    streamed
      ? client.messages.stream({ ...body, messages }).finalMessage()
      : client.messages.create({ ...body, messages });

  const first = await say([question]);
  expect(first.stop_reason).toBe("tool_use");
  expect(first.content).toMatchObject([
    { type: "thinking", thinking: "Hm, Paris…", signature: expect.stringMatching(/./) },
    { type: "text", text: "I look." },
    { type: "tool_use", id: "toolu_0001", name: "get_weather", input: { city: "Zürich 🏔️" } },
    { type: "tool_use", id: "mine", name: "get_weather", input: {} },
  ]);
  const results = ["toolu_0001", "mine"].map((tool_use_id) => ({
    type: "tool_result" as const,
    tool_use_id,
    content: "sunny",
  }));
  const content = first.content as Anthropic.ContentBlockParam[];
  const second = await say([question, { role: "assistant", content }, { role: "user", content: results }]);
  expect(second.content).toMatchObject([{ type: "text", text: "Sunny in both." }]);
  expect(server.violations).toEqual([]);
});

test("streams the events in the provider's order", async () => {
  const { client } = await connect([
    { text: "Sunny.", toolCalls: [{ name: "get_weather", input: { a: 1 } }], usage: { output: 9 } },
  ]);
  const events: Anthropic.RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...plain, tools, stream: true }))
    events.push(event);
  expect(events.map(({ type }) => type)).toEqual([
    "message_start",
    ...["content_block_start", "content_block_delta", "content_block_stop"],
    ...["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"],
    ...["message_delta", "message_stop"],
  ]);
  expect(events[5]).toMatchObject({ index: 1, delta: { type: "input_json_delta", partial_json: "" } });
  expect(events[6]).toMatchObject({ index: 1, delta: { type: "input_json_delta", partial_json: '{"a":1}' } });
  expect(events[8]).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } });
});

test("refuses what breaks a rule, in the provider's shape, without using up the script", async () => {
  const { server, client } = await connect([{ text: "Sunny." }]);
  const refused = client.messages.create({ ...plain, messages: [{ role: "user", content: "" }] });
  const error = await refused.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  const message =
    "messages.0: all messages must have non-empty content except for the optional final assistant message";
  expect(error).toMatchObject({
    status: 400,
    error: { type: "error", error: { type: "invalid_request_error", message } },
  });
  expect(await client.messages.create(plain)).toMatchObject({ content: [{ text: "Sunny." }] });
  expect(server.violations).toEqual([`request 0: ${message}`]);
  expect(server.requests.map(({ status }) => status)).toEqual([400, 200]);
});

test("takes the role system in the middle only where told to", async () => {
  const body = { ...plain, messages: [question, { role: "system" as const, content: "Be brief." }] };
  const { client: without } = await connect([{ text: "x" }]);
  await expect(without.messages.create(body)).rejects.toThrow(/Unexpected role/);
  const { client: having } = await connect([{ text: "x" }], { midConversationSystem: true });
  expect(await having.messages.create(body)).toMatchObject({ content: [{ text: "x" }] });
});

test("goes by the version of the API that the client names", async () => {
  const { server, client } = await connect([{ text: "x" }]);
  const cooler = { ...plain, temperature: 0 };
  await expect(client.messages.create(cooler)).rejects.toThrow(/temperature: Extra inputs are not permitted/);
  await client.messages.create(cooler, { headers: { "anthropic-version": "2023-06-01" } });
  expect(server.requests.map(({ status }) => status)).toEqual([400, 200]);
});

test.each([
  [429, Anthropic.RateLimitError, "rate_limit_error"],
  [500, Anthropic.InternalServerError, "api_error"],
  [529, Anthropic.InternalServerError, "overloaded_error"],
])("answers with status %i", async (status, kind, type) => {
  const { server, client } = await connect([{ status, error: "Not now." }]);
  const error = await client.messages.create(plain).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, error: { type: "error", error: { type, message: "Not now." } } });
  expect(server.violations).toEqual([]);
});

test("sees the client's retries, with the same bytes", async () => {
  const headers = { "retry-after-ms": "1" };
  const { server, client } = await connect([
    { status: 529, headers },
    { cut: "before-headers" },
    { text: "Sunny." },
  ]);
  const patient = client.withOptions({ maxRetries: 2 });
  expect(await patient.messages.create(plain)).toMatchObject({ content: [{ text: "Sunny." }] });
  expect(server.requests.map(({ status }) => status)).toEqual([529, null, 200]);
  expect(new Set(server.requests.map(({ raw }) => raw)).size).toBe(1);
});

test("cuts a connection before it answers", async () => {
  const { server, client } = await connect([{ cut: "before-headers" }]);
  await expect(client.messages.create(plain)).rejects.toBeInstanceOf(Anthropic.APIConnectionError);
  expect(server.requests).toMatchObject([{ body: plain, status: null }]);
});

test.each([
  ["after-first-event", ["message_start"]],
  ["mid-stream", ["message_start", "content_block_start", "content_block_delta"]],
] as const)("cuts a stream %s", async (cut, seen) => {
  const { client } = await connect([{ cut, text: "Sunny." }]);
  const events: string[] = [];
  const read = async () => {
    for await (const { type } of await client.messages.create({ ...plain, stream: true })) events.push(type);
  };
  await expect(read()).rejects.toThrow();
  expect(events).toEqual(seen);
});

test("cuts an answer in one piece", async () => {
  const { client } = await connect([{ cut: "mid-stream" }]);
  await expect(client.messages.create(plain)).rejects.toThrow();
});
