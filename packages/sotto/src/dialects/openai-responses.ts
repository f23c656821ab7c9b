// OpenAI Responses: reminders are user messages after the last item; reasoning stays with its output.

import type { ReminderBlock } from "../render/reminder.ts";
import { problemOfBlocks } from "./body-problem.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import type {
  BlockKind,
  BlockRole,
  CallPart,
  DeclaredTool,
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
  endOfList,
  type Fields,
  type InsertedReminder,
  identifyingFields,
  identityOf,
  idOf,
  insertReminders,
  isFields,
  isNative,
  looksFailed,
  removeBlocks,
  resultContent,
  toolsIn,
  type WireBlock,
} from "./message-list.ts";
import { takesDeveloper } from "./trusted-role.ts";

/** The part of an OpenAI Responses request that Sotto reads. */
export interface OpenAIResponsesBody {
  readonly input?: string | readonly object[];
  readonly previous_response_id?: string | null;
  readonly conversation?: string | { readonly id: string } | null;
  readonly store?: boolean | null;
}

/** The dialect of OpenAI's Responses API. */
export const openaiResponses: Dialect<OpenAIResponsesBody> = {
  name: "openai-responses",
  field: "input",
  problem: problemOfInput,
  kept,
  // In a conversation the next request names that.
  keepsAnswer: (body) => body.store !== false && kept(body)?.moves !== false,
  repliesInItems: true,
  messages: itemsOf,
  read: (item, index) => readItem(item as Item, index, { fieldsOf, callPart, noted: NOTED }),
  calls: (item) => callPart(item as Fields),
  tools: (body) => {
    const { tools, prompt } = body as Fields & OpenAIResponsesBody;
    // A prompt that the provider stores may have tools that are not in the request.
    return tools == null && prompt != null ? undefined : toolsIn(body, tools, declaredIn);
  },
  end: (body) => ({ message: endOfItems(itemsOf(body)), index: 0 }),
  legal: (body, at) => legalAmongItems(itemsOf(body), at),
  insert: (body, insertions, own) => {
    const items = itemsOf(body);
    const moved = moveBreakpoints(items, own, mayCarry);
    return withItems(body, items, insertReminders(moved, insertions, writingFor(body)));
  },
  mapResults: (body, change) => {
    const items = itemsOf(body);
    return withItems(body, items, mapItemResults(items, change));
  },
  remove: (body, blocks) => {
    const items = itemsOf(body);
    return withItems(body, items, removeBlocks(items, blocks, withoutParts));
  },
};

/** A response has its own id, a conversation keeps its id. */
function kept(body: OpenAIResponsesBody): ProviderHistory | undefined {
  const { previous_response_id: previous, conversation } = body;
  if (typeof previous === "string") return { name: previous, moves: true };
  const name = typeof conversation === "string" ? conversation : conversation?.id;
  return typeof name === "string" ? { name, moves: false } : undefined;
}

function itemsOf({ input = [] }: OpenAIResponsesBody): readonly Item[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

function withItems<Body extends OpenAIResponsesBody>(
  body: Body,
  before: readonly Item[],
  items: readonly Item[],
): Body {
  return items === before ? body : { ...body, input: items };
}

function writingFor(body: OpenAIResponsesBody) {
  const trusted = takesDeveloper(body);
  return {
    message: (reminder: InsertedReminder): Item => ({
      type: "message",
      role: trusted && isNative(reminder) ? "developer" : "user",
      content: reminder.map(wirePart),
    }),
    block: wirePart,
  };
}

function wirePart(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "input_text", text: block.text } as WireBlock;
  const url = `data:${block.mediaType};base64,${block.data}`;
  return { type: "input_image", image_url: url, detail: "auto" } as WireBlock;
}

function mayCarry(item: Item): boolean {
  return isMessage(item) && item.role !== "assistant";
}

/** Functions, custom tools, the provider's own, and whole groups of them. */
function declaredIn(tool: Fields): readonly (DeclaredTool | undefined)[] {
  const { type, tools } = tool;
  if (Array.isArray(tools)) return tools.filter(isFields).flatMap(declaredIn);
  return [type === "function" || type === "custom" ? declared(tool, ["parameters"]) : byType(tool)];
}

