// A request's history as a hash chain over its content blocks, our own reminders skipped.

import type { Print } from "../log/hunks.ts";
import type { BlockKind, BlockRole, Position } from "../dialects/dialect.ts";

interface ChainBlock {
  role: BlockRole;
  kind: BlockKind;
  hash: string;
  print: Print;
  /** The place right behind the block. */
  behind: Position;
}

/** A reminder that the history shows already. */
export interface OwnBlock {
  position: Position;
  /** How many blocks of the chain stand before it. */
  at: number;
  /** The texts of deliveries that stand in it. */
  said: string[];
  /** Nothing else stands in it. */
  whole: boolean;
  /** As it would be remembered if it were no reminder. */
  print?: Print;
}

export interface History {
  chain: ChainBlock[];
  /** `rolling[n]`: hash over the first n blocks. */
  rolling: string[];
  positions: Map<string, number>;
  /** `assistants[n]`: non-empty assistant messages that begin within the first n blocks. */
  assistants: number[];
  /** How many blocks stand before the place of new reminders; a prefill behind it is no answer yet. */
  end: number;
  own: OwnBlock[];
  messages: MessageMark[];
  /** Messages that hold reminders only. */
  hollow: Set<number>;
  /** Blocks that read like a reminder and are somebody's quote of one. */
  quotes: Position[];
  /** What the provider keeps, where these are only the messages behind it: one block, with answers in it. */
  kept?: string;
}

/** What tells that a message was seen before, and where the chain stood behind it. */
interface MessageMark {
  message: unknown;
  content: unknown;
  size: number;
  chain: number;
  own: number;
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

/** Assistant messages between a place and the end: the answers to what stood there. */
export function assistantsBehind({ assistants, end }: History, at: number): number {
  return (assistants[end] ?? 0) - (assistants[Math.min(at, end)] ?? 0);
}

export function emptyHistory(): History {
  return {
    chain: [],
    rolling: [""],
    positions: new Map([["", 0]]),
    assistants: [0],
    end: 0,
    own: [],
    messages: [],
    hollow: new Set(),
    quotes: [],
  };
}

/** What is remembered of the history up to where new reminders go. */
export function printsOf({ chain, end }: History): Print[] {
  return chain.slice(0, end).map(({ print }) => print);
}

/** The history behind what the provider keeps. */
export function keptHistory(kept: string, hash: string): History {
  const behind = { message: 0, index: 0 };
  return {
    ...emptyHistory(),
    kept,
    chain: [{ role: "assistant", kind: "other", hash, print: `ao${hash.slice(0, 12)}`, behind }],
    rolling: ["", hash],
    positions: new Map([[hash, 1]]),
    assistants: [0, 1],
  };
}

/** The previous history where this one extends it; cut back to what both share where it does not. */
export function sharedPart(previous: History, messages: readonly unknown[]): History {
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
    end: 0,
    own: previous.own.slice(0, mark.own),
    messages: previous.messages.slice(0, shared),
    hollow: new Set([...previous.hollow].filter((index) => index < shared)),
    quotes: previous.quotes.filter(({ message }) => message < shared),
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

export function markOf(message: unknown, { chain, own }: History): MessageMark {
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

function skipHollow(history: History, from: Position): Position {
  let { message } = from;
  while (message < history.messages.length && history.hollow.has(message)) message++;
  return { message, index: 0 };
}

function isAfter(a: Position, b: Position): boolean {
  return a.message > b.message || (a.message === b.message && a.index > b.index);
}
