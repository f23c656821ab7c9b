// Where reminders may stand among items, and what is left of an item without some of its parts.

import type { Position } from "../core/dialect.ts";
import { type Item, isMessage, isModels, isResult, roleOf } from "./openai-responses-items.ts";
import { blocksOf, settle } from "./shared.ts";

/** What the model began to say stays last. */
export function endOfItems(items: readonly Item[]): number {
  return items.findLastIndex((item) => !isModels(item)) + 1;
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

function isInsideReply(items: readonly Item[], place: number): boolean {
  return isModels(items[place - 1]) && isModels(items[place]);
}
