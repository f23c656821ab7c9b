// What Anthropic demands of thinking: first in its turn, never last, kept through a tool loop, and what it excludes.
import type { Block, Turn } from "./anthropic-turns.ts";

type ThinkingRequest = {
  max_tokens: number;
  thinking?: { type: string; budget_tokens?: number };
  temperature?: number;
  top_p?: number;
  top_k?: number;
  tool_choice?: { type: string };
};

export function isThinking({ thinking }: { thinking?: { type: string } }): boolean {
  return thinking !== undefined && thinking.type !== "disabled";
}

export function thinkingViolations(request: ThinkingRequest, turns: readonly Turn[]): string[] {
  const found = turns.flatMap(lastBlockViolations);
  if (isThinking(request)) found.push(...settingViolations(request));
  // Adaptive models may skip thinking, so only a demanded one can be found missing.
  if (request.thinking?.type === "enabled")
    found.push(...turns.flatMap(orderViolations), ...loopViolations(turns));
  return found;
}

function settingViolations(request: ThinkingRequest): string[] {
  const { thinking, max_tokens, temperature = 1, top_p = 1, top_k, tool_choice } = request;
  const found: string[] = [];
  if ((thinking?.budget_tokens ?? 0) >= max_tokens) {
    found.push("max_tokens: `max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  if (temperature !== 1) {
    found.push(
      "temperature: `temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    );
  }
  if (top_p < 0.95)
    found.push("top_p: `top_p` must be greater than or equal to 0.95 when thinking is enabled.");
  if (top_k !== undefined) found.push("top_k: `top_k` must be unset when thinking is enabled.");
  if (thinking?.type === "enabled" && ["any", "tool"].includes(tool_choice?.type ?? "")) {
    found.push("tool_choice: Thinking may not be enabled when tool_choice forces tool use.");
  }
  return found;
}

function lastBlockViolations({ blocks, path }: Turn): string[] {
  const last = blocks.at(-1)?.block;
  return last && isThought(last)
    ? [`${path}: The final block in an assistant message cannot be \`thinking\`.`]
    : [];
}

function orderViolations({ blocks }: Turn): string[] {
  const first = blocks[0];
  if (!first || isThought(first.block) || !blocks.some(({ block }) => isThought(block))) return [];
  return [
    `${first.path}: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${first.block.type}\`.`,
  ];
}

/** The turn that opened the tool loop in progress must show its thinking; finished ones may have dropped it. */
function loopViolations(turns: readonly Turn[]): string[] {
  const spoken = turns.filter(({ role }) => role !== "system");
  let start = spoken.length - 1;
  while (start > 0 && hasResult(spoken[start])) start -= 2;
  const opening = start === spoken.length - 1 ? undefined : spoken[start + 1];
  const first = opening?.blocks[0];
  if (!first || opening.blocks.some(({ block }) => isThought(block))) return [];
  return [
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  ];
}

function hasResult(turn: Turn | undefined): boolean {
  return turn?.blocks.some(({ block }) => block.type === "tool_result") ?? false;
}

function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
