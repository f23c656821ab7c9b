// Records what the providers' own clients send: `node test/support/record-fixtures.ts` writes the dialects' fixtures.

import { writeFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { type Content, GoogleGenAI, type Part } from "@google/genai";
import OpenAI from "openai";
import { type ModelServerOptions, startModelServer } from "./servers/model-server.ts";

const FIXTURES = new URL("../../packages/sotto/src/dialects/fixtures/", import.meta.url);
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const QUESTION = "Which of these two cities is warmer?";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const description = "The weather of a city.";
const lookups = [
  { name: "get_weather", input: { city: "Paris" } },
  { name: "get_weather", input: { city: "Zürich" } },
];

/** One file each: the bodies of a conversation's requests, in order. */
const recordings: Record<string, () => Promise<unknown[]>> = {
  "anthropic-messages.tool-loop": () =>
    record(
      "anthropic",
      [{ thinking: "Both.", text: "I look.", toolCalls: lookups }, { text: "Paris." }],
      loop,
    ),
  "anthropic-messages.tool-runner": () =>
    record("anthropic", [{ toolCalls: lookups }, { toolCalls: lookups }, { text: "Paris." }], runner),
  "anthropic-messages.prefill": () => record("anthropic", [{ text: "Paris" }, { text: "B" }], prefill),
  "openai-chat.tool-loop": () =>
    record("openai-chat", [{ text: "I look.", toolCalls: lookups }, { text: "Paris." }], chatLoop),
  "openai-chat.run-tools": () =>
    record("openai-chat", [{ toolCalls: lookups }, { toolCalls: lookups }, { text: "Paris." }], chatRunner),
  "openai-responses.tool-loop": () =>
    record(
      "openai-responses",
      [{ thinking: "Hm.", text: "I look.", toolCalls: lookups }, { text: "Paris." }, { text: "Yes." }],
      responsesLoop,
    ),
  "openai-responses.kept": () =>
    record("openai-responses", [{ toolCalls: lookups }, { text: "Paris." }, { text: "Yes." }], keptLoop),
  "gemini.tool-loop": () =>
    record(
      "gemini",
      [{ thinking: "Hm.", text: "I look.", toolCalls: lookups }, { text: "Paris." }, { text: "Yes." }],
      geminiLoop,
    ),
  "gemini.chat": () => record("gemini", [{ text: "Paris." }, { text: "Yes." }], geminiChat),
};

/** Streamed, with thinking, an image asked about and one answered, the breakpoint moved as the history grows. */
async function loop(url: string): Promise<void> {
  const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;
  const cache_control = { type: "ephemeral" } as const;
  const ask = (messages: Anthropic.MessageParam[]) =>
    client.messages
      .stream({
        model: "claude-test",
        max_tokens: 4096,
        system: [{ type: "text", text: "Answer in one word.", cache_control }],
        thinking: { type: "enabled", budget_tokens: 1024 },
        tools: [{ name: "get_weather", description, input_schema: { ...schema, required: ["city"] } }],
        messages,
      })
      .finalMessage();
  const question = { type: "text", text: QUESTION } as const;
  const first = await ask([{ role: "user", content: [image, { ...question, cache_control }] }]);
  const calls = first.content.filter(({ type }) => type === "tool_use") as Anthropic.ToolUseBlock[];
  const second = await ask([
    { role: "user", content: [image, question] },
    { role: "assistant", content: first.content },
    {
      role: "user",
      content: calls.map(({ id }, at) => ({
        type: "tool_result",
        tool_use_id: id,
        content: at === 0 ? "22 °C" : [{ type: "text", text: "18 °C" }, image],
        ...(at === 1 && { cache_control }),
      })),
    },
  ]);
  if (second.content.length === 0) throw new Error("the loop got no answer");
}

/** The client's own loop. */
async function runner(url: string): Promise<void> {
  const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const run = ({ city }: { city: string }) => `${city}: 20 °C`;
  await client.beta.messages.toolRunner({
    model: "claude-test",
    max_tokens: 1024,
    // Else it sends only what is new since the last reply, and the provider keeps the rest.
    thread: false,
    tools: [betaTool({ name: "get_weather", description, inputSchema: schema, run })],
    messages: [{ role: "user", content: QUESTION }],
  });
}

/** The same question, then one with the beginning of the answer. */
async function prefill(url: string): Promise<void> {
  const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
  const settings = { model: "claude-test", max_tokens: 16, stop_sequences: ["</answer>"] };
  const question = { role: "user", content: QUESTION } as const;
  const { content } = await client.messages.create({ ...settings, messages: [question] });
  const messages: Anthropic.MessageParam[] = [
    question,
    { role: "assistant", content },
    { role: "user", content: "A or B?" },
    { role: "assistant", content: "<answer>" },
  ];
  await client.messages.create({ ...settings, messages });
}

async function chatLoop(url: string): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "developer", content: "Answer in one word." },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
        { type: "text", text: QUESTION },
      ],
    },
  ];
  const tool = {
    type: "function",
    function: { name: "get_weather", description, parameters: schema },
  } as const;
  const ask = () => client.chat.completions.create({ model: "gpt-test", messages, tools: [tool] });
  const message = (await ask()).choices[0]?.message;
  if (!message) throw new Error("the loop got no answer");
  messages.push(message);
  for (const { id } of message.tool_calls ?? []) {
    messages.push({ role: "tool", tool_call_id: id, content: [{ type: "text", text: "20 °C" }] });
  }
  await ask();
}

