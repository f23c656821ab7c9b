// The real OpenAI SDK talks to the loopback server as it would to the provider.
import OpenAI from "openai";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const opened: ModelServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

const model = "gpt-test";
const question = { role: "user" as const, content: "What is the weather in Paris?" };
const plain = { model, messages: [question] };
const tools = [
  { type: "function" as const, function: { name: "get_weather", parameters: { type: "object" } } },
];

async function connect(script: ModelServerOptions["script"]) {
  const server = await startModelServer({ provider: "openai-chat", script });
  opened.push(server);
  return { server, client: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "key", maxRetries: 0 }) };
}

test("answers in one piece", async () => {
  const { server, client } = await connect([
    { text: "Sunny.", usage: { input: 7, output: 3, cacheRead: 5 } },
  ]);
  expect(await client.chat.completions.create(plain)).toMatchObject({
    object: "chat.completion",
    model,
    choices: [{ message: { role: "assistant", content: "Sunny." }, finish_reason: "stop" }],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 5 },
    },
  });
  expect(server.requests).toEqual([
    {
      ...{
        index: 0,
        path: "/v1/chat/completions",
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

test.each([false, true])("drives a tool loop, streamed: %s", async (streamed) => {
  const calls = [
    { name: "get_weather", input: { city: "Zürich 🏔️" } },
    { id: "mine", name: "get_weather", input: {} },
  ];
  const { server, client } = await connect([
    { thinking: "Hm.", toolCalls: calls },
    { text: "Sunny in both." },
  ]);
  const say = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
    const body = { model, tools, messages };
    const completion = streamed
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    return completion.choices[0];
  };

  const first = await say([question]);
  expect(first).toMatchObject({
    finish_reason: "tool_calls",
    message: {
      content: null,
      tool_calls: [
        {
          id: "call_0001",
          type: "function",
          function: { name: "get_weather", arguments: '{"city":"Zürich 🏔️"}' },
        },
        { id: "mine", type: "function", function: { name: "get_weather", arguments: "{}" } },
      ],
    },
  });
  const asked = first?.message as OpenAI.ChatCompletionMessageParam;
  const results = ["mine", "call_0001"].map((tool_call_id) => ({
    ...{ role: "tool" as const, tool_call_id, content: "sunny" },
  }));
  expect((await say([question, asked, ...results]))?.message.content).toBe("Sunny in both.");
  expect(server.violations).toEqual([]);
});

test("streams the chunks in the provider's order", async () => {
  const { client } = await connect([{ text: "Sunny.", usage: { input: 1, output: 2 } }, { text: "Sunny." }]);
  const read = async (options: object) => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of await client.chat.completions.create({ ...plain, stream: true, ...options }))
      chunks.push(chunk);
    return chunks.map(({ choices, usage }) => [
      choices[0]?.delta,
      choices[0]?.finish_reason,
      usage?.total_tokens,
    ]);
  };
  const said = [
    [{ role: "assistant", content: "", refusal: null }, null, undefined],
    [{ content: "Sunny." }, null, undefined],
    [{}, "stop", undefined],
  ];
  expect(await read({ stream_options: { include_usage: true } })).toEqual([
    ...said,
    [undefined, undefined, 3],
  ]);
  expect(await read({})).toEqual(said);
});

test("ends a stream as the provider does", async () => {
  const { server } = await connect([{ text: "Sunny." }]);
  const body = JSON.stringify({ ...plain, stream: true });
  const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(await response.text()).toMatch(/\n\ndata: \[DONE\]\n\n$/);
});

test("refuses what breaks a rule, in the provider's shape, without using up the script", async () => {
  const { server, client } = await connect([{ text: "Sunny." }]);
  const error = await client.chat.completions
    .create({ model, messages: [] })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  const message =
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
  expect(error).toMatchObject({
    status: 400,
    error: { type: "invalid_request_error", message, param: null, code: null },
  });
  expect((await client.chat.completions.create(plain)).choices[0]?.message.content).toBe("Sunny.");
  expect(server.violations).toEqual([`request 0: ${message}`]);
});

test.each([
  [429, OpenAI.RateLimitError, "rate_limit_exceeded"],
  [500, OpenAI.InternalServerError, null],
])("answers with status %i", async (status, kind, code) => {
  const { client } = await connect([{ status, error: "Not now." }]);
  const error = await client.chat.completions.create(plain).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(error).toMatchObject({ status, code, error: { message: "Not now." } });
});

test("cuts a connection before it answers", async () => {
  const { server, client } = await connect([{ cut: "before-headers" }]);
  await expect(client.chat.completions.create(plain)).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
  expect(server.requests).toMatchObject([{ body: plain, status: null }]);
});

test.each([
  ["after-first-event", [""]],
  ["mid-stream", ["", "Sunny in"]],
] as const)("cuts a stream %s", async (cut, seen) => {
  const { client } = await connect([{ cut, text: "Sunny in" }]);
  const contents: unknown[] = [];
  const read = async () => {
    const chunks = await client.chat.completions.create({ ...plain, stream: true });
    for await (const { choices } of chunks) contents.push(choices[0]?.delta.content);
  };
  await expect(read()).rejects.toThrow();
  expect(contents).toEqual(seen);
});

test("cuts an answer in one piece", async () => {
  const { client } = await connect([{ cut: "mid-stream" }]);
  await expect(client.chat.completions.create(plain)).rejects.toThrow();
});