// The provider's own tools that the client runs: their calls are separate items.
const OWN_CALLS: Readonly<Record<string, { name: string; input: string }>> = {
  local_shell_call: { name: "local_shell", input: "action" },
  shell_call: { name: "shell", input: "action" },
  apply_patch_call: { name: "apply_patch", input: "operation" },
};
const OUTPUTS = new Set(
  [...Object.keys(OWN_CALLS), "function_call", "custom_tool_call"].map((type) => `${type}_output`),
);

/** Only the text says whether a tool failed; patches have a status. */
function callPart(item: Fields): CallPart[] {
  const { call_id: call, name, arguments: input, input: text, output, status } = item;
  const type = String(item.type);
  const id = idOf(call);
  if (type === "function_call") return [{ part: "call", id, name: String(name), input }];
  if (type === "custom_tool_call") return [{ part: "call", id, name: String(name), input: text }];
  const own = Object.hasOwn(OWN_CALLS, type) ? OWN_CALLS[type] : undefined;
  if (own !== undefined) return [{ part: "call", id, name: own.name, input: item[own.input] }];
  if (!OUTPUTS.has(type)) return [];
  const failed = status === "failed" || looksFailed(output);
  return [{ part: "result", id: id ?? idOf(item.id), failed, output }];
}

// What the provider adds to its answers, and clients send back or leave out.
const NOTED = ["id", "status", "annotations", "logprobs", "detail"];

/** An item that is sent by its id has nothing else. */
function fieldsOf(item: Item): Fields {
  if (item.type === "item_reference") return { type: item.type, id: item.id };
  const fields = identifyingFields(item, NOTED);
  const { output } = fields;
  return output === undefined ? fields : { ...fields, output: resultContent(asTexts(output)) };
}

function asTexts(output: unknown): unknown {
  if (!Array.isArray(output)) return output;
  return output.map((part) => (part?.type === "input_text" ? { ...part, type: "text" } : part));
}

// The blocks of an item, where messages, calls, results and reasoning are separate items.

export interface ItemFields {
  callPart(item: Fields): CallPart[];
  /** The fields that identify an item that is not a message. */
  fieldsOf(item: Item): Fields;
  /** Fields of a message part that clients send back or leave out. */
  noted: readonly string[];
}

export function readItem(
  item: Item,
  index: number,
  { fieldsOf, callPart, noted }: ItemFields,
): HistoryBlock[] {
  const role = roleOf(item);
  if (!isMessage(item)) {
    const kind = kindOfItem(item);
    const fields = fieldsOf(item);
    const call = callOf(callPart(item as object as Fields), fields.output);
    return [{ role, kind, message: index, index: 0, identity: identityOf(role, kind, fields), call }];
  }
  const parts = blocksOf(item) ?? (item.content ? [{ type: "input_text", text: item.content }] : []);
  return parts.flatMap((part, at): HistoryBlock[] => {
    const kind = kindOfPart(part);
    const { text, type: _, ...rest } = part as WireBlock & { text?: string };
    const fields = identifyingFields(kind === "text" ? rest : part, noted);
    const block = { role, kind, message: index, index: at, identity: identityOf(role, kind, fields) };
    if (kind !== "text") return [block];
    return text ? [{ ...block, text }] : [];
  });
}

// Where reminders may go among items, and what is left of an item without some of its parts.

/**
 * As in other lists. A reply may be several items: before all of it if a call in it waits for its result or reasoning for
 * its output, before the reasoning that led to the last message.
 */
export function endOfItems(items: readonly Item[]): number {
  const reply = items.findLastIndex((item) => !isModels(item)) + 1;
  const last = items.at(-1);
  if (last !== undefined && (kindOfItem(last) === "thinking" || items.slice(reply).some(waits))) return reply;
  let end = endOfList(items, (item) => isMessage(item) && isModels(item));
  if (end < items.length) while (isInsideReply(items, end)) end--;
  return end;
}

// The provider itself answers calls of its own tools.
const ANSWERED_BY_CLIENTS = ["function", "custom_tool", "shell", "local_shell", "computer", "apply_patch"];

function waits({ type }: Item): boolean {
  return ANSWERED_BY_CLIENTS.some((tool) => type === `${tool}_call`);
}

export function legalAmongItems(items: readonly Item[], at: Position): Position {
  const { message, index } = clampPosition(items, at);
  const inside = items[message];
  if (index > 0 && inside !== undefined && isMessage(inside) && roleOf(inside) === "user") {
    return { message, index };
  }
  let place = index > 0 ? message + 1 : message;
  if (place === 0) while (items[place]?.role === "system" || items[place]?.role === "developer") place++;
  // A reply is one unit: reasoning with its output, calls with their answers.
  while (isResult(items[place]) || isInsideReply(items, place)) place++;
  return { message: place === items.length ? endOfItems(items) : place, index: 0 };
}