/** The client's own loop. */
async function chatRunner(url: string): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const run = ({ city }: { city: string }) => `${city}: 20 °C`;
  const parameters = { ...schema, required: ["city"] };
  const call = { name: "get_weather", description, parameters, parse: JSON.parse, function: run };
  const runner = client.chat.completions.runTools({
    model: "gpt-test",
    messages: [{ role: "user", content: QUESTION }],
    tools: [{ type: "function", function: call }],
  });
  await runner.finalContent();
}

const responsesTool = {
  ...{ type: "function" as const, name: "get_weather", description, strict: false },
  parameters: { ...schema, required: ["city"] },
};

/** The client keeps everything, reasoning in its encrypted form included. */
async function responsesLoop(url: string): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const image = { type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" } as const;
  const input: OpenAI.Responses.ResponseInput = [
    { role: "user", content: [image, { type: "input_text", text: QUESTION }] },
  ];
  const ask = async () => {
    const answer = await client.responses.create({
      ...{ model: "gpt-test", instructions: "Answer in one word.", input, tools: [responsesTool] },
      ...{ store: false, include: ["reasoning.encrypted_content"] },
    });
    input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
    return answer.output;
  };
  for (const item of await ask()) {
    if (item.type === "function_call")
      input.push({ type: "function_call_output", call_id: item.call_id, output: "20 °C" });
  }
  await ask();
  input.push({ role: "user", content: "Sure?" });
  await ask();
}

/** The provider keeps everything: each request has only what is new. */
async function keptLoop(url: string): Promise<void> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  const settings = { model: "gpt-test", tools: [responsesTool] };
  const first = await client.responses.create({ ...settings, input: QUESTION });
  const outputs = first.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "20 °C" }]
      : [],
  );
  const second = await client.responses.create({
    ...settings,
    previous_response_id: first.id,
    input: outputs,
  });
  await client.responses.create({ ...settings, previous_response_id: second.id, input: "Sure?" });
}

const GEMINI = "gemini-3.8-flash";

async function geminiLoop(url: string): Promise<void> {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  const functionDeclarations = [{ name: "get_weather", description, parametersJsonSchema: schema }];
  const contents: Content[] = [
    { role: "user", parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }, { text: QUESTION }] },
  ];
  const ask = async (): Promise<Part[]> => {
    const answer = await client.models.generateContent({
      ...{ model: GEMINI, contents },
      config: {
        ...{ systemInstruction: "Answer in one word.", tools: [{ functionDeclarations }] },
        thinkingConfig: { includeThoughts: true },
      },
    });
    const content = answer.candidates?.[0]?.content;
    if (!content) throw new Error("the loop got no answer");
    contents.push(content);
    return content.parts ?? [];
  };
  const calls = (await ask()).flatMap(({ functionCall }) => functionCall ?? []);
  contents.push({
    role: "user",
    parts: calls.map(({ id = "", name = "" }) => ({
      functionResponse: { id, name, response: { output: "20 °C" } },
    })),
  });
  await ask();
  contents.push({ role: "user", parts: [{ text: "Sure?" }] });
  await ask();
}

/** The client's own history. */
async function geminiChat(url: string): Promise<void> {
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url } });
  const chat = client.chats.create({ model: GEMINI });
  await chat.sendMessage({ message: QUESTION });
  for await (const _ of await chat.sendMessageStream({ message: "Sure?" }));
}

async function record(
  provider: ModelServerOptions["provider"],
  script: ModelServerOptions["script"],
  talk: (url: string) => Promise<void>,
): Promise<unknown[]> {
  const server = await startModelServer({ provider, script });
  try {
    await talk(server.url);
    if (server.violations.length > 0) throw new Error(server.violations.join("\n"));
    return server.requests.map(({ body }) => body);
  } finally {
    await server.close();
  }
}

for (const [name, make] of Object.entries(recordings)) {
  await writeFile(new URL(`${name}.json`, FIXTURES), `${JSON.stringify(await make(), null, 2)}\n`);
}
