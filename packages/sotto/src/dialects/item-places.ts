// Where reminders may stand among items, and what is left of an item without some of its parts.

import type { Position } from "./dialect.ts";
import { type Item, isMessage, isModels, isResult, kindOfItem, roleOf } from "./openai-responses-items.ts";
import { blocksOf, settle } from "./shared.ts";

/**
 * Behind all items; before a reply at the end that is not whole: calls whose results have to follow, reasoning without
 * what it led to.
 */
export function endOfItems(items: readonly Item[]): number {
  const reply = items.findLastIndex((item) => !isModels(item)) + 1;
  const last = items.at(-1);
  const isWhole = last === undefined || (kindOfItem(last) !== "thinking" && !items.slice(reply).some(waits));
  return isWhole ? items.length : reply;
}

// The provider answers calls of its own tools itself.
const ANSWERED_BY_CLIENTS = ["function", "custom_tool", "shell", "local_shell", "computer", "apply_patch"];

function waits({ type }: Item): boolean {
  return ANSWERED_BY_CLIENTS.some((tool) => type === `${tool}_call`);
}

export function legalAmongItems(items: readonly Item[], at: Position): Position {
  const { message, index } = settle(items, at);
  const inside = items[message];
  if (index > 0 && inside !== undefined && isMessage(inside) && roleOf(inside) === "user") {
    return { message, index };
  }
  let place = index > 0 ? message + 1 : message;
  if (place === 0) while (items[place]?.role === "system" || items[place]?.role === "developer") place++;
  // A reply is one: reasoning with what it led to, calls with their answers.
  while (isResult(items[place]) || isInsideReply(items, place)) place++;
  return { message: place === items.length ? endOfItems(items) : place, index: 0 };
}

export function withoutParts(item: Item, indexes: ReadonlySet<number>): Item | undefined {
  const parts = isMessage(item) ? blocksOf(item) : undefined;
  if (parts === undefined) return indexes.has(0) ? undefined : item;
  const content = parts.filter((_, index) => !indexes.has(index));
  return content.length > 0 ? { ...item, content } : undefined;
}

/** A message of the model is whole in itself: what was sent behind it stays there, however the model went on. */
function isInsideReply(items: readonly Item[], place: number): boolean {
  const before = items[place - 1];
  return before !== undefined && !isMessage(before) && isModels(before) && isModels(items[place]);
}