export function withoutParts(item: Item, indexes: ReadonlySet<number>): Item | undefined {
  const parts = isMessage(item) ? blocksOf(item) : undefined;
  if (parts === undefined) return indexes.has(0) ? undefined : item;
  const content = parts.filter((_, index) => !indexes.has(index));
  return content.length > 0 ? { ...item, content } : undefined;
}

/** A message of the model is complete: what was sent after it stays there, however the model continued. */
function isInsideReply(items: readonly Item[], place: number): boolean {
  const before = items[place - 1];
  return before !== undefined && !isMessage(before) && isModels(before) && isModels(items[place]);
}

// What the items of a Responses request are: who made them, and what they do; unknown kinds included.

/** A message, a call, its output, reasoning: the items of `input`. */
export interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string | null;
  readonly content?: string | readonly WireBlock[] | null;
}

export function kindOfPart({ type }: WireBlock): BlockKind {
  if (type === "input_text" || type === "output_text") return "text";
  return type === "input_image" ? "image" : "other";
}

export function kindOfItem(item: Item): BlockKind {
  const { type } = item;
  if (isReasoning(item)) return "thinking";
  if (isResult(item)) return "result";
  return type?.endsWith("_call") || type === "mcp_approval_request" ? "call" : "other";
}

// What the client itself sets for the rest of the conversation.
const SETTINGS = ["additional_tools", "configuration_update", "compaction_trigger"];

/** Anything that is not a message, an answer to a call or a client's setting was made by the model. */
export function roleOf(item: Item): BlockRole {
  if (isMessage(item)) {
    if (item.role === "system" || item.role === "developer") return "system";
    return item.role === "assistant" ? "assistant" : "user";
  }
  if (isResult(item)) return "user";
  return SETTINGS.includes(item.type ?? "") ? "system" : "assistant";
}

export function isMessage({ type }: Item): boolean {
  return type === undefined || type === null || type === "message";
}

/** Functions, custom tools, shells, computers, patches: the API's names for their answers, and the Agents SDK's. */
export function isResult(item: Item | undefined): boolean {
  const type = item?.type;
  if (type == null) return false;
  return type.endsWith("_output") || type.endsWith("_call_result") || type === "mcp_approval_response";
}

/** Tool results, changed; not those of the provider's own tools, because their items are the model's. */
export function mapItemResults<Given extends Item>(
  items: readonly Given[],
  change: (text: string) => string,
): readonly Given[] {
  return mapItems(items, (item) => (isResult(item) ? mapFields(item, ["output", "reason"], change) : item));
}

function isReasoning({ type, id }: Item): boolean {
  return type === "reasoning" || (type === "item_reference" && (id?.startsWith("rs_") ?? false));
}

export function isModels(item: Item | undefined): boolean {
  return item !== undefined && roleOf(item) === "assistant";
}

// Says why a body is not a readable Responses request, naming the field.

const TEXTS = ["input_text", "output_text"];
// What a request can continue from without any input.
const SOURCES = ["previous_response_id", "conversation", "prompt"];

export function problemOfInput(body: unknown): string | undefined {
  try {
    if (!isFields(body)) return "body: expected an object";
    const { input } = body;
    if (typeof input === "string") return undefined;
    if (input === undefined && SOURCES.some((field) => body[field] != null)) return undefined;
    if (!Array.isArray(input)) return "input: expected a string or a list";
    for (let index = 0; index < input.length; index++) {
      const problem = problemOfItem(input[index]);
      if (problem) return `input.${index}${problem}`;
    }
    return undefined;
  } catch {
    // A getter or proxy of the host threw: nobody could send this body.
    return "body: cannot be read";
  }
}

function problemOfItem(item: unknown): string | undefined {
  if (!isFields(item)) return ": expected an object";
  const { type, id } = item;
  if (type != null && typeof type !== "string") return ".type: expected a string";
  if (id != null && typeof id !== "string") return ".id: expected a string";
  return type == null || type === "message" ? problemOfMessage(item) : undefined;
}

function problemOfMessage({ role, content }: Fields): string | undefined {
  if (typeof role !== "string") return ".role: expected a string";
  if (typeof content === "string") return undefined;
  return problemOfBlocks(content, TEXTS);
}
