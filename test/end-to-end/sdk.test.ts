import Anthropic from "@anthropic-ai/sdk";
import { type Content, type GenerateContentParameters, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { anthropicMessages, createSession, gemini, openaiChat, openaiResponses } from "sotto";
import { expect, it } from "vitest";
import { config, expectSaid, expectSound, happen, script, TURNS } from "../support/sdk-session.ts";
import { startModelServer } from "../support/servers/model-server.ts";

it("AC-1 AC-30 AC-37 @anthropic-ai/sdk: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({ provider: "anthropic", script });
  const client = new Anthropic({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Mend the parser." }];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model: "claude-test",
      max_tokens: 1000,
      messages,
      tools: [{ name: "Read", input_schema: { type: "object" } }],
    };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    const answer = await client.messages.create(turn.body);
    await turn.commit();
    const calls = answer.content.filter((block) => block.type === "tool_use");
    messages.push({ role: "assistant", content: answer.content as Anthropic.ContentBlockParam[] });
    if (calls.length === 0) messages.push({ role: "user", content: `Go on ${index}.` });
    else
      messages.push({
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "export {};" })),
      });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("anthropic-messages", server.requests);
});

it("AC-1 AC-28 AC-37 openai, Chat Completions: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({ provider: "openai-chat", script });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You mend code." },
    { role: "user", content: "Mend the parser." },
  ];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: OpenAI.ChatCompletionCreateParamsNonStreaming = {
      model: "gpt-5",
      messages,
      tools: [{ type: "function", function: { name: "Read", parameters: { type: "object" } } }],
    };
    const turn = await session.turn({ dialect: openaiChat, body });
    const answer = await client.chat.completions.create(turn.body);
    await turn.commit();
    const message = answer.choices[0]?.message;
    if (message === undefined) throw new Error("no answer");
    messages.push({
      role: "assistant",
      content: message.content,
      ...(message.tool_calls ? { tool_calls: message.tool_calls } : {}),
    });
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: id, content: "export {};" });
    if (message.tool_calls === undefined) messages.push({ role: "user", content: `Go on ${index}.` });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("openai-chat", server.requests);
});

const readTool: OpenAI.Responses.FunctionTool = {
  ...{ type: "function", name: "Read", strict: false },
  parameters: { type: "object", properties: {} },
};
const outputsFor = ({ output }: OpenAI.Responses.Response): OpenAI.Responses.ResponseInput =>
  output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "export {};" }]
      : [],
  );

it("AC-1 AC-28 AC-37 openai, Responses: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({
    provider: "openai-responses",
    script: (body, index) => ({ thinking: "Hm.", ...script(body, index) }),
  });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Mend the parser." }];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      ...{ model: "gpt-5", instructions: "You mend code.", input, tools: [readTool] },
      ...{ store: false, include: ["reasoning.encrypted_content"] },
    };
    const turn = await session.turn({ dialect: openaiResponses, body });
    const answer = await client.responses.create(turn.body);
    await turn.commit();
    const outputs = outputsFor(answer);
    input.push(...(answer.output as OpenAI.Responses.ResponseInput), ...outputs);
    if (outputs.length === 0) input.push({ role: "user", content: `Go on ${index}.` });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("openai-responses", server.requests);
});

it.each([
  ["reported", true],
  ["not reported", false],
])(
  "AC-1 AC-28 openai, Responses over previous_response_id: each thing is sent once, a retry has the same bytes, answers %s",
  async (_, commits) => {
    const server = await startModelServer({
      provider: "openai-responses",
      // Each fourth call fails: the client asks the same again.
      script: (body, index) => (index % 4 === 2 ? { status: 503 } : script(body, index)),
    });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
    let previous: string | undefined;
    let input: string | OpenAI.Responses.ResponseInput = "Mend the parser.";
    for (let index = 0; index < TURNS; index++) {
      await happen(session, index);
      const ask = async () => {
        const turn = await session.turn({
          dialect: openaiResponses,
          body: {
            ...{ model: "gpt-5", instructions: "You mend code.", input, tools: [readTool] },
            ...(previous === undefined ? {} : { previous_response_id: previous }),
          },
        });
        const answer = await client.responses.create(turn.body).catch(() => undefined);
        if (commits) await (answer === undefined ? turn.abandon() : turn.commit());
        return answer;
      };
      const answer = (await ask()) ?? (await ask());
      if (answer === undefined) throw new Error("no answer");
      previous = answer.id;
      const outputs = outputsFor(answer);
      input = outputs.length > 0 ? outputs : `Go on ${index % 2}.`;
    }
    await session.close();
    await server.close();
    expect(server.violations).toEqual([]);
    const failed = server.requests.filter(({ status }) => status === 503);
    expect(failed.length).toBeGreaterThan(2);
    for (const { index, raw } of failed) expect(server.requests[index + 1]?.raw).toBe(raw);
    // What the provider has: each request that it answered adds to the one before.
    expectSaid(server.requests.filter(({ status }) => status === 200).map(({ body }) => body));
  },
);

it("AC-1 AC-29 AC-37 @google/genai: reminders are in every request, requests are valid, each a prefix of the next", async () => {
  const server = await startModelServer({
    provider: "gemini",
    script: (body, index) => ({ thinking: "Hm.", ...script(body, index) }),
  });
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const contents: Content[] = [{ role: "user", parts: [{ text: "Mend the parser." }] }];
  for (let index = 0; index < TURNS; index++) {
    await happen(session, index);
    const body: GenerateContentParameters = {
      ...{ model: "gemini-3.8-flash", contents },
      config: {
        systemInstruction: "You mend code.",
        tools: [{ functionDeclarations: [{ name: "Read" }] }],
        thinkingConfig: { includeThoughts: true },
      },
    };
    const turn = await session.turn({ dialect: gemini, body });
    const answer = await client.models.generateContent(turn.body);
    await turn.commit();
    const content = answer.candidates?.[0]?.content;
    if (content === undefined) throw new Error("no answer");
    contents.push(content);
    const calls = answer.functionCalls ?? [];
    const responses = calls.map(({ id = "", name = "" }) => ({
      functionResponse: { id, name, response: { output: "export {};" } },
    }));
    contents.push({ role: "user", parts: calls.length > 0 ? responses : [{ text: `Go on ${index}.` }] });
  }
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expectSound("gemini", server.requests);
});

it("AC-29 @google/genai takes a prompt as a lone string, with its reminders", async () => {
  const server = await startModelServer({ provider: "gemini", script: [{ text: "Yes." }] });
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
  const session = createSession({ cwd: "/repo", agent: { kind: "main" }, config });
  const body: GenerateContentParameters = { model: "gemini-3.8-flash", contents: "Ready?" };
  const turn = await session.turn({ dialect: gemini, body });
  expect((await client.models.generateContent(turn.body)).text).toBe("Yes.");
  await session.close();
  await server.close();
  expect(server.violations).toEqual([]);
  expect(server.requests[0]?.body).toMatchObject({
    contents: [
      { role: "user", parts: [{ text: "Ready?" }] },
      { role: "user", parts: [{ text: expect.stringContaining(config.critical_instruction) }] },
    ],
  });
});
