// Anthropic Messages: reminders are user messages after the last one; adjacent messages of one role are one turn there.

import type { ReminderBlock } from "../render/reminder.ts";
import { problemOf } from "./body-problem.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import type {
  BlockKind,
  BlockRole,
  CallPart,
  Dialect,
  HistoryBlock,
  Position,
  ProviderHistory,
} from "./dialect.ts";
import { mapFields, mapItems } from "./map-results.ts";
import {
  blocksOf,
  byType,
  callOf,
  clampPosition,
  declared,
  type Fields,
  type InsertedReminder,
  identifyingFields,
  identityOf,
  idOf,
  insertReminders,
  isNative,
  PLAIN_TEXT,
  removeBlocks,
  resultContent,
  toolsIn,
  type WireBlock,
  withMessages,
} from "./message-list.ts";
import { takesSystem } from "./trusted-role.ts";

export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly WireBlock[];
}

/** The part of an Anthropic Messages request that Sotto reads. */
export interface AnthropicBody {
  readonly messages: readonly AnthropicMessage[];
}

/** The dialect of Anthropic's Messages API. */
export const anthropicMessages: Dialect<AnthropicBody> = {
  name: "anthropic-messages",
  field: "messages",
  problem: (body) => problemOf(body, { roles: ["user", "assistant", "system"] }),
  kept,
  messages: (body) => body.messages,
  read: (message, index) => readMessage(message as AnthropicMessage, index),
  calls: (message) => blocksOf(message as AnthropicMessage)?.flatMap(callPart) ?? [],
  // The provider's own tools have a name and no schema.
  tools: (body) =>
    toolsIn(body, (body as Fields & AnthropicBody).tools, (tool) => [
      tool.input_schema == null ? byType(tool) : declared(tool, ["input_schema"]),
    ]),
  end: ({ messages }) => ({ message: endOf(messages), index: 0 }),
  legal: ({ messages }, at) => legalPlace(messages, at),
  insert: (body, insertions, own) => {
    const moved = moveBreakpoints(body.messages, own, mayCarry);
    const how = takesSystem(body) ? { ...writing, between } : writing;
    return withMessages(body, insertReminders(moved, insertions, how));
  },
  mapResults: (body, change) =>
    withMessages(
      body,
      mapItems(body.messages, (message) => {
        const blocks = blocksOf(message);
        if (blocks === undefined || !isUser(message)) return message;
        const content = mapItems(blocks, (block) =>
          block.type === "tool_result" ? mapFields(block, ["content"], change) : block,
        );
        return content === blocks ? message : { ...message, content };
      }),
    ),
  remove: (body, blocks) => withMessages(body, removeBlocks(body.messages, blocks, without)),
};

const writing = {
  message: (reminder: InsertedReminder) => ({ role: "user", content: reminder.map(wireBlock) }),
  block: wireBlock,
};

/**
 * The role `system` is permitted only right after a user turn, last or before the assistant's, and once. So its text comes
 * after what has the user's role, in one message.
 */
function between(
  reminders: readonly InsertedReminder[],
  before?: AnthropicMessage,
  behind?: AnthropicMessage,
): AnthropicMessage[] {
  const mayBe = isUser(before) && (behind === undefined || behind.role === "assistant");
  const trusted = mayBe ? reminders.filter(isNative) : [];
  const others = reminders.filter((reminder) => !trusted.includes(reminder));
  const system = { role: "system", content: trusted.flat().map(wireBlock) };
  return [...others.map(writing.message), ...(trusted.length > 0 ? [system] : [])];
}

/** A thread continues from an earlier answer. */
function kept(body: AnthropicBody): ProviderHistory | undefined {
  const { thread } = body as { thread?: Fields | null };
  const name = thread?.type === "continue" ? thread.previous_message_id : undefined;
  return typeof name === "string" ? { name, moves: true } : undefined;
}

function wireBlock(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "text", text: block.text } as WireBlock;
  const source = { type: "base64", media_type: block.mediaType, data: block.data };
  return { type: "image", source } as WireBlock;
}

function mayCarry(_message: AnthropicMessage, block: WireBlock): boolean {
  return kindOf(block) !== "thinking";
}

const NOT_OF_TEXT = ["id", "type", "text"];

function readMessage(message: AnthropicMessage, index: number): HistoryBlock[] {
  const role = roleOf(message);
  const { content } = message;
  if (typeof content === "string") {
    if (content === "") return [];
    return [{ role, kind: "text", message: index, index: 0, identity: PLAIN_TEXT[role], text: content }];
  }
  const blocks = blocksOf(message) ?? [];
  return blocks.flatMap((block, at): HistoryBlock[] => {
    const kind = kindOf(block);
    if (kind !== "text") {
      const { content } = block as WireBlock & Fields;
      const identity = identityOf(role, kind, fieldsOf(block, kind));
      return [{ role, kind, message: index, index: at, identity, call: callOf(callPart(block), content) }];
    }
    const { text } = block as WireBlock & { text?: string };
    if (!text) return [];
    const identity = identityOf(role, kind, identifyingFields(block, NOT_OF_TEXT));
    return [{ role, kind, message: index, index: at, identity, text }];
  });
}

