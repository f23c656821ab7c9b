// Counting tokens: what a provider reports, added up.

import type { LanguageModelUsage } from "ai";
import type { TokenUsage } from "../agent-events.ts";

export const noUsage: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function usageFrom({ inputTokens, inputTokenDetails, outputTokens }: LanguageModelUsage): TokenUsage {
  return {
    input: inputTokens ?? 0,
    output: outputTokens ?? 0,
    cacheRead: inputTokenDetails?.cacheReadTokens ?? 0,
    cacheWrite: inputTokenDetails?.cacheWriteTokens ?? 0,
  };
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
