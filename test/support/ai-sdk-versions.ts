// Both versions of the AI SDK that the integration is for, with the providers they have, behind one face.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  generateText,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import { anthropicMessages, gemini, openaiChat, openaiResponses } from "sotto";
import type { RemindersMiddleware, RemindersStep } from "sotto/ai-sdk";
import type { Dialect } from "sotto/extend";
import * as six from "./ai-6/index.ts";
import type { MeasuredWire } from "./prefix.ts";
import type { ProviderName } from "./servers/model-server.ts";

const seven = {
  ...{ generateText, stepCountIs, streamText },
  providers: { createAnthropic, createGoogleGenerativeAI, createOpenAI, createOpenAICompatible },
  wrap(model: LanguageModel, middleware: RemindersMiddleware): LanguageModel {
    if (typeof model === "string") throw new Error("a model by name");
    return wrapLanguageModel({ model, middleware });
  },
  createAgent: (model: LanguageModel, tools: ToolSet, prepareStep: RemindersStep) =>
    new ToolLoopAgent({ model, tools, prepareStep }),
};

export type AiSdk = typeof seven;

export const versions: readonly [string, AiSdk][] = [
  ["ai 7", seven],
  // The same names; where its types differ, `ai-6` has checked them.
  ["ai 6", six as unknown as AiSdk],
];

export interface Wire {
  /** The loopback server's name for it. */
  server: ProviderName;
  measured: MeasuredWire;
  dialect: Dialect<never>;
  /** Whether the loopback model may think there: some providers want to be asked for it. */
  thinks: boolean;
  /** Whether its package makes one message of what the user says in a row. */
  merges?: boolean;
  open(providers: AiSdk["providers"], url: string): LanguageModel;
}

const apiKey = "none";

export const wires: readonly [string, Wire][] = [
  [
    "@ai-sdk/anthropic",
    {
      ...{ server: "anthropic", measured: "anthropic-messages", dialect: anthropicMessages, thinks: false },
      merges: true,
      open: ({ createAnthropic: create }, url) =>
        create({ baseURL: `${url}/v1`, apiKey })("claude-sonnet-4-5"),
    },
  ],
  [
    "@ai-sdk/openai, Responses",
    {
      ...{ server: "openai-responses", measured: "openai-responses", dialect: openaiResponses, thinks: true },
      open: ({ createOpenAI: create }, url) => create({ baseURL: `${url}/v1`, apiKey })("gpt-5"),
    },
  ],
  [
    "@ai-sdk/openai, Chat",
    {
      ...{ server: "openai-chat", measured: "openai-chat", dialect: openaiChat, thinks: false },
      open: ({ createOpenAI: create }, url) => create({ baseURL: `${url}/v1`, apiKey }).chat("gpt-4.1"),
    },
  ],
  [
    "@ai-sdk/google",
    {
      ...{ server: "gemini", measured: "gemini", dialect: gemini, thinks: true },
      open: ({ createGoogleGenerativeAI: create }, url) =>
        create({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-pro"),
    },
  ],
  [
    "@ai-sdk/openai-compatible",
    {
      ...{ server: "openai-chat", measured: "openai-chat", dialect: openaiChat, thinks: false },
      open: ({ createOpenAICompatible: create }, url) =>
        create({ name: "local", baseURL: `${url}/v1`, apiKey })("local"),
    },
  ],
] satisfies readonly [string, Wire][];

export interface Asked {
  messages: ModelMessage[];
  tools?: ToolSet;
  system?: string;
  prepareStep?: RemindersStep;
  stream?: boolean;
  maxRetries?: number;
  abortSignal?: AbortSignal;
  headers?: Record<string, string>;
  experimental_download?: Parameters<typeof generateText>[0]["experimental_download"];
}

/** One call with its tool loop, as a host would make it: its answer, and the messages that it adds to its history. */
export async function ask(
  sdk: AiSdk,
  model: LanguageModel,
  { stream = false, maxRetries = 0, ...asked }: Asked,
): Promise<{ text: string; added: ModelMessage[] }> {
  const options = { model, maxRetries, stopWhen: sdk.stepCountIs(12), ...asked };
  if (!stream) {
    const result = await sdk.generateText(options);
    return { text: result.text, added: addedBy(result) };
  }
  const problems: unknown[] = [];
  const result = sdk.streamText({ ...options, onError: ({ error }) => void problems.push(error) });
  let text = "";
  for await (const piece of result.textStream) text += piece;
  if (problems.length > 0) throw problems[0];
  const [responseMessages, response] = await Promise.all([result.responseMessages, result.response]);
  return { text, added: addedBy({ responseMessages, response }) };
}

/** Version 7 has the messages of all steps in a place of their own. */
export function addedBy({
  responseMessages,
  response,
}: {
  responseMessages?: ModelMessage[];
  response: object;
}) {
  return responseMessages ?? (response as { messages: ModelMessage[] }).messages;
}
