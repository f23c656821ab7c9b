// A request's history as a hash chain over its content blocks, our own reminders skipped.

import type { BlockRole, Dialect, HistoryBlock, Position } from "./dialect.ts";
import { cutOut, isWhollyReminder, type ReminderTexts } from "./recognise.ts";

export type Hash = (text: string) => string;

interface ChainBlock {
  role: BlockRole;
  hash: string;
  /** The place right behind the block. */
  behind: Position;
}

/** A reminder that the history shows already. */
export interface OwnBlock {
  position: Position;
  /** Keys of the deliveries whose text stands in it. */
  deliveries: string[];
  /** Nothing else stands in it. */
  whole: boolean;
}

export interface History {
  chain: ChainBlock[];
  /** `rolling[n]`: hash over the first n blocks. */
  rolling: string[];
  positions: Map<string, number>;
  /** `assistants[n]`: non-empty assistant messages that begin within the first n blocks. */
  assistants: number[];
  own: OwnBlock[];
  messages: MessageMark[];
  /** Messages that hold reminders only. */
  hollow: Set<number>;
}

/** What tells that a message was seen before, and where the chain stood behind it. */
interface MessageMark {
  message: unknown;
  content: unknown;
  size: number;
  chain: number;
  own: number;
}

export interface ReadOptions<Body> {
  dialect: Dialect<Body>;
  body: Body;
  hash: Hash;
  reminders: ReminderTexts;
  /** The session's history of the turn before: what it shares with this one is not read again. */
  previous?: History | undefined;
}

export function readHistory<Body>({ dialect, body, hash, reminders, previous }: ReadOptions<Body>): History {
  const messages = dialect.messages(body);
  const history = previous === undefined ? emptyHistory() : sharedPart(previous, messages);
  for (let index = history.messages.length; index < messages.length; index++) {
    const message = messages[index];
    addMessage(history, dialect.read(message, index), { hash, reminders, message: index });
    history.messages.push(markOf(message, history));
  }
  return history;
}

/** How many chain blocks stand before a position. */
export function chainPosition(history: History, at: Position): number {
  let low = 0;
  let high = history.chain.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isAfter((history.chain[middle] as ChainBlock).behind, at)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The place behind the first `count` blocks, and behind reminders that follow them. */
export function bodyPosition(history: History, count: number): Position {
  const last = history.chain[count - 1];
  const next = history.chain[count];
  if (last === undefined) return skipHollow(history, { message: 0, index: 0 });
  const { behind } = last;
  const endsMessage = next === undefined || next.behind.message !== behind.message;
  return endsMessage ? skipHollow(history, { message: behind.message + 1, index: 0 }) : behind;
}

export function totalAssistants(history: History): number {
  return history.assistants.at(-1) ?? 0;
}

function emptyHistory(): History {
  return {
    chain: [],
    rolling: [""],
    positions: new Map([["", 0]]),
    assistants: [0],
    own: [],
    messages: [],
    hollow: new Set(),
  };
}

/** The previous history where this one extends it; cut back to what both share where it does not. */
function sharedPart(previous: History, messages: readonly unknown[]): History {
  let shared = 0;
  while (shared < messages.length && isSame(previous.messages[shared], messages[shared])) shared++;
  if (shared === previous.messages.length) return previous;
  if (shared === 0) return emptyHistory();
  const mark = previous.messages[shared - 1] as MessageMark;
  const rolling = previous.rolling.slice(0, mark.chain + 1);
  return {
    chain: previous.chain.slice(0, mark.chain),
    rolling,
    positions: new Map(rolling.map((value, position) => [value, position])),
    assistants: previous.assistants.slice(0, mark.chain + 1),
    own: previous.own.slice(0, mark.own),
    messages: previous.messages.slice(0, shared),
    hollow: new Set([...previous.hollow].filter((index) => index < shared)),
  };
}

function isSame(mark: MessageMark | undefined, message: unknown): boolean {
  return (
    mark !== undefined &&
    mark.message === message &&
    mark.content === contentOf(message) &&
    mark.size === sizeOf(mark.content)
  );
}

function markOf(message: unknown, { chain, own }: History): MessageMark {
  const content = contentOf(message);
  return { message, content, size: sizeOf(content), chain: chain.length, own: own.length };
}

function contentOf(message: unknown): unknown {
  const { content, parts } = message as { content?: unknown; parts?: unknown };
  return content ?? parts;
}

function sizeOf(content: unknown): number {
  return Array.isArray(content) ? content.length : 0;
}

function addMessage(
  history: History,
  blocks: readonly HistoryBlock[],
  { hash, reminders, message }: { hash: Hash; reminders: ReminderTexts; message: number },
): void {
  const before = history.chain.length;
  const ownBefore = history.own.length;
  let counts = false;
  for (const block of blocks) {
    if (block.kind === "thinking") continue;
    const content = contentHash(history, block, { hash, reminders });
    if (content === undefined) continue;
    if (block.role === "assistant") counts = true;
    addBlock(history, { role: block.role, hash: content, behind: { message, index: block.index + 1 } }, hash);
    const assistants =
      (history.assistants.at(-1) ?? 0) + (counts && history.chain.length === before + 1 ? 1 : 0);
    history.assistants.push(assistants);
  }
  if (history.chain.length === before && history.own.length > ownBefore) history.hollow.add(message);
}

function addBlock(history: History, block: ChainBlock, hash: Hash): void {
  history.chain.push(block);
  const rolling = hash(`${history.rolling.at(-1)}\n${block.hash}`);
  history.rolling.push(rolling);
  history.positions.set(rolling, history.chain.length);
}

/** The block's hash without our own text; nothing where only that, or white space, is in it. */
function contentHash(
  history: History,
  block: HistoryBlock,
  { hash, reminders }: { hash: Hash; reminders: ReminderTexts },
): string | undefined {
  if (block.text === undefined) return hash(`${block.role}|${block.identity}`);
  const { rest, deliveries } =
    block.role === "assistant" ? { rest: block.text, deliveries: [] } : cutOut(block.text, reminders);
  const foreign = block.role !== "assistant" && isWhollyReminder(rest.trim(), reminders.tags);
  const text = foreign ? "" : rest.trim();
  if (deliveries.length > 0 || foreign) {
    const position = { message: block.message, index: block.index };
    history.own.push({ position, deliveries, whole: text === "" });
  }
  return text === "" ? undefined : hash(`${block.role}|${block.identity}|${text}`);
}

function skipHollow(history: History, from: Position): Position {
  let { message } = from;
  while (message < history.messages.length && history.hollow.has(message)) message++;
  return { message, index: 0 };
}

function isAfter(a: Position, b: Position): boolean {
  return a.message > b.message || (a.message === b.message && a.index > b.index);
}
