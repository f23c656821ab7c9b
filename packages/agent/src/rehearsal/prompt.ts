// What a provider's prompt cache sees of a request: tools, system and messages in their order, breakpoints left out.

import { estimateTokens } from "sotto";
import { type Block, blocksOf, type RequestBody } from "./requests.ts";

/** How a request goes on from another one: all of it, all of it but for blocks added to its last message, or not. */
export type Continuation = "kept" | "extended" | "broken";

/**
 * SDKs write neighbours of one role as one message. A request that was not answered is then `extended` by what
 * comes behind it: the provider reads the same blocks in the same order, and its cache still holds.
 */
export function continuation(before: RequestBody, after: RequestBody): Continuation {
  if (startsWith(messageLines(after), messageLines(before))) return "kept";
  return startsWith(promptBlocks(after), promptBlocks(before)) ? "extended" : "broken";
}

/** Block by block, each with who speaks. */
export function promptBlocks({ tools = [], system, messages }: RequestBody): string[] {
  return [
    ...tools.map((tool) => `tool ${JSON.stringify(withoutMarks(tool))}`),
    ...blocksOf(system).map((block) => `system ${JSON.stringify(plain(block))}`),
    ...messages.flatMap(({ role, content }) =>
      blocksOf(content).map((block) => `${role} ${JSON.stringify(plain(block))}`),
    ),
  ];
}

/** How many blocks two prompts have in common from the start. */
export function commonLength(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((block, index) => block !== other[index]);
  return end < 0 ? one.length : end;
}

// What providers charge for an image that was scaled to fit, at the most.
const IMAGE_TOKENS = 1600;
const IMAGE_DATA = /"data":"[A-Za-z0-9+/=]{100,}"/gu;

/** An estimate. */
export function tokensOf(blocks: readonly string[]): number {
  return blocks.reduce((sum, block) => {
    const images = block.match(IMAGE_DATA)?.length ?? 0;
    const text = images === 0 ? block : block.replace(IMAGE_DATA, "");
    return sum + estimateTokens(text) + images * IMAGE_TOKENS;
  }, 0);
}

function messageLines({ tools = [], system, messages }: RequestBody): string[] {
  return [
    JSON.stringify([tools.map(withoutMarks), blocksOf(system).map(plain)]),
    ...messages.map((message) =>
      JSON.stringify({ ...message, content: blocksOf(message.content).map(plain) }),
    ),
  ];
}

function startsWith(after: readonly string[], before: readonly string[]): boolean {
  return commonLength(before, after) === before.length;
}

function plain(block: Block): object {
  const rest = withoutMarks(block);
  if (block.type !== "tool_result" || block.content === undefined) return rest;
  return { ...rest, content: blocksOf(block.content as string | Block[]).map(plain) };
}

/** Breakpoints say where to cache, not what; clients move them from request to request. */
function withoutMarks(block: object): object {
  const { cache_control: _, ...rest } = block as { cache_control?: unknown };
  return rest;
}