/** The provider's own tools are not ours to read. */
function callPart(block: WireBlock): CallPart[] {
  const { type, id, name, input, tool_use_id: call, is_error, content: output } = block as WireBlock & Fields;
  if (type === "tool_use") return [{ part: "call", id: idOf(id), name: String(name), input }];
  if (type !== "tool_result") return [];
  return [{ part: "result", id: idOf(call), failed: is_error === true, output }];
}

function fieldsOf(block: WireBlock, kind: BlockKind): Fields {
  const fields = identifyingFields(block, kind === "call" ? [] : ["id"]);
  if (kind !== "result") return fields;
  const { content, is_error: failed } = fields;
  return { ...fields, content: resultContent(content), is_error: failed || undefined };
}

function kindOf({ type }: WireBlock): BlockKind {
  if (type === "text" || type === "image" || type === "thinking") return type;
  if (type === "redacted_thinking") return "thinking";
  if (type.endsWith("tool_use")) return "call";
  return type.endsWith("tool_result") ? "result" : "other";
}

function roleOf(message: AnthropicMessage): BlockRole {
  const { role } = message;
  return role === "assistant" || role === "system" ? role : "user";
}

/** After the last user turn, or before the call that a turn of only results has to answer. */
function endOf(messages: readonly AnthropicMessage[]): number {
  const end = endOfUser(messages, messages.length);
  const start = startOfUser(messages, end);
  if (!messages.slice(start, end).some(hasResult)) return end;
  const calls = endOfUser(messages, start);
  return messages.slice(calls, start).some(callsFromCode) ? calls : end;
}

// A prefill stays last, and a `system` message must be last or before an assistant's.
function endOfUser(messages: readonly AnthropicMessage[], from: number): number {
  let end = from;
  while (end > 0 && !isUser(messages[end - 1])) end--;
  return end;
}

function startOfUser(messages: readonly AnthropicMessage[], from: number): number {
  let start = from;
  while (start > 0 && isUser(messages[start - 1])) start--;
  return start;
}

function legalPlace(messages: readonly AnthropicMessage[], at: Position): Position {
  const { message, index } = clampPosition(messages, at);
  let place =
    index > 0 && !isUser(messages[message]) ? { message: message + 1, index: 0 } : { message, index };
  while (isInsideTurn(messages, place)) place = { message: place.message + 1, index: 0 };
  place = behindResults(messages, place);
  return place.message === messages.length ? { message: endOf(messages), index: 0 } : place;
}

/**
 * Adjacent messages that are not the user's are one turn; a `system` message belongs to the turn after it. An answer that
 * ends with text is complete: a client has dropped what followed.
 */
function isInsideTurn(messages: readonly AnthropicMessage[], { message, index }: Position): boolean {
  if (index > 0 || message === 0 || message === messages.length) return false;
  const [before, behind] = [messages[message - 1], messages[message]];
  const last = blocksOf(before)?.at(-1);
  const isWhole = before?.role === "assistant" && (last === undefined || last.type === "text");
  return !isUser(before) && !isUser(behind) && !(isWhole && behind?.role === "assistant");
}

/** Results come first in a turn, and the results of one turn may be in several messages. */
function behindResults(messages: readonly AnthropicMessage[], from: Position): Position {
  let place = from;
  for (let message = from.message; isUser(messages[message]); message++) {
    const first = message === from.message ? from.index : 0;
    const last = (blocksOf(messages[message]) ?? []).findLastIndex(isResult);
    if (last >= first) place = clampPosition(messages, { message, index: last + 1 });
  }
  return place;
}

function isUser(message: AnthropicMessage | undefined): boolean {
  return message !== undefined && roleOf(message) === "user";
}

function isResult(block: WireBlock): boolean {
  return kindOf(block) === "result";
}

function hasResult(message: AnthropicMessage): boolean {
  return blocksOf(message)?.some(isResult) ?? false;
}

/** Programmatic tool calls: the provider accepts no text next to their results while the code waits for them. */
function callsFromCode(message: AnthropicMessage): boolean {
  return (blocksOf(message) ?? []).some((block) => {
    const { caller } = block as WireBlock & { caller?: Fields | null };
    return block.type === "tool_use" && caller != null && caller.type !== "direct";
  });
}

function without(message: AnthropicMessage, indexes: ReadonlySet<number>): AnthropicMessage | undefined {
  const blocks = blocksOf(message);
  if (!blocks) return indexes.has(0) ? undefined : message;
  const content = blocks.filter((_, index) => !indexes.has(index));
  return content.length > 0 ? { ...message, content } : undefined;
}
