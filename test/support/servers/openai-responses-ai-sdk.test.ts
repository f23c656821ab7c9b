// The AI SDK talks to the loopback server as it would to the Responses API.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool } from "ai";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model-server.ts";

const opened: ModelServer[] = [];
afterEach(() => Promise.all(opened.splice(0).map((server) => server.close())));

const question: ModelMessage = { role: "user", content: "What is the weather in Paris?" };
const tools = {
  get_weather: tool({
    inputSchema: jsonSchema<{ city?: string }>({ type: "object", properties: { city: { type: "string" } } }),
    execute: async ({ city = "there" }) => `sunny in ${city}`,
  }),
};
const calls = [
  { name: "get_weather", input: { city: "Zürich 🏔️" } },
  { name: "get_weather", input: {} },
];

async function connect(script: ModelServerOptions["script"], name = "gpt-5") {
  const server = await startModelServer({ provider: "openai-responses", script });
  opened.push(server);
  const model = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "key" }).responses(name);
  return {
    server,
    settings: { model, tools, maxRetries: 0, stopWhen: isStepCount(5), instructions: "Be brief." },
  };
}

test.each([
  ["kept by the server", true, false],
  ["kept by the server, streamed", true, true],
  ["kept by the client", false, false],
  ["kept by the client, streamed", false, true],
])("drives a tool loop, %s", async (_, store, streamed) => {
  const { server, settings } = await connect([
    { thinking: "Hm.", text: "I look.", toolCalls: calls, usage: { input: 7, output: 3, cacheRead: 5 } },
    { thinking: "Aha.", text: "Sunny in both." },
    { text: "You are welcome." },
  ]);
  const providerOptions = { openai: { store, reasoningSummary: "auto" } };
  const say = async (messages: ModelMessage[]) => {
    const request = { ...settings, messages, providerOptions };
    const result = streamed ? streamText(request) : await generateText(request);
    const steps = await result.steps;
    return { steps, messages: await result.responseMessages };
  };

  const first = await say([question]);
  expect(first.steps).toMatchObject([
    {
      ...{ text: "I look.", reasoningText: "Hm.", finishReason: "tool-calls" },
      toolResults: [{ output: "sunny in Zürich 🏔️" }, { output: "sunny in there" }],
      usage: { inputTokens: 12, outputTokens: 3, inputTokenDetails: { cacheReadTokens: 5 } },
    },
    { text: "Sunny in both.", reasoningText: "Aha.", finishReason: "stop" },
  ]);
  const second = await say([question, ...first.messages, { role: "user", content: "Thanks." }]);
  expect(second.steps).toMatchObject([{ text: "You are welcome." }]);
  expect(server.violations).toEqual([]);
  const { input } = JSON.parse(server.requests[2]?.raw ?? "") as {
    input: { type?: string; role?: string }[];
  };
  const kept = (type: string) => (store ? "item_reference" : type);
  expect(input.map(({ type, role }) => type ?? role)).toEqual([
    ...["developer", "user", kept("reasoning"), kept("assistant"), "function_call", "function_call"],
    ...["function_call_output", "function_call_output", kept("reasoning"), kept("assistant"), "user"],
  ]);
});

test("goes on from a response by its id", async () => {
  const { server, settings } = await connect([
    { text: "Sunny." },
    { toolCalls: calls },
    { text: "Sunny in both." },
  ]);
  const first = await generateText({ ...settings, messages: [question] });
  const second = await generateText({
    ...settings,
    messages: [{ role: "user", content: "And elsewhere?" }],
    providerOptions: { openai: { previousResponseId: first.response.id } },
  });
  expect(second.text).toBe("Sunny in both.");
  expect(server.violations).toEqual([]);
});

test.each([
  [429, true],
  [500, true],
  [400, false],
])("answers with status %i", async (statusCode, isRetryable) => {
  const headers = { "retry-after": "7" };
  const { settings } = await connect([{ status: statusCode, error: "Not now.", headers }]);
  await expect(generateText({ ...settings, messages: [question] })).rejects.toMatchObject({
    ...{ statusCode, isRetryable, message: "Not now.", responseHeaders: headers },
  });
});

test("tells of a stream that is cut", async () => {
  const text = "Sunny in Zürich and elsewhere.";
  const { settings } = await connect([{ cut: "mid-stream", text }]);
  const result = streamText({ ...settings, messages: [question], onError: () => {} });
  let seen = "";
  const read = async () => {
    for await (const part of result.stream) if (part.type === "text-delta") seen += part.text;
  };
  await expect(read()).rejects.toThrow();
  // How much of it arrives before the end does is up to the machine.
  expect([text.startsWith(seen), seen === text]).toEqual([true, false]);
});
