// Shared by dialects with a list of messages: identities, and inserting or removing without touching the rest.

import type { ReminderBlock } from "../render/reminder.ts";
import { canonical, isLong } from "./canonical.ts";
import type {
  BlockKind,
  BlockRole,
  CallPart,
  DeclaredTool,
  HistoryBlock,
  InsertedBlock,
  Insertion,
  Position,
} from "./dialect.ts";

export interface WireBlock {
  readonly type: string;
}

export interface WireMessage {
  readonly role?: string;
  readonly content?: string | readonly WireBlock[] | null;
  /** Where blocks are called so. */
  readonly parts?: readonly object[] | null;
}

export type Fields = Readonly<Record<string, unknown>>;

export type InsertedReminder = readonly InsertedBlock[];

/** How a dialect writes reminders. */
export interface Writing<Message> {
  /** The field with a message's blocks. Default: `content`. */
  field?: BlocksField;
  /** A reminder between messages. */
  message(reminder: InsertedReminder): Message;
  /** All reminders between two messages, if their role depends on the neighbours. */
  between?(reminders: readonly InsertedReminder[], before?: Message, behind?: Message): Message[];
  /** A reminder's block inside somebody else's message. */
  block(block: ReminderBlock): object;
}

export function identityOf(role: BlockRole, kind: BlockKind, fields: Fields): string {
  for (const _ in fields) return joined(role, kind, canonical(fields));
  if (kind === "text") return PLAIN_TEXT[role];
  return `${role} ${kind} {}`;
}

/** So it is with nearly all texts: one string for all of them. */
export const PLAIN_TEXT: Readonly<Record<BlockRole, string>> = {
  system: "system text {}",
  user: "user text {}",
  assistant: "assistant text {}",
};

/** A call or result in a form that all dialects share: input as text equals input as an object. */
export function callOf([part]: readonly CallPart[], result?: unknown): HistoryBlock["call"] {
  if (part === undefined) return undefined;
  const holds =
    part.part === "call"
      ? joined(part.name, canonical(parsed(part.input)))
      : plainResult(resultContent(result));
  return part.id === undefined ? { holds } : { id: part.id, holds };
}

/** One string, not a tree of its parts, as a session keeps it. A long one is not copied. */
function joined(...parts: string[]): string {
  return parts.some(isLong) ? parts.reduce((all, part) => `${all} ${part}`) : parts.join(" ");
}

/** The text of a result, if a dialect wraps it in an object with nothing else. */
function plainResult(content: unknown): string {
  if (typeof content === "string") return content;
  const said = isFields(content) ? Object.entries(content).filter(([key]) => key !== "type") : [];
  const [only] = said;
  return said.length === 1 && typeof only?.[1] === "string" ? only[1] : canonical(content);
}

function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

/** The fields that put a cache breakpoint on a block: Anthropic's and compatible servers', and OpenAI's. */
export const BREAKPOINTS: readonly string[] = ["cache_control", "prompt_cache_breakpoint"];

/** The fields that identify a block. Clients move breakpoints and indexes, and write null for an absent field. */
export function identifyingFields(block: object, leftOut: readonly string[] = []): Fields {
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(block)) {
    const value = (block as Fields)[key];
    if (value == null || key === "index" || BREAKPOINTS.includes(key) || leftOut.includes(key)) continue;
    if (key !== "__proto__") fields[key] = value;
    // An assignment would set the prototype.
    else Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return fields;
}

/** A tool's answer: nothing, a string and one text block with that string are equal. */
export function resultContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content === "" || content === null ? undefined : content;
  const inner = content.map((block) => (isFields(block) ? identifyingFields(block) : block));
  const [first] = inner;
  if (inner.length === 0) return undefined;
  const isLone = inner.length === 1 && isFields(first) && first.type === "text";
  if (!isLone || typeof first.text !== "string" || Object.keys(first).length !== 2) return inner;
  return resultContent(first.text);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The id of a call, if the provider gave it one. */
export function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The field with a message's blocks. */
type BlocksField = "content" | "parts";

export function blocksOf(
  message: WireMessage | undefined,
  field: BlocksField = "content",
): readonly WireBlock[] | undefined {
  const content = message?.[field];
  return typeof content === "string" ? undefined : ((content ?? undefined) as readonly WireBlock[]);
}

/** How many blocks of the message a position can count. */
export function sizeOf(message: WireMessage | undefined, field: BlocksField = "content"): number {
  return blocksOf(message, field)?.length ?? (message?.[field] ? 1 : 0);
}

/** After the last block of a message is before the next message. */
export function clampPosition(
  messages: readonly WireMessage[],
  { message, index }: Position,
  field: BlocksField = "content",
): Position {
  if (message >= messages.length) return { message: messages.length, index: 0 };
  if (message < 0 || index <= 0) return { message: Math.max(0, message), index: 0 };
  return index < sizeOf(messages[message], field) ? { message, index } : { message: message + 1, index: 0 };
}

/**
 * Where new reminders go: after all messages; before the model's own last message. It may be the beginning of an answer that
 * the model has to continue, or have calls whose results must come next.
 */
export function endOfList<Message>(
  messages: readonly Message[],
  isModels: (message: Message) => boolean,
): number {
  const last = messages.at(-1);
  return last !== undefined && isModels(last) ? messages.length - 1 : messages.length;
}

