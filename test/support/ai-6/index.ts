// The AI SDK's version 6, and that the integration's types fit it as they are.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  generateText,
  type LanguageModel,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import type { RemindersMiddleware, RemindersStep } from "sotto/ai-sdk";

export { generateText, stepCountIs, streamText };

export const providers = { createAnthropic, createGoogleGenerativeAI, createOpenAI, createOpenAICompatible };

export function wrap(model: LanguageModel, middleware: RemindersMiddleware): LanguageModel {
  if (typeof model === "string" || model.specificationVersion !== "v3") throw new Error("not of version 6");
  return wrapLanguageModel({ model, middleware });
}

export function createAgent(model: LanguageModel, tools: ToolSet, prepareStep: RemindersStep) {
  return new ToolLoopAgent({ model, tools, prepareStep });
}
