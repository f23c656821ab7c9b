// Refuses what the Anthropic Messages API refuses, in words close to its own.
import { cacheViolations } from "./anthropic-cache-rules.ts";
import { anthropicWords, firstMessagesRequest, messagesRequest } from "./anthropic-shape.ts";
import { isThinking, thinkingViolations } from "./anthropic-thinking-rules.ts";
import { toolChoiceViolations, toolViolations } from "./anthropic-tool-rules.ts";
import {
  type Block,
  citationViolations,
  contentViolations,
  type Message,
  orderViolations,
  prefillViolations,
  textViolations,
  turnsOf,
} from "./anthropic-turns.ts";
import { problemsOf } from "./shape.ts";

/**
 * `midConversationSystem`: the model takes the role `system` in the middle of the conversation.
 * `version`: the header `anthropic-version`, the API's first unless told otherwise.
 */
export type AnthropicRules = { midConversationSystem?: boolean; version?: string };

/** From here on no sampling, and no citations in what the user says. */
const SECOND_VERSION = "2026-10-21";

type Request = {
  messages: Message[];
  max_tokens: number;
  system?: string | Block[];
  tools?: { name?: string }[];
  tool_choice?: { type: string; name?: string };
  thinking?: { type: string; budget_tokens?: number };
  stop_sequences?: string[];
};

export function checkAnthropicMessages(body: unknown, rules: AnthropicRules = {}): string[] {
  const second = (rules.version ?? "") >= SECOND_VERSION;
  const problems = problemsOf(body, second ? messagesRequest : firstMessagesRequest, anthropicWords);
  // The rules below read a request of the right shape; the provider, too, stops here.
  if (problems.length > 0) return problems;
  const request = body as Request;
  const turns = turnsOf(request.messages);
  return [
    ...cacheViolations(request),
    ...systemViolations(request),
    ...contentViolations(request.messages),
    ...(second ? citationViolations(turns) : []),
    ...orderViolations(turns, rules.midConversationSystem ?? false),
    ...toolViolations(turns),
    ...toolChoiceViolations(request),
    ...thinkingViolations(request, turns),
    ...prefillViolations(turns, isThinking(request)),
    ...stopViolations(request),
  ];
}

function systemViolations({ system }: Request): string[] {
  return typeof system === "object"
    ? system.flatMap((block, at) => textViolations(block, `system.${at}`))
    : [];
}

function stopViolations({ stop_sequences: sequences = [] }: Request): string[] {
  return sequences.some((sequence) => sequence.trim() === "")
    ? ["stop_sequences: each stop sequence must contain non-whitespace"]
    : [];
}