/** Each reminder between messages is a separate one: a later one at the same position changes no earlier byte. */
export function insertReminders<Message extends WireMessage>(
  messages: readonly Message[],
  insertions: readonly Insertion[],
  writing: Writing<Message>,
): readonly Message[] {
  const { field = "content" } = writing;
  const between = new Map<number, InsertedReminder[]>();
  const inside = new Map<number, Map<number, object[]>>();
  for (const { at, blocks } of insertions) {
    const reminders = blocks.filter((reminder) => reminder.length > 0);
    if (reminders.length === 0) continue;
    const { message, index } = clampPosition(messages, at, field);
    if (index === 0) append(between, message, reminders);
    else append(within(inside, message), index, reminders.flat().map(writing.block));
  }
  if (between.size === 0 && inside.size === 0) return messages;
  // Parts without any are copied as a whole: a long history has few reminders.
  const places = [...new Set([...between.keys(), ...inside.keys()])].sort((a, b) => a - b);
  const pieces: (readonly Message[])[] = [];
  let copied = 0;
  for (const place of places) {
    const reminders = between.get(place);
    pieces.push(messages.slice(copied, place));
    if (reminders !== undefined)
      pieces.push(
        writing.between?.(reminders, messages[place - 1], messages[place]) ?? reminders.map(writing.message),
      );
    const message = messages[place];
    const added = inside.get(place);
    copied = place;
    if (message === undefined || added === undefined) continue;
    pieces.push([{ ...message, [field]: spliced(blocksOf(message, field) ?? [], added) }]);
    copied = place + 1;
  }
  return ([] as Message[]).concat(...pieces, messages.slice(copied));
}

/** Only text of the engine and its user. */
export function isNative(reminder: InsertedReminder): boolean {
  return reminder.every((block) => block.type === "text" && block.native === true);
}

/** `without` returns what is left of a message, or undefined. */
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

/** The same body if nothing changed, otherwise a new one with its fields in their order. */
export function withMessages<Body extends { readonly messages: readonly unknown[] }>(
  body: Body,
  messages: Body["messages"],
): Body {
  return messages === body.messages ? body : { ...body, messages };
}

function spliced(blocks: readonly object[], added: ReadonlyMap<number, object[]>): object[] {
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

// The tools that requests declare: each provider wraps them differently, the content is much the same.

/** From a list in the body, or from none. */
export function toolsIn(
  body: object,
  list: unknown,
  read: (tool: Fields) => readonly (DeclaredTool | undefined)[],
): readonly DeclaredTool[] | undefined {
  if (Array.isArray(list))
    return list.filter(isFields).flatMap((tool) => read(tool).filter((one) => one !== undefined));
  // A request that names a model has all its tools.
  return (body as Fields).model == null ? undefined : [];
}

/** A tool with its name, description, and the schema of its input under one of these names. */
export function declared(
  { name, description, ...rest }: Fields,
  schemas: readonly string[],
): DeclaredTool | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  const schema = schemas.map((one) => rest[one]).find((one) => one != null);
  const fields = fieldsOf(schema);
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** The provider's own tools have a type instead: `web_search_preview_2025_03_11`, `bash_20250124`. */
export function byType(tool: Fields): DeclaredTool | undefined {
  const { type, name, description } = tool;
  if (typeof name === "string") return declared({ name, description }, []);
  return typeof type === "string" ? { name: type.replace(/(?:_preview)?(?:_\d+)*$/u, "") } : undefined;
}

/** From a JSON Schema, one that the AI SDK wraps, or a schema library that knows its fields. */
function fieldsOf(schema: unknown): readonly string[] | undefined {
  if (!isFields(schema)) return undefined;
  const { properties, jsonSchema, shape, type } = schema;
  if (isFields(properties)) return Object.keys(properties);
  if (isFields(jsonSchema)) return fieldsOf(jsonSchema);
  if (isFields(shape)) return Object.keys(shape);
  return String(type).toLowerCase() === "object" ? [] : undefined;
}

// Whether a tool's answer says that it failed, for providers without a field for it: by how it starts.

// A successful call is not reported again, so an edit that did not find its text must not count as one.
const FAILED =
  /^[\s<[({*"'`]*(?:tool[_ ](?:use_)?error|error\b|failed\b|failure\b|could not|couldn't|cannot|can't|unable to|no such file|file not found|permission denied|enoent|eacces|\w+error:|apply_patch verification failed|(?:process exited with code|exit code:?) -?[1-9])/iu;
// A call that its user did not want.
const REFUSED =
  /^[\s<[({*"'`]*(?:(?:the )?(?:patch|operation|edit|command|tool(?: call| use)?) (?:was |has been )?(?:rejected|cancell?ed|aborted|denied|refused)|(?:aborted|rejected|cancell?ed|denied) by|(?:the )?user (?:rejected|cancell?ed|denied|declined|aborted))\b/iu;
// Codex's answers end with it.
const EXIT_CODE = /"exit_code":\s*-?[1-9]/u;
const LOOKED_AT = 200;

export function looksFailed(output: unknown): boolean {
  const [first] = Array.isArray(output) ? output : [output];
  const text = isFields(first) ? first.text : first;
  if (typeof text !== "string") return false;
  const begins = text.slice(0, LOOKED_AT);
  if (FAILED.test(begins) || REFUSED.test(begins)) return true;
  return text.startsWith('{"output":') && EXIT_CODE.test(text.slice(-LOOKED_AT));
}
