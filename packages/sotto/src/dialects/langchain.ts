// LangChain's messages: reminders are human messages after the last one; LangChain converts them for every provider.

import type { ReminderBlock } from "../render/reminder.ts";
import { problemOfBlocks } from "./body-problem.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import type { BlockKind, BlockRole, CallPart, Dialect, HistoryBlock, Position } from "./dialect.ts";
import { mapFields, mapItems } from "./map-results.ts";
import {
  blocksOf,
  byType,
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
  isFields,
  removeBlocks,
  resultContent,
  toolsIn,
  type WireBlock,
  withMessages,
} from "./message-list.ts";

/** The fields of a `BaseMessage` that are read. */
export interface LangchainMessage {
  readonly type: string;
  readonly content: string | readonly WireBlock[];
  readonly tool_calls?: readonly object[];
}

/** The part of a LangChain model call that Sotto reads. */
export interface LangchainBody {
  readonly messages: readonly LangchainMessage[];
}

/** The dialect of LangChain messages. */
export const langchain: Dialect<LangchainBody> = {
  name: "langchain",
  field: "messages",
  problem,
  messages: (body) => body.messages,
  read: (message, index) => readMessage(message as LangchainMessage, index),
  calls: (message) => callParts(message as LangchainMessage & Fields),
  // Tools of its own classes, or in the provider's format.
  tools: (body) =>
    toolsIn(body, (body as Fields & LangchainBody).tools, (tool) => {
      const { name, description, schema, function: called } = tool;
      if (isFields(called)) return [declared(called, ["parameters"])];
      if (schema != null) return [declared({ name, description, schema }, ["schema"])];
      return [tool.input_schema == null ? byType(tool) : declared(tool, ["input_schema"])];
    }),
  end: ({ messages }) => ({ message: endOf(messages), index: 0 }),
  legal: ({ messages }, at) => legalPlace(messages, at),
  insert: (body, insertions, own) => {
    const { messages } = body;
    const moved = moveBreakpoints(messages, own, mayCarry);
    const kept = moved === messages ? messages : moved.map((message, at) => asBefore(message, messages[at]));
    return withMessages(body, insertReminders(kept, insertions, writingLike(messages)));
  },
  mapResults: (body, change) =>
    withMessages(
      body,
      mapItems(body.messages, (message) =>
        isAnswer(message) ? asBefore(mapFields(message, ["content"], change), message) : message,
      ),
    ),
  remove: (body, blocks) => withMessages(body, removeBlocks(body.messages, blocks, without)),
};

function problem(body: unknown): string | undefined {
  try {
    if (!isFields(body)) return "body: expected an object";
    const { messages } = body;
    if (!Array.isArray(messages)) return "messages: expected a list";
    for (let index = 0; index < messages.length; index++) {
      const found = problemOfMessage(messages[index]);
      if (found) return `messages.${index}${found}`;
    }
    return undefined;
  } catch {
    // A getter or proxy of the host threw: nobody could send this.
    return "body: cannot be read";
  }
}

function problemOfMessage(message: unknown): string | undefined {
  if (!isFields(message)) return ": expected a message";
  const { type, content, tool_calls: calls } = message;
  if (typeof type !== "string") return ".type: expected a string";
  if (calls != null && !(Array.isArray(calls) && Array.from(calls).every(isFields)))
    return ".tool_calls: expected a list of objects";
  return typeof content === "string" ? undefined : problemOfBlocks(content, ["text"]);
}

/** Uses the class of the conversation's own human messages: nothing of LangChain is loaded here. */
function writingLike(messages: readonly LangchainMessage[]) {
  const human = messages.find((message) => message.type === "human" && message.constructor !== Object);
  const create = human?.constructor as (new (fields: object) => LangchainMessage) | undefined;
  return {
    message: (reminder: InsertedReminder): LangchainMessage => {
      const [first] = reminder;
      const lone = reminder.length === 1 && first?.type === "text";
      const content = lone ? first.text : reminder.map(wireBlock);
      return create === undefined ? { type: "human", content } : new create({ content });
    },
    block: wireBlock,
  };
}

/** Images in the form that all of its model classes read. */
function wireBlock(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "text", text: block.text } as WireBlock;
  const url = `data:${block.mediaType};base64,${block.data}`;
  return { type: "image_url", image_url: { url } } as WireBlock;
}

function mayCarry({ type }: LangchainMessage): boolean {
  return type === "human" || type === "tool";
}

