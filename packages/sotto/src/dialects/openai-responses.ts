// OpenAI Responses: reminders are user messages behind the last item; reasoning stays with what it led to.

import type { CallPart, DeclaredTool, Dialect, KeptHistory } from "./dialect.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import { byType, declared, toolsIn } from "./declared-tools.ts";
import { endOfItems, legalAmongItems, withoutParts } from "./item-places.ts";
import { type Item, isMessage, mapItemResults } from "./openai-responses-items.ts";
import { problemOfInput } from "./openai-responses-problem.ts";
import { readItem } from "./read-item.ts";
import { saysFailed } from "./says-failed.ts";
import {
  essence,
  type Fields,
  type InsertedReminder,
  idOf,
  insertReminders,
  isFields,
  isNative,
  removeBlocks,
  resultContent,
  type WireBlock,
} from "./shared.ts";
import { takesDeveloper } from "./trusted-role.ts";

export interface OpenAIResponsesBody {
  readonly input?: string | readonly object[];
  readonly previous_response_id?: string | null;
  readonly conversation?: string | { readonly id: string } | null;
}

export const openaiResponses: Dialect<OpenAIResponsesBody> = {
  name: "openai-responses",
  field: "input",
  problem: problemOfInput,
  kept,
  repliesInItems: true,
  messages: itemsOf,
  read: (item, index) => readItem(item as Item, index, { fieldsOf, callPart, noted: NOTED }),
  calls: (item) => callPart(item as Fields),
  tools: (body) => {
    const { tools, prompt } = body as Fields & OpenAIResponsesBody;
    // A prompt that the provider keeps may have tools that stand nowhere here.
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

/** A response has a name of its own, a conversation keeps its name. */
function kept(body: OpenAIResponsesBody): KeptHistory | undefined {
  const { previous_response_id: previous, conversation } = body;
  if (typeof previous === "string") return { name: previous, moves: true };
  const name = typeof conversation === "string" ? conversation : conversation?.id;
  return typeof name === "string" ? { name, moves: false } : undefined;
}

function itemsOf({ input = [] }: OpenAIResponsesBody): readonly Item[] {
  return typeof input === "string" ? (input === "" ? [] : [{ role: "user", content: input }]) : input;
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

// The provider's own tools that the client runs: their calls are items of their own.
const OWN_CALLS: Readonly<Record<string, { name: string; input: string }>> = {
  local_shell_call: { name: "local_shell", input: "action" },
  shell_call: { name: "shell", input: "action" },
  apply_patch_call: { name: "apply_patch", input: "operation" },
};
const OUTPUTS = new Set(
  [...Object.keys(OWN_CALLS), "function_call", "custom_tool_call"].map((type) => `${type}_output`),
);

/** Whether a tool failed is only in its words; of patches the state says it. */
function callPart(item: Fields): CallPart[] {
  const { call_id: call, name, arguments: input, input: text, output, status } = item;
  const type = String(item.type);
  const id = idOf(call);
  if (type === "function_call") return [{ part: "call", id, name: String(name), input }];
  if (type === "custom_tool_call") return [{ part: "call", id, name: String(name), input: text }];
  const own = Object.hasOwn(OWN_CALLS, type) ? OWN_CALLS[type] : undefined;
  if (own !== undefined) return [{ part: "call", id, name: own.name, input: item[own.input] }];
  if (!OUTPUTS.has(type)) return [];
  return [{ part: "result", id: id ?? idOf(item.id), failed: status === "failed" || saysFailed(output) }];
}

// What the provider notes beside its answers, and clients send back or leave out.
const NOTED = ["id", "status", "annotations", "logprobs", "detail"];

/** Of what is sent by its id alone that is all there is. */
function fieldsOf(item: Item): Fields {
  if (item.type === "item_reference") return { type: item.type, id: item.id };
  const fields = essence(item, NOTED);
  const { output } = fields;
  return output === undefined ? fields : { ...fields, output: resultContent(asTexts(output)) };
}

function asTexts(output: unknown): unknown {
  if (!Array.isArray(output)) return output;
  return output.map((part) => (part?.type === "input_text" ? { ...part, type: "text" } : part));
}
