// What the dialects with a list of messages share: identities, and inserting or removing without touching the rest.

import type { BlockKind, BlockRole, Insertion, Position } from "../core/dialect.ts";
import type { ReminderBlock } from "../core/reminder.ts";

export interface WireBlock {
  readonly type: string;
}

export interface WireMessage {
  readonly role: string;
  readonly content?: string | readonly WireBlock[] | null;
}

export type Fields = Readonly<Record<string, unknown>>;

/** How a dialect writes reminders. */
export interface Writing<Message> {
  /** A reminder between messages. */
  message(reminder: readonly ReminderBlock[]): Message;
  /** A block of a reminder inside somebody else's message. */
  block(block: ReminderBlock): WireBlock;
}

// Deeper than any tool's input; what lies below is left out, so that no input can exhaust the stack.
const DEEPEST = 100;

/** JSON with sorted keys, without what JSON would drop. */
export function canonical(value: unknown, depth = 0): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth === DEEPEST) return '"…"';
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(",")}]`;
  const fields = value as Fields;
  const pairs = Object.keys(fields)
    .sort()
    .filter((key) => fields[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical(fields[key], depth + 1)}`);
  return `{${pairs.join(",")}}`;
}

export function identityOf(role: BlockRole, kind: BlockKind, fields: Fields): string {
  return `${role} ${kind} ${canonical(fields)}`;
}

/** The fields that put a cache breakpoint on a block: Anthropic's, with its compatible servers, and OpenAI's. */
export const BREAKPOINTS: readonly string[] = ["cache_control", "prompt_cache_breakpoint"];

/** A block's fields that say what it is. Clients move breakpoints and indexes, and write null for an absent field. */
export function essence(block: object, leftOut: readonly string[] = []): Fields {
  const isSaid = (key: string, value: unknown) =>
    value != null && key !== "index" && !BREAKPOINTS.includes(key) && !leftOut.includes(key);
  return Object.fromEntries(Object.entries(block).filter(([key, value]) => isSaid(key, value)));
}

/** A tool's answer: nothing, a string, and one text block with that string are written for each other. */
export function resultContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content === "" || content === null ? undefined : content;
  const inner = content.map((block) => (isFields(block) ? essence(block) : block));
  const [first] = inner;
  if (inner.length === 0) return undefined;
  const lone = inner.length === 1 && first.type === "text" && Object.keys(first).length === 2;
  return lone ? resultContent(first.text) : inner;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function blocksOf(message: WireMessage | undefined): readonly WireBlock[] | undefined {
  const content = message?.content;
  return typeof content === "string" ? undefined : (content ?? undefined);
}

/** How many blocks of the message a position can count. */
export function sizeOf(message: WireMessage | undefined): number {
  return blocksOf(message)?.length ?? (message?.content ? 1 : 0);
}

/** Behind the last block of a message is before the next message. */
export function settle(messages: readonly WireMessage[], { message, index }: Position): Position {
  if (message >= messages.length) return { message: messages.length, index: 0 };
  if (message < 0 || index <= 0) return { message: Math.max(0, message), index: 0 };
  return index < sizeOf(messages[message]) ? { message, index } : { message: message + 1, index: 0 };
}

/** Each reminder between messages is one of its own: a later one at the same place changes no earlier byte. */
export function insertReminders<Message extends WireMessage>(
  messages: readonly Message[],
  insertions: readonly Insertion[],
  writing: Writing<Message>,
): readonly Message[] {
  const between = new Map<number, Message[]>();
  const inside = new Map<number, Map<number, WireBlock[]>>();
  for (const { at, blocks } of insertions) {
    const reminders = blocks.filter((reminder) => reminder.length > 0);
    if (reminders.length === 0) continue;
    const { message, index } = settle(messages, at);
    if (index === 0) append(between, message, reminders.map(writing.message));
    else append(within(inside, message), index, reminders.flat().map(writing.block));
  }
  if (between.size === 0 && inside.size === 0) return messages;
  return woven(messages, between, inside);
}

/** Stretches without any are copied as a whole: a long history has few reminders. */
function woven<Message extends WireMessage>(
  messages: readonly Message[],
  between: ReadonlyMap<number, Message[]>,
  inside: ReadonlyMap<number, ReadonlyMap<number, WireBlock[]>>,
): readonly Message[] {
  const places = [...new Set([...between.keys(), ...inside.keys()])].sort((a, b) => a - b);
  const pieces: (readonly Message[])[] = [];
  let copied = 0;
  for (const place of places) {
    pieces.push(messages.slice(copied, place), between.get(place) ?? []);
    const message = messages[place];
    const added = inside.get(place);
    copied = place;
    if (message === undefined || added === undefined) continue;
    pieces.push([{ ...message, content: spliced(blocksOf(message) ?? [], added) }]);
    copied = place + 1;
  }
  return ([] as Message[]).concat(...pieces, messages.slice(copied));
}

/** `without` gives what is left of a message, or nothing. */
export function removeBlocks<Message>(
  messages: readonly Message[],
  blocks: readonly Position[],
  without: (message: Message, indexes: ReadonlySet<number>) => Message | undefined,
): readonly Message[] {
  const removed = new Map<number, Set<number>>();
  for (const { message, index } of blocks) {
    removed.set(message, (removed.get(message) ?? new Set()).add(index));
  }
  if (removed.size === 0) return messages;
  return messages.flatMap((message, index) => {
    const indexes = removed.get(index);
    const rest = indexes ? without(message, indexes) : message;
    return rest === undefined ? [] : [rest];
  });
}

/** The same body where nothing changed, else a new one with its fields in their order. */
export function withMessages<Body extends { readonly messages: readonly unknown[] }>(
  body: Body,
  messages: Body["messages"],
): Body {
  return messages === body.messages ? body : { ...body, messages };
}

function spliced(blocks: readonly WireBlock[], added: ReadonlyMap<number, WireBlock[]>): WireBlock[] {
  return blocks.flatMap((block, index) => [...(added.get(index) ?? []), block]);
}

function append<Item>(lists: Map<number, Item[]>, key: number, items: readonly Item[]): void {
  const list = lists.get(key) ?? [];
  for (const item of items) list.push(item);
  lists.set(key, list);
}

function within<Inner>(maps: Map<number, Map<number, Inner>>, key: number): Map<number, Inner> {
  const inner = maps.get(key) ?? new Map<number, Inner>();
  maps.set(key, inner);
  return inner;
}
