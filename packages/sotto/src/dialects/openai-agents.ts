// The OpenAI Agents SDK's items: reminders are user messages after the last item; the SDK converts them for its model.

import type { ReminderBlock } from "../render/reminder.ts";
import { moveBreakpoints } from "./cache-breakpoints.ts";
import type { CallPart, Dialect, ProviderHistory } from "./dialect.ts";
import {
  byType,
  declared,
  type Fields,
  type InsertedReminder,
  identifyingFields,
  idOf,
  insertReminders,
  looksFailed,
  removeBlocks,
  resultContent,
  toolsIn,
  type WireBlock,
} from "./message-list.ts";
import {
  endOfItems,
  type Item,
  isMessage,
  legalAmongItems,
  mapItemResults,
  problemOfInput,
  readItem,
  withoutParts,
} from "./openai-responses.ts";

/** The part of an OpenAI Agents model call that Sotto reads. */
export interface OpenAIAgentsBody {
  /** Always a list: the SDK turns a single string into a message. */
  readonly input: readonly object[];
  /** If the provider keeps the conversation and `input` has only what is new: a name for it. */
  readonly conversation?: string | undefined;
  /** The tools of the agent that asks. */
  readonly tools?: readonly object[] | undefined;
}

// As in the Responses dialect, plus the provider's fields that the SDK keeps, and its name for a breakpoint.
const NOTED = ["id", "status", "detail", "promptCacheBreakpoint"];
const NOTED_OF_PARTS = [...NOTED, "providerData"];
const BREAKPOINT = ["promptCacheBreakpoint"];

/** The dialect of the OpenAI Agents SDK. */
export const openaiAgents: Dialect<OpenAIAgentsBody> = {
  name: "openai-agents",
  field: "input",
  problem,
  kept,
  repliesInItems: true,
  messages: itemsOf,
  read: (item, index) => readItem(item as Item, index, { fieldsOf, callPart, noted: NOTED_OF_PARTS }),
  calls: (item) => callPart(item as Fields),
  tools: (body) =>
    toolsIn(body, body.tools, (tool) => [
      tool.type === "function" ? declared(tool, ["parameters"]) : byType(tool),
    ]),
  end: (body) => ({ message: endOfItems(itemsOf(body)), index: 0 }),
  legal: (body, at) => legalAmongItems(itemsOf(body), at),
  insert: (body, insertions, own) => {
    const moved = moveBreakpoints(itemsOf(body), own, mayCarry, BREAKPOINT);
    return withItems(body, insertReminders(moved, insertions, writing));
  },
  mapResults: (body, change) => withItems(body, mapItemResults(itemsOf(body), change)),
  remove: (body, blocks) => withItems(body, removeBlocks(itemsOf(body), blocks, withoutParts)),
};

function problem(body: unknown): string | undefined {
  const found = problemOfInput(body);
  if (found !== undefined) return found;
  return Array.isArray((body as Fields).input) ? undefined : "input: expected a list";
}

/** Answers have ids there, but they are not known in time. */
function kept({ conversation }: OpenAIAgentsBody): ProviderHistory | undefined {
  return typeof conversation === "string" ? { name: conversation, moves: false } : undefined;
}

function itemsOf({ input }: OpenAIAgentsBody): readonly Item[] {
  return input;
}

function withItems<Body extends OpenAIAgentsBody>(body: Body, input: readonly Item[]): Body {
  return input === body.input ? body : { ...body, input };
}

const writing = {
  message: (reminder: InsertedReminder): Item => ({
    type: "message",
    role: "user",
    content: reminder.map(wirePart),
  }),
  block: wirePart,
};

function wirePart(block: ReminderBlock): WireBlock {
  if (block.type === "text") return { type: "input_text", text: block.text } as WireBlock;
  return { type: "input_image", image: `data:${block.mediaType};base64,${block.data}` } as WireBlock;
}

function mayCarry(item: Item): boolean {
  return isMessage(item) && item.role === "user";
}

/** Only the text says whether a function failed; patches have a status. */
function callPart({
  type,
  callId,
  name,
  arguments: input,
  action,
  operation,
  status,
  output,
}: Fields): CallPart[] {
  const id = idOf(callId);
  if (type === "function_call") return [{ part: "call", id, name: String(name), input }];
  if (type === "shell_call") return [{ part: "call", id, name: "shell", input: action }];
  if (type === "apply_patch_call") return [{ part: "call", id, name: "apply_patch", input: operation }];
  const isAnswer = ["function_call_result", "shell_call_output", "apply_patch_call_output"].includes(
    String(type),
  );
  return isAnswer ? [{ part: "result", id, failed: status === "failed" || looksFailed(output), output }] : [];
}

function fieldsOf(item: Item): Fields {
  const fields = identifyingFields(item, NOTED);
  const { output } = fields;
  return output === undefined ? fields : { ...fields, output: resultContent(asTexts(output)) };
}

/** Older and newer versions of the SDK write a single text as such or as a list of one. */
function asTexts(output: unknown): unknown {
  const parts = Array.isArray(output) ? output : [output];
  if (typeof output === "string") return output;
  return parts.map((part) => (part?.type === "input_text" ? { ...part, type: "text" } : part));
}
