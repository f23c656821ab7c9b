// Programs through the gateway that are no coding agents: the AI SDK with each of its providers, and a service in Python.
// The providers' own clients are in test/end-to-end/gateway.test.ts, which is run here as well.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from "ai";
import { describe, expect, onTestFinished, test } from "vitest";
import { critical, type GatewayStage, gatewayStage } from "../support/gateway-stage.ts";
import { timesIn } from "../support/integration-stage.ts";
import { type MeasuredWire, prefixOf } from "../support/prefix.ts";
import type { ProviderName, Script } from "../support/servers/model-server.ts";

const streams = [{ stream: false }, { stream: true }];

async function open(provider: ProviderName): Promise<GatewayStage> {
  const stage = await gatewayStage({ provider, script: reading });
  onTestFinished(() => stage.close());
  return stage;
}

/** One session, valid requests, each going on from the one before, and with one more reminder. */
function expectFine({ server, lines }: GatewayStage, wire: MeasuredWire, count: number): void {
  expect(server.violations).toEqual([]);
  const prefixes = server.requests.map(({ body }) => prefixOf(wire, body));
  for (const [index, later] of prefixes.slice(1).entries())
    expect(later.startsWith(prefixes[index] as string), `${index + 1} goes on from ${index}`).toBe(true);
  const said = server.requests.map(({ raw }) => timesIn(raw, critical));
  expect(said).toEqual(Array.from({ length: count }, (_, at) => at + 1));
  expect(new Set(lines.map(({ session }) => session)).size).toBe(1);
}

const reading: Script = (_body, index) =>
  index % 2 === 0
    ? { text: "Looking.", toolCalls: [{ name: "Read", input: { file_path: `${index}.ts` } }] }
    : { text: "Done." };

interface Model {
  provider: ProviderName;
  wire: MeasuredWire;
  open(url: string): LanguageModel;
}

const key = { apiKey: "none" };
const models: readonly Model[] = [
  {
    ...{ provider: "anthropic", wire: "anthropic-messages" },
    open: (url) => createAnthropic({ ...key, baseURL: `${url}/v1` })("claude-test"),
  },
  {
    ...{ provider: "openai-chat", wire: "openai-chat" },
    open: (url) => createOpenAI({ ...key, baseURL: `${url}/v1` }).chat("gpt-test"),
  },
  {
    ...{ provider: "openai-responses", wire: "openai-responses" },
    open: (url) => createOpenAI({ ...key, baseURL: `${url}/v1` }).responses("gpt-test"),
  },
  {
    ...{ provider: "gemini", wire: "gemini" },
    open: (url) => createGoogleGenerativeAI({ ...key, baseURL: `${url}/v1beta` })("gemini-2.5-flash"),
  },
];

describe.each(models)("ai with $provider", ({ provider, wire, open: model }) => {
  test.each(streams)("AC-59 an agent with tools (stream: $stream)", async ({ stream }) => {
    const stage = await open(provider);
    const Read = tool({
      inputSchema: jsonSchema<{ file_path: string }>({
        ...{ type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
      }),
      execute: async ({ file_path }) => `${file_path}: export {};`,
    });
    const options = {
      model: model(stage.url),
      tools: { Read },
      stopWhen: stepCountIs(5),
      maxOutputTokens: 500,
    };
    let messages: NonNullable<Parameters<typeof generateText>[0]["messages"]> = [];
    for (let turn = 0; turn < 4; turn++) {
      messages = [...messages, { role: "user", content: `Go on, ${turn}.` }];
      const result = stream
        ? streamText({ ...options, messages })
        : await generateText({ ...options, messages });
      expect(await result.text).toBe("Done.");
      messages = [...messages, ...(await result.steps).flatMap(({ response }) => response.messages)];
    }
    expectFine(stage, wire, 8);
  });
});

describe.each(models.slice(0, 2))("Python with $provider", ({ provider, wire }) => {
  test.each(streams)("AC-59 a conversation with tools (stream: $stream)", async ({ stream }) => {
    const stage = await open(provider);
    const program = join(import.meta.dirname, "python-client.py");
    await promisify(execFile)("python3", [program, provider, stage.url, String(stream)]);
    expectFine(stage, wire, 8);
  });
});
