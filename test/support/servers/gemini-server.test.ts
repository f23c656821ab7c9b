// The AI SDK talks to the loopback server as it would to Gemini.
import { createGoogle } from "@ai-sdk/google";
import { generateText, isStepCount, jsonSchema, type ModelMessage, streamText, tool } from "ai";
import { afterEach, describe, expect, test } from "vitest";
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

async function connect(script: ModelServerOptions["script"], name = "gemini-3.8-flash") {
  const server = await startModelServer({ provider: "gemini", script });
  opened.push(server);
  const model = createGoogle({ baseURL: `${server.url}/v1beta`, apiKey: "key" })(name);
  const settings = { model, tools, maxRetries: 0, stopWhen: isStepCount(5), instructions: "Be brief." };
  const post = async (method: string, body: unknown) => {
    const address = `${server.url}/v1beta/models/${name}:${method}`;
    return fetch(address, { method: "POST", body: JSON.stringify(body) });
  };
  return { server, settings, post };
}

const hi = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };

test("answers in one piece", async () => {
  const { server, settings } = await connect([
    { text: "Sunny.", usage: { input: 7, output: 3, cacheRead: 5 } },
  ]);
  const result = await generateText({ ...settings, messages: [question] });
  expect(result).toMatchObject({
    ...{ text: "Sunny.", finishReason: "stop" },
    usage: { inputTokens: 12, outputTokens: 3, inputTokenDetails: { cacheReadTokens: 5 } },
  });
  expect(server.requests).toMatchObject([
    {
      ...{ path: "/v1beta/models/gemini-3.8-flash:generateContent", status: 200, violations: [] },
      headers: { "x-goog-api-key": "key" },
      body: { contents: [{ role: "user" }], systemInstruction: { parts: [{ text: "Be brief." }] } },
    },
  ]);
});

describe.each(["gemini-2.5-flash", "gemini-3.8-flash"])("%s", (name) => {
  test.each([false, true])("drives a tool loop, streamed: %s", async (streamed) => {
    const { server, settings } = await connect(
      [
        { thinking: "Hm.", text: "I look.", toolCalls: calls },
        { thinking: "Aha.", text: "Sunny in both." },
        { text: "You are welcome." },
      ],
      name,
    );
    const providerOptions = { google: { thinkingConfig: { includeThoughts: true } } };
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
      },
      { text: "Sunny in both.", reasoningText: "Aha.", finishReason: "stop" },
    ]);
    const second = await say([question, ...first.messages, { role: "user", content: "Thanks." }]);
    expect(second.steps).toMatchObject([{ text: "You are welcome." }]);
    expect(server.violations).toEqual([]);
    const { contents } = JSON.parse(server.requests[2]?.raw ?? "");
    const signature = Buffer.from("signed:loopback_1").toString("base64");
    expect(contents[1]).toMatchObject({
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { text: "I look." },
        { functionCall: { name: "get_weather", args: { city: "Zürich 🏔️" } }, thoughtSignature: signature },
        { functionCall: { name: "get_weather", args: {} } },
      ],
    });
  });
});

test("shows thinking and text piece by piece, then the calls, signed", async () => {
  const { post } = await connect([
    { thinking: "Hm.", text: "Sunny in both.", toolCalls: [{ id: "a", name: "t", input: {} }] },
  ]);
  const body = { ...hi, generationConfig: { thinkingConfig: { includeThoughts: true } } };
  const response = await post("streamGenerateContent?alt=sse", body);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  const events = (await response.text()).split("\r\n\r\n").slice(0, -1);
  const chunks = events.map((event) => JSON.parse(event.replace(/^data: /, "")));
  const thoughtSignature = Buffer.from("signed:loopback_1").toString("base64");
  const finish = { finishReason: "STOP", finishMessage: "Model generated function call(s)." };
  expect(chunks.map(({ candidates }) => candidates)).toEqual(
    [
      [{ text: "Hm.", thought: true }],
      [{ text: "Sunny in" }],
      [{ text: " both." }],
      [{ functionCall: { name: "t", args: {}, id: "a" }, thoughtSignature }],
    ].map((parts, at) => [{ content: { parts, role: "model" }, ...(at === 3 && finish), index: 0 }]),
  );
  expect(chunks.map(({ modelVersion, responseId }) => [modelVersion, responseId])).toEqual(
    chunks.map(() => ["gemini-3.8-flash", "loopback_1"]),
  );
});

test("gives a stream in no particular form as a list", async () => {
  const { post } = await connect([{ text: "Sunny." }]);
  const response = await post("streamGenerateContent", hi);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject([
    { candidates: [{ content: { parts: [{ text: "Sunny." }] } }] },
    { candidates: [{ finishReason: "STOP" }] },
  ]);
});

test("refuses what breaks a rule of the model in the address, without using up the script", async () => {
  const ending = { contents: [...hi.contents, { role: "model", parts: [{ text: "Hel" }] }] };
  const { server, post, settings } = await connect([{ text: "Sunny." }]);
  const refused = await post("generateContent", ending);
  const message = "Requests ending with a model turn are not supported.";
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
  ]);
  expect((await generateText({ ...settings, messages: [question] })).text).toBe("Sunny.");
  expect(server.violations).toEqual([`request 0: ${message}`]);
  const older = await connect([{ text: "lo." }], "gemini-2.5-flash");
  expect((await older.post("generateContent", ending)).status).toBe(200);
  expect((await post("countTokens", hi)).status).toBe(404);
});

test.each([
  [429, "RESOURCE_EXHAUSTED", true],
  [500, "INTERNAL", true],
  [400, "INVALID_ARGUMENT", false],
])("answers with status %i", async (statusCode, status, isRetryable) => {
  const headers = { "retry-after": "7" };
  const { settings } = await connect([{ status: statusCode, error: "Not now.", headers }]);
  await expect(generateText({ ...settings, messages: [question] })).rejects.toMatchObject({
    ...{ statusCode, isRetryable, message: "Not now.", responseHeaders: headers },
    data: { error: { code: statusCode, status } },
  });
});

test("cuts a connection before it answers", async () => {
  const { server, settings } = await connect([{ cut: "before-headers" }]);
  await expect(generateText({ ...settings, messages: [question] })).rejects.toThrow();
  expect(server.requests).toMatchObject([{ status: null }]);
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
