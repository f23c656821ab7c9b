// What the items of an OpenAI Responses request are: who made them, and what they do. Of kinds nobody knows, too.

import type { BlockKind, BlockRole } from "./dialect.ts";
import { mapFields, mapItems } from "./map-results.ts";
import type { WireBlock } from "./shared.ts";

/** A message, a call, its output, reasoning: whatever `input` is a list of. */
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

// What the client itself says about how to go on.
const SETTINGS = ["additional_tools", "configuration_update", "compaction_trigger"];

/** Whatever is no message, no answer to a call and no setting the model has made. */
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

/** Functions, custom tools, shells, computers, patches: their answers are called so, or so by the Agents SDK. */
export function isResult(item: Item | undefined): boolean {
  const type = item?.type;
  if (type == null) return false;
  return type.endsWith("_output") || type.endsWith("_call_result") || type === "mcp_approval_response";
}

/** What tools gave, changed: of the provider's own tools nothing is, as their items are the model's. */
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
