// An Anthropic conversation as the provider reads it: neighbours of one role are one turn, strings are text blocks.
import { rolesOf } from "./anthropic-blocks.ts";

export type Block = { type: string; [field: string]: unknown };
export type Placed = { block: Block; path: string };
export type Turn = { role: string; path: string; blocks: Placed[] };
export type Message = { role: string; content: string | Block[] };

export function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    const blocks = blocksOf(message).map((block, at) => ({ block, path: `${path}.content.${at}` }));
    const last = turns.at(-1);
    if (last && last.role === message.role && message.role !== "system") last.blocks.push(...blocks);
    else turns.push({ role: message.role, path, blocks });
  }
  return turns;
}

/** Each message on its own: something in it, no blank text, no block that its role cannot say. */
export function contentViolations(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    const blocks = blocksOf(message);
    const final = index === messages.length - 1 && message.role === "assistant";
    if (blocks.length === 0 && !final) {
      return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
    }
    return blocks.flatMap((block, at) =>
      blockViolations({ block, path: `messages.${index}.content.${at}` }, message),
    );
  });
}

/** Only the model cites. */
export function citationViolations(turns: readonly Turn[]): string[] {
  const said = turns.filter(({ role }) => role === "user").flatMap(({ blocks }) => blocks);
  return said.flatMap(({ block, path }) => {
    const found = block.type === "search_result" ? (block.content as Block[]) : [block];
    return found.some(({ citations }) => Array.isArray(citations) && citations.length > 0)
      ? [`${path}: \`citations\` can only be on \`text\` blocks in \`assistant\` messages`]
      : [];
  });
}

/** First, last, and where the provider's own trusted role may stand. */
export function orderViolations(turns: readonly Turn[], midConversationSystem: boolean): string[] {
  const found: string[] = [];
  const first = turns[0];
  if (!first) return ["messages: at least one message is required"];
  const systems = turns.filter(({ role }) => role === "system");
  if (systems.length > 0 && !midConversationSystem) {
    return [
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    ];
  }
  if (first.role !== "user") found.push('messages: first message must use the "user" role');
  for (const [index, turn] of turns.entries()) {
    const previous = turns[index - 1];
    const next = turns[index + 1];
    if (turn.role !== "system" || !previous) continue;
    if (previous.role !== "user" && !endsInServerResult(previous)) {
      found.push(
        `${turn.path}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result`,
      );
    } else if (next?.role === "user") {
      found.push(`${turn.path}: role 'system' must precede an 'assistant' message or end the array`);
    }
  }
  return found;
}

/** A conversation that ends with the assistant asks the model to continue that very text. */
export function prefillViolations(turns: readonly Turn[], thinking: boolean): string[] {
  const final = turns.at(-1);
  if (final?.role !== "assistant" || endsInServerResult(final)) return [];
  const block = final.blocks.at(-1)?.block;
  if (thinking && (!block || block.type === "text")) {
    return [
      "messages: assistant message prefill is not supported when thinking is enabled. The conversation must end with a user message.",
    ];
  }
  if (block?.type === "text" && /\s$/.test(String(block.text))) {
    return ["messages: final assistant content cannot end with trailing whitespace"];
  }
  return [];
}

function blocksOf({ content }: Message): Block[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

function blockViolations({ block, path }: Placed, { role }: Message): string[] {
  const roles = rolesOf(block.type);
  if (!roles.includes(role)) {
    return [`${path}: \`${block.type}\` blocks can only be in \`${roles.join("` or `")}\` messages`];
  }
  if (block.type === "text") return textViolations(block, path);
  if (block.type !== "tool_result") return [];
  const { content = [], is_error } = block as { content?: string | Block[]; is_error?: boolean };
  if (is_error && content.length === 0) {
    return [`${path}.tool_result: content cannot be empty if \`is_error\` is true`];
  }
  const empty =
    typeof content === "string" ? -1 : content.findIndex(({ type, text }) => type === "text" && text === "");
  return empty === -1 ? [] : [`${path}.tool_result.content.${empty}: text content blocks must be non-empty`];
}

export function textViolations(block: Block, path: string): string[] {
  const { text, cache_control } = block;
  if (text === "" && cache_control)
    return [`${path}.text: cache_control cannot be set for empty text blocks`];
  if (text === "") return [`${path}: text content blocks must be non-empty`];
  return String(text).trim() === "" ? [`${path}: text content blocks must contain non-whitespace text`] : [];
}

function endsInServerResult({ role, blocks }: Turn): boolean {
  return role === "assistant" && /._tool_result$/.test(blocks.at(-1)?.block.type ?? "");
}