function readMessage(message: LangchainMessage, index: number): HistoryBlock[] {
  const role = roleOf(message);
  const place = (kind: BlockKind, at: number, fields: Fields) => ({
    ...{ role, kind, message: index, index: at, identity: identityOf(role, kind, fields) },
  });
  if (isAnswer(message)) {
    const { tool_call_id: id, content } = message as LangchainMessage & Fields;
    return [
      {
        ...place("result", 0, { id, content: resultContent(content) }),
        call: callOf(callParts(message as LangchainMessage & Fields), content),
      },
    ];
  }
  const blocks = blocksOf(message) ?? [{ type: "text", text: message.content }];
  const calls = message.tool_calls ?? [];
  const said = blocks.flatMap((block, at): HistoryBlock[] => {
    const kind = kindOf(block);
    // Answers of some providers also have their calls here.
    if (kind === "call" && calls.length > 0) return [];
    const { text, ...rest } = block as WireBlock & { text?: string };
    if (kind !== "text") return [place(kind, at, identifyingFields(block, NOTED))];
    return text ? [{ ...place(kind, at, identifyingFields(rest, [...NOTED, "type"])), text }] : [];
  });
  const called = calls.map((call, at) => {
    const { id, name, args } = call as Fields;
    const part: CallPart = { part: "call", id: idOf(id), name: String(name), input: args };
    return { ...place("call", blocks.length + at, { id, name, args }), call: callOf([part]) };
  });
  return [...said, ...called];
}

const NOTED = ["id", "annotations"];
const CALLS = ["tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta"];
const THOUGHTS = ["thinking", "redacted_thinking", "reasoning"];
const PICTURES = ["image", "image_url", "input_image"];

function kindOf({ type }: WireBlock): BlockKind {
  if (type === "text") return "text";
  if (PICTURES.includes(type)) return "image";
  if (THOUGHTS.includes(type)) return "thinking";
  return CALLS.includes(type) ? "call" : "other";
}

function roleOf({ type, role }: LangchainMessage & { role?: unknown }): BlockRole {
  // A generic message has its role in another field.
  const name = type === "generic" ? role : type;
  if (name === "ai" || name === "assistant") return "assistant";
  return name === "system" || name === "developer" ? "system" : "user";
}

function isAnswer({ type }: LangchainMessage): boolean {
  return type === "tool" || type === "function";
}

function callParts({
  type,
  tool_calls: calls = [],
  tool_call_id: answers,
  status,
  content: output,
}: LangchainMessage & Fields): CallPart[] {
  if (type === "tool") return [{ part: "result", id: idOf(answers), failed: status === "error", output }];
  return calls.map((call) => {
    const { id, name, args } = call as Fields;
    return { part: "call", id: idOf(id), name: String(name), input: args };
  });
}

function endOf(messages: readonly LangchainMessage[]): number {
  return endOfList(messages, (message) => roleOf(message) === "assistant");
}

/** Never inside a message: these are the host's objects. */
function legalPlace(messages: readonly LangchainMessage[], at: Position): Position {
  const { message, index } = clampPosition(messages, at);
  let place = index > 0 ? message + 1 : message;
  if (place === 0) while (isSystem(messages[place])) place++;
  // Answers come right after their calls.
  while (messages[place] !== undefined && isAnswer(messages[place] as LangchainMessage)) place++;
  return { message: place === messages.length ? endOf(messages) : place, index: 0 };
}

function isSystem(message: LangchainMessage | undefined): boolean {
  return message !== undefined && roleOf(message) === "system";
}

function without(message: LangchainMessage, indexes: ReadonlySet<number>): LangchainMessage | undefined {
  const blocks = blocksOf(message);
  if (blocks === undefined) return indexes.has(0) ? undefined : message;
  const content = blocks.filter((_, index) => !indexes.has(index));
  return content.length === 0 ? undefined : asBefore({ ...message, content }, message);
}

/** Of the same class as before, including the constructor arguments, which LangChain serialises. */
function asBefore(message: LangchainMessage, before: LangchainMessage | undefined): LangchainMessage {
  if (before === undefined || message === before) return message;
  const { lc_kwargs: made } = before as LangchainMessage & Fields;
  return Object.assign(
    Object.create(Object.getPrototypeOf(before)),
    message,
    isFields(made) ? { lc_kwargs: { ...made, content: message.content } } : {},
  );
}
