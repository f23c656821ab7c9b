// OpenAI Chat Completions: reminders are user messages after the last one, the role that every compatible server accepts.

import type { ReminderBlock } from "../render/reminder.ts";
import { problemOf } from "./body-problem.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import type { BlockKind, BlockRole, CallPart, Dialect, HistoryBlock, Position } from "./dialect.ts";
import { mapFields, mapItems } from "./map-results.ts";
import {
  blocksOf,
  callOf,
  clampPosition,
  declared,
  endOfList,
  type Fields,
  type InsertedReminder,
  identifyingFields,
  identityOf,
  idOf,
  insertReminders,
  isNative,
  looksFailed,
  removeBlocks,
  resultContent,
  sizeOf,
  toolsIn,
  type WireBlock,
  withMessages,
} from "./message-list.ts";
import { takesDeveloper } from "./trusted-role.ts";

export interface OpenAIChatMessage {
  readonly role: string;
  readonly content?: string | readonly WireBlock[] | null;
  readonly tool_calls?: readonly object[] | null;
  readonly function_call?: object | null;
  readonly refusal?: string | null;
  readonly audio?: object | null;
  readonly name?: string | null;
}

/** The part of an OpenAI Chat Completions request that Sotto reads. */
export interface OpenAIChatBody {
  readonly messages: readonly OpenAIChatMessage[];
}

/** The dialect of OpenAI's Chat Completions API and of the many servers that speak it. */
export const openaiChat: Dialect<OpenAIChatBody> = {
  name: "openai-chat",
  field: "messages",
  problem: (body) => problemOf(body, { contentOptional: true, lists: ["tool_calls"] }),
  messages: (body) => body.messages,
  read: (message, index) => readMessage(message as OpenAIChatMessage, index),
  calls: (message) => callParts(message as OpenAIChatMessage),
  tools: (body) => {
    const { tools, functions } = body as Fields & OpenAIChatBody;
    return toolsIn(body, tools ?? functions, (tool) => [
      declared((tool.function ?? tool.custom ?? tool) as Fields, ["parameters"]),
    ]);
  },
  end: ({ messages }) => ({ message: endOf(messages), index: 0 }),
  legal: ({ messages }, at) => legalPlace(messages, at),
  insert: (body, insertions, own) => {
    const moved = moveBreakpoints(body.messages, own, mayCarry);
    const how = takesDeveloper(body) ? { ...writing, between } : writing;
    return withMessages(body, insertReminders(moved, insertions, how));
  },
  mapResults: (body, change) =>
    withMessages(
      body,
      mapItems(body.messages, (message) =>
        isResult(message) ? mapFields(message, ["content"], change) : message,
      ),
    ),
  remove: (body, blocks) => withMessages(body, removeBlocks(body.messages, blocks, without)),
};

const writing = { message: (reminder: InsertedReminder) => said("user", reminder), block: wirePart };

function said(role: string, reminder: InsertedReminder): OpenAIChatMessage {
  const [first] = reminder;
  const lone = reminder.length === 1 && first?.type === "text";
  return { role, content: lone ? first.text : reminder.map(wirePart) };
}

/** The trusted role never twice in a row, whoever sent the other; then the user's. */
function between(
  reminders: readonly InsertedReminder[],
  before?: OpenAIChatMessage,
  behind?: OpenAIChatMessage,
): OpenAIChatMessage[] {
  const messages: OpenAIChatMessage[] = [];
  for (const [index, reminder] of reminders.entries()) {
    const next = index === reminders.length - 1 ? behind : undefined;
    const trusted = isNative(reminder) && !isSystem(messages.at(-1) ?? before) && !isSystem(next);
    messages.push(said(trusted ? "developer" : "user", reminder));
  }
  return messages;
}

function wirePart(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "text", text: block.text } as WireBlock;
  const url = `data:${block.mediaType};base64,${block.data}`;
  return { type: "image_url", image_url: { url } } as WireBlock;
}

function mayCarry({ role }: OpenAIChatMessage): boolean {
  return role !== "assistant";
}

