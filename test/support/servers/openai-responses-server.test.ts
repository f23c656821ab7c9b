// The real OpenAI SDK talks to the loopback server as it would to the Responses API.
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const opened: ModelServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

const model = "gpt-test";
const plain = { model, input: "What is the weather in Paris?" };
const tools: OpenAI.Responses.FunctionTool[] = [
  { type: "function", name: "get_weather", parameters: { type: "object" }, strict: false },
];

async function connect(script: ModelServerOptions["script"]) {
  const server = await startModelServer({ provider: "openai-responses", script });
  opened.push(server);
  return { server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "key", maxRetries: 0 }) };
}

test("answers in one piece", async () => {
  const { server, client } = await connect([
    { text: "Sunny.", usage: { input: 7, output: 3, cacheRead: 5, cacheWrite: 1 } },
  ]);
  expect(await client.responses.create(plain)).toMatchObject({
    ...{ object: "response", status: "completed", model, output_text: "Sunny.", error: null },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Sunny." }] }],
    usage: {
      input_tokens: 13,
      input_tokens_details: { cached_tokens: 5, cache_write_tokens: 1 },
      output_tokens: 3,
      total_tokens: 16,
    },
  });
  expect(server.requests).toMatchObject([
    { index: 0, path: "/v1/responses", status: 200, violations: [], body: plain, raw: JSON.stringify(plain) },
  ]);
});

const calls = [
  { name: "get_weather", input: { city: "Zürich 🏔️" } },
  { id: "mine", name: "get_weather", input: {} },
];
const outputs = ["mine", "call_0001"].map((call_id) => ({
  ...{ type: "function_call_output" as const, call_id, output: "sunny" },
}));

test.each([false, true])("drives a tool loop, streamed: %s", async (streamed) => {
  const { server, client } = await connect([
    { thinking: "Hm.", text: "I look.", toolCalls: calls },
    { text: "Sunny in both." },
  ]);
  const say = async (input: OpenAI.Responses.ResponseInput) => {
    const body = { model, tools, input };
    const response = await (streamed
      ? client.responses.stream(body).finalResponse()
      : client.responses.create(body));
    return response;
  };
  const question = { role: "user" as const, content: plain.input };

  const first = await say([question]);
  expect(first.output).toMatchObject([
    { type: "reasoning", id: "rs_loopback_1", summary: [] },
    { type: "message", id: "msg_loopback_1", phase: "commentary" },
    { type: "function_call", call_id: "call_0001", name: "get_weather", arguments: '{"city":"Zürich 🏔️"}' },
    { type: "function_call", call_id: "mine", name: "get_weather", arguments: "{}" },
  ]);
  // What the SDK adds to a streamed answer, the API does not take back.
  const items = JSON.parse(
    JSON.stringify(first.output, (key, value) => (key.startsWith("parsed") ? undefined : value)),
  );
  expect((await say([question, ...items, ...outputs])).output_text).toBe("Sunny in both.");
  expect(server.violations).toEqual([]);
});

test("goes on from a response that it kept, and from none that it did not", async () => {
  const { server, client } = await connect([
    { thinking: "Hm.", toolCalls: calls },
    { text: "Sunny in both." },
    { text: "You asked for the weather." },
    { text: "Forgotten." },
  ]);
  const first = await client.responses.create({ ...plain, tools });
  const behind = (previous_response_id: string, input: OpenAI.Responses.ResponseInput | string) =>
    client.responses.create({ model, tools, previous_response_id, input });
  await expect(behind(first.id, "And now?")).rejects.toThrow(
    "No tool output found for function call call_0001.",
  );
  const second = await behind(first.id, outputs);
  const third = await behind(second.id, "What did I ask for?");
  expect([second, third]).toMatchObject([
    { output_text: "Sunny in both.", previous_response_id: first.id },
    { output_text: "You asked for the weather.", previous_response_id: second.id },
  ]);

  const { id } = await client.responses.create({ ...plain, store: false });
  const error = await behind(id, "And now?").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    ...{ status: 400, code: "previous_response_not_found", param: "previous_response_id" },
    error: { message: `Previous response with id '${id}' not found.` },
  });
  expect(server.requests.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 400]);
});

test("streams the events in the provider's order", async () => {
  const { client } = await connect([{ thinking: "Hm.", text: "Sunny in", toolCalls: calls.slice(1) }]);
  const types: string[] = [];
  const numbers: number[] = [];
  const stream = await client.responses.create({
    ...{ ...plain, tools, stream: true, reasoning: { summary: "auto" } },
    include: ["reasoning.encrypted_content"],
  });
  for await (const event of stream) {
    types.push(event.type.replace("response.", ""));
    numbers.push(event.sequence_number);
  }
  expect(types).toEqual([
    ...["created", "in_progress", "output_item.added", "reasoning_summary_part.added"],
    ...["reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done"],
    ...["output_item.done", "output_item.added", "content_part.added", "output_text.delta"],
    ...["output_text.done", "content_part.done", "output_item.done", "output_item.added"],
    ...["function_call_arguments.delta", "function_call_arguments.done", "output_item.done", "completed"],
  ]);
  expect(numbers).toEqual(types.map((_, index) => index));
});

test("refuses what breaks a rule, in the provider's shape, without using up the script", async () => {
  const { server, client } = await connect([{ text: "Sunny." }]);
  const error = await client.responses
    .create({ ...plain, max_output_tokens: 1 })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  const message =
    "Invalid 'max_output_tokens': value below minimum value. Expected a value >= 16, but got 1 instead.";
  expect(error).toMatchObject({
    error: { type: "invalid_request_error", message, param: "max_output_tokens", code: null },
  });
  await expect(
    client.responses.create({ model, input: [{ type: "item_reference", id: "msg_1" }] }),
  ).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  expect((await client.responses.create(plain)).output_text).toBe("Sunny.");
  expect(server.violations).toEqual([`request 0: ${message}`, "request 1: Item with id 'msg_1' not found."]);
});

test.each([
  [429, OpenAI.RateLimitError, "rate_limit_exceeded"],
  [500, OpenAI.InternalServerError, null],
])("answers with status %i", async (status, kind, code) => {
  const { client } = await connect([{ status, error: "Not now.", headers: { "retry-after": "7" } }]);
  const error = await client.responses.create(plain).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, code, error: { message: "Not now." } });
  expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get("retry-after")).toBe("7");
});

test("cuts a connection before it answers", async () => {
  const { server, client } = await connect([{ cut: "before-headers" }]);
  await expect(client.responses.create(plain)).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
  expect(server.requests).toMatchObject([{ body: plain, status: null }]);
});

test.each([
  ["after-first-event", ["response.created"]],
  [
    "mid-stream",
    [
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
    ],
  ],
] as const)("cuts a stream %s", async (cut, seen) => {
  const { client } = await connect([{ cut, text: "Sunny in" }]);
  const types: string[] = [];
  const read = async () => {
    const stream = await client.responses.create({ ...plain, stream: true });
    for await (const { type } of stream) types.push(type);
  };
  await expect(read()).rejects.toThrow();
  // How much of it arrives before the end does is up to the machine.
  expect(types).toEqual(seen.slice(0, types.length));
});

test("cuts an answer in one piece", async () => {
  const { client } = await connect([{ cut: "mid-stream" }]);
  await expect(client.responses.create(plain)).rejects.toThrow();
});
