// The AI SDK's messages: reminders are user messages after the last one; the SDK converts them for every provider.

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
  identifyingFields,
  identityOf,
  idOf,
  insertReminders,
  isFields,
  removeBlocks,
  toolsIn,
  type WireBlock,
  withMessages,
} from "./message-list.ts";

/** A `ModelMessage`, or a message of a language model's `prompt`. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: string | readonly WireBlock[];
}

/** The part of an AI SDK call that Sotto reads: its messages. */
export interface AiSdkBody {
  readonly messages: readonly AiSdkMessage[];
}

// Cache breakpoints are among a part's options; so are signatures, which clients keep or drop.
const OPTIONS = ["providerOptions"];
const ROLES = ["system", "user", "assistant", "tool"];

/** The dialect of the AI SDK: `messages` as `generateText` and `streamText` take them. */
export const aiSdk: Dialect<AiSdkBody> = {
  name: "ai-sdk",
  field: "messages",
  problem: (body) => problemOf(body, { roles: ROLES }),
  messages: (body) => body.messages,
  read: (message, index) => readMessage(message as AiSdkMessage, index),
  calls: (message) => (blocksOf(message as AiSdkMessage) ?? []).flatMap(callPart),
  // A list in a model call; an object by name if tools are passed to the SDK.
  tools: (body) => {
    const { tools } = body as Fields & AiSdkBody;
    const list = isFields(tools)
      ? Object.entries(tools).map(([name, tool]) => ({ ...(tool as Fields), name }))
      : tools;
    return toolsIn(body, list, (tool) => [declared(tool, ["inputSchema", "parameters"])]);
  },
  end: ({ messages }) => ({ message: endOf(messages), index: 0 }),
  legal: ({ messages }, at) => legalPlace(messages, at),
  insert: (body, insertions, own) =>
    withMessages(
      body,
      insertReminders(moveBreakpoints(body.messages, own, mayCarry, OPTIONS), insertions, writing),
    ),
  mapResults: (body, change) =>
    withMessages(
      body,
      mapItems(body.messages, (message) => {
        const parts = blocksOf(message);
        if (parts === undefined || message.role !== "tool") return message;
        const content = mapItems(parts, (part) =>
          part.type === "tool-result" ? mapFields(part, ["output", "result"], change) : part,
        );
        return content === parts ? message : { ...message, content };
      }),
    ),
  remove: (body, blocks) => withMessages(body, removeBlocks(body.messages, blocks, without)),
};

const writing = {
  message: (reminder: readonly ReminderBlock[]) => ({ role: "user", content: reminder.map(wirePart) }),
  block: wirePart,
};

function wirePart(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "text", text: block.text } as WireBlock;
  const data = { type: "data", data: block.data };
  return { type: "file", mediaType: block.mediaType, data } as WireBlock;
}

function mayCarry({ role }: AiSdkMessage): boolean {
  return role === "user" || role === "tool";
}

function readMessage(message: AiSdkMessage, index: number): HistoryBlock[] {
  const role = roleOf(message);
  const parts = blocksOf(message) ?? [{ type: "text", text: message.content }];
  return parts.flatMap((part, at): HistoryBlock[] => {
    const kind = kindOf(part);
    const { text, ...rest } = part as WireBlock & { text?: string };
    const fields = kind === "text" ? identifyingFields(rest, ["type"]) : part;
    const place = {
      role,
      kind,
      message: index,
      index: at,
      identity: identityOf(role, kind, fieldsOf(fields)),
    };
    if (kind !== "text")
      return [{ ...place, call: callOf(callPart(part), (part as WireBlock & Fields).output) }];
    return text ? [{ ...place, text }] : [];
  });
}

function callPart(part: WireBlock): CallPart[] {
  const { type, toolCallId, toolName, input, output } = part as WireBlock & Fields;
  const id = idOf(toolCallId);
  if (type === "tool-call") return [{ part: "call", id, name: String(toolName), input }];
  if (type !== "tool-result") return [];
  const kind = isFields(output) ? String(output.type) : "";
  return [{ part: "result", id, failed: kind.startsWith("error") || kind === "execution-denied", output }];
}

/** A message equals what the SDK makes of it for a model: an image as a file, its data plain or named. */
function fieldsOf(part: object): Fields {
  const all = identifyingFields(part, OPTIONS);
  const { type, image, data = image, mediaType, ...fields } = all;
  if (type !== "file" && type !== "image") return all;
  return { ...fields, data: plain(data), ...(isPicture(type, mediaType) ? {} : { mediaType }) };
}

function plain(value: unknown): unknown {
  if (value instanceof URL) return plain(value.href);
  if (typeof value === "string")
    return value.startsWith("data:") ? value.slice(value.indexOf(",") + 1) : value;
  if (!isFields(value)) return value;
  const { type } = value;
  return type === "data" || type === "url" || type === "reference" ? plain(value[type]) : value;
}

function kindOf(part: WireBlock): BlockKind {
  const { type, mediaType } = part as WireBlock & { mediaType?: unknown };
  if (type === "text") return type;
  if (isPicture(type, mediaType)) return "image";
  if (type === "reasoning" || type === "reasoning-file") return "thinking";
  if (type === "tool-call") return "call";
  return type === "tool-result" ? "result" : "other";
}

function isPicture(type: unknown, mediaType: unknown): boolean {
  return type === "image" || (type === "file" && /^image(\/|$)/.test(String(mediaType)));
}

function roleOf({ role }: AiSdkMessage): BlockRole {
  return role === "system" || role === "assistant" ? role : "user";
}

function endOf(messages: readonly AiSdkMessage[]): number {
  return endOfList(messages, (message) => roleOf(message) === "assistant");
}

function legalPlace(messages: readonly AiSdkMessage[], at: Position): Position {
  const { message, index } = clampPosition(messages, at);
  if (index > 0 && messages[message]?.role === "user") return { message, index };
  let place = index > 0 ? message + 1 : message;
  // System messages come first; results right after their calls.
  if (place === 0) while (messages[place]?.role === "system") place++;
  while (messages[place]?.role === "tool") place++;
  return { message: place === messages.length ? endOf(messages) : place, index: 0 };
}

function without(message: AiSdkMessage, indexes: ReadonlySet<number>): AiSdkMessage | undefined {
  const parts = blocksOf(message);
  if (parts === undefined) return indexes.has(0) ? undefined : message;
  const content = parts.filter((_, index) => !indexes.has(index));
  return content.length === 0 ? undefined : { ...message, content };
}