/** What counts as a block, in order: the content's parts, then the other fields of an assistant message. */
function readMessage(message: OpenAIChatMessage, index: number): HistoryBlock[] {
  const role = roleOf(message);
  const name = message.name ?? undefined;
  if (isResult(message)) {
    const answer = identifyingFields(message, ["role", "id"]);
    const fields = { ...answer, content: resultContent(message.content) };
    const identity = identityOf(role, "result", fields);
    return [
      {
        role,
        kind: "result",
        message: index,
        index: 0,
        identity,
        call: callOf(callParts(message), message.content),
      },
    ];
  }
  const named = name === undefined ? {} : { name };
  const beside = besideContent(message).map(({ kind, field, item, fields }, at): HistoryBlock => {
    const identity = identityOf(role, kind, { ...fields, ...named });
    const call = field === "tool_calls" ? callOf(callPart(item as Fields)) : undefined;
    return { role, kind, message: index, index: sizeOf(message) + at, identity, call };
  });
  if (typeof message.content === "string") {
    if (message.content === "") return beside;
    const identity = identityOf(role, "text", named);
    return [{ role, kind: "text", message: index, index: 0, identity, text: message.content }, ...beside];
  }
  const content = (blocksOf(message) ?? []).flatMap((part, at): HistoryBlock[] => {
    const kind = kindOf(part);
    const { text, ...rest } = part as WireBlock & { text?: string };
    const fields = {
      ...(kind === "text" ? identifyingFields(rest, ["id", "type"]) : identifyingFields(part, ["id"])),
      ...named,
    };
    const block = { role, kind, message: index, index: at, identity: identityOf(role, kind, fields) };
    if (kind !== "text") return [block];
    return text ? [{ ...block, text }] : [];
  });
  return [...content, ...beside];
}

/** Only the text says whether a tool failed. */
function callParts(message: OpenAIChatMessage): CallPart[] {
  const { tool_calls: calls } = message;
  if (message.role === "tool") {
    const { tool_call_id: id } = message as object as Fields;
    const { content: output } = message;
    return [{ part: "result", id: idOf(id), failed: looksFailed(output), output }];
  }
  return ((calls ?? []) as readonly Fields[]).flatMap(callPart);
}

function callPart({ id, function: called, custom }: Fields): CallPart[] {
  const { name, arguments: input, input: text } = (called ?? custom ?? {}) as Fields;
  return typeof name === "string" ? [{ part: "call", id: idOf(id), name, input: input ?? text }] : [];
}

interface Beside {
  kind: BlockKind;
  field: "refusal" | "audio" | "function_call" | "tool_calls";
  item: unknown;
  fields: object;
}

/** Reasoning beside the content is left out: some clients send it back, some do not. */
function besideContent(message: OpenAIChatMessage): Beside[] {
  const { refusal, audio, function_call: call, tool_calls: calls } = message;
  const beside: Beside[] = [];
  if (refusal) beside.push({ kind: "other", field: "refusal", item: refusal, fields: { refusal } });
  if (audio) beside.push({ kind: "other", field: "audio", item: audio, fields: { audio } });
  if (call) beside.push({ kind: "call", field: "function_call", item: call, fields: { function: call } });
  for (const item of calls ?? []) {
    beside.push({ kind: "call", field: "tool_calls", item, fields: identifyingFields(item, ["type"]) });
  }
  return beside;
}

function kindOf({ type }: WireBlock): BlockKind {
  if (type === "text" || type === "thinking") return type;
  if (type === "redacted_thinking" || type === "reasoning") return "thinking";
  return type === "image_url" ? "image" : "other";
}

function roleOf({ role }: OpenAIChatMessage): BlockRole {
  if (role === "system" || role === "developer") return "system";
  return role === "assistant" ? role : "user";
}

function isResult(message: OpenAIChatMessage | undefined): boolean {
  return message?.role === "tool" || message?.role === "function";
}

function endOf(messages: readonly OpenAIChatMessage[]): number {
  return endOfList(messages, (message) => roleOf(message) === "assistant");
}

function legalPlace(messages: readonly OpenAIChatMessage[], at: Position): Position {
  const { message, index } = clampPosition(messages, at);
  // Inside a message of another role it would have that role's authority.
  if (index > 0 && messages[message]?.role === "user") return { message, index };
  let place = index > 0 ? message + 1 : message;
  // Many servers accept the system prompt only as the first message.
  if (place === 0) while (place < messages.length && isSystem(messages[place])) place++;
  while (isResult(messages[place])) place++;
  return { message: place === messages.length ? endOf(messages) : place, index: 0 };
}

function isSystem(message: OpenAIChatMessage | undefined): boolean {
  return message !== undefined && roleOf(message) === "system";
}

function without(message: OpenAIChatMessage, indexes: ReadonlySet<number>): OpenAIChatMessage | undefined {
  if (isResult(message)) return indexes.has(0) ? undefined : message;
  const size = sizeOf(message);
  const beside = besideContent(message);
  const kept = beside.filter((_, at) => !indexes.has(size + at));
  const parts = blocksOf(message)?.filter((_, index) => !indexes.has(index));
  const content = parts ?? (size > 0 && indexes.has(0) ? null : message.content);
  if (!content?.length && kept.length === 0) return undefined;
  const rest: Record<string, unknown> = { ...message };
  if ("content" in rest) rest.content = content?.length ? content : null;
  for (const field of new Set(beside.map(({ field }) => field))) {
    const items = kept.filter((item) => item.field === field).map(({ item }) => item);
    if (items.length === 0) delete rest[field];
    else if (field === "tool_calls") rest[field] = items;
  }
  return rest as unknown as OpenAIChatMessage;
}
