// The blocks of an item, where messages stand among calls, results and reasoning as items of their own.

import type { CallPart, HistoryBlock } from "./dialect.ts";
import { type Item, isMessage, kindOfItem, kindOfPart, roleOf } from "./openai-responses-items.ts";
import { blocksOf, callOf, essence, type Fields, identityOf, type WireBlock } from "./shared.ts";

export interface ItemFields {
  callPart(item: Fields): CallPart[];
  /** What says what an item is that is no message. */
  fieldsOf(item: Item): Fields;
  /** Of a part of a message: what is noted beside it, and clients send back or leave out. */
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
    return [{ role, kind, message: index, index: 0, identity: identityOf(role, kind, fields), ...call }];
  }
  const parts = blocksOf(item) ?? (item.content ? [{ type: "input_text", text: item.content }] : []);
  return parts.flatMap((part, at): HistoryBlock[] => {
    const kind = kindOfPart(part);
    const { text, type: _, ...rest } = part as WireBlock & { text?: string };
    const fields = essence(kind === "text" ? rest : part, noted);
    const block = { role, kind, message: index, index: at, identity: identityOf(role, kind, fields) };
    if (kind !== "text") return [block];
    return text ? [{ ...block, text }] : [];
  });
}
