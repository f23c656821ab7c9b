// Reads a request's messages into a history: each block hashed once, our own reminders kept apart.

import type { BlockKind, BlockRole, Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
import type { Anchor } from "../log/entries.ts";
import type { Print } from "../log/hunks.ts";

type Hash = (text: string) => string;

export interface ReadOptions<Body> {
  dialect: Dialect<Body>;
  body: Body;
  /** A number for each message: the same as before for one that was there before. */
  ids: readonly number[];
  hash: Hash;
  reminders: ReminderTexts;
  /** The history of the turn before: what both share is not read again. */
  previous?: History | undefined;
  /** Names what the provider keeps, if the request carries only what is new. */
  kept?: string | undefined;
  /** Blocks that look like a reminder but only quote one. */
  quotes?: readonly Position[];
}

export function readHistory<Body>(options: ReadOptions<Body>): History {
  const { dialect, body, ids, hash, reminders } = options;
  const inItems = dialect.repliesInItems ?? false;
  const messages = dialect.messages(body);
  const history = beginning(options);
  const quoted = new Set((options.quotes ?? []).map(placeName));
  history.quotes.push(...(options.quotes ?? []));
  for (let index = history.messages.length; index < messages.length; index++) {
    addMessage(history, dialect.read(messages[index], index), {
      hash,
      reminders,
      quoted,
      message: index,
      inItems,
    });
    history.messages.push({ id: ids[index] as number, chain: history.chain.length, own: history.own.length });
  }
  history.end = chainPosition(history, dialect.end(body));
  return history;
}

function beginning<Body>({ ids, previous, kept, hash }: ReadOptions<Body>): History {
  // Such a request is short: it is read each time.
  if (kept !== undefined) return keptHistory(kept, hash(`kept|${kept}`));
  if (previous === undefined || previous.kept !== undefined) return emptyHistory();
  return sharedPart(previous, ids);
}

interface Reading {
  hash: Hash;
  reminders: ReminderTexts;
  quoted: ReadonlySet<string>;
  message: number;
  /** One reply may be several messages in a row. */
  inItems: boolean;
}

function addMessage(history: History, blocks: readonly HistoryBlock[], reading: Reading): void {
  const before = history.chain.length;
  const ownBefore = history.own.length;
  // Images that belong to the reminder right before them.
  let images = 0;
  for (const block of blocks) {
    if (block.kind === "thinking") continue;
    const { said, text } = reading.quoted.has(placeName(block))
      ? { text: block.text?.trim() }
      : withoutOwn(block, reading.reminders);
    const isImage: boolean = block.kind === "image" && images > 0;
    if (said !== undefined || isImage) {
      const position = { message: reading.message, index: block.index };
      const whole = isImage || text === "";
      const print = said === undefined || said.length === 0 ? undefined : wholePrint(block, reading.hash);
      history.own.push({
        ...{ position, at: history.chain.length, said: said ?? [], whole },
        ...(print === undefined ? {} : { print }),
      });
    }
    images = isImage ? images - 1 : (reading.reminders.texts.get(said?.at(-1) ?? "")?.images ?? 0);
    if (!isImage && text !== "")
      addBlock(history, block, {
        ...reading,
        text,
        first: history.chain.length === before && !(reading.inItems && isReplying(history)),
      });
  }
  if (history.chain.length === before && history.own.length > ownBefore) history.hollow.add(reading.message);
}

function addBlock(
  history: History,
  block: HistoryBlock,
  { hash, message, text, first }: Reading & { text: string | undefined; first: boolean },
): void {
  const { role, kind, index } = block;
  const content = contentHash(block, text, hash);
  const rolling = hash(`${history.rolling.at(-1)}\n${content}`);
  const print = printOf(block, content, text);
  history.chain.push({ role, kind, hash: content, print, behind: { message, index: index + 1 } });
  history.rolling.push(rolling);
  history.positions.set(rolling, history.chain.length);
  history.assistants.push((history.assistants.at(-1) ?? 0) + (first && role === "assistant" ? 1 : 0));
}

function contentHash({ role, identity }: HistoryBlock, text: string | undefined, hash: Hash): string {
  return hash(text === undefined ? `${role}|${identity}` : `${role}|${identity}|${text}`);
}

function wholePrint(block: HistoryBlock, hash: Hash): Print {
  const text = block.text?.trim();
  return printOf(block, contentHash(block, text, hash), text);
}

// Long enough to tell texts apart, short enough to survive an edit.
const PART = 8;

function printOf({ role, kind, call }: HistoryBlock, content: string, text: string | undefined): Print {
  const parts = call ?? (text && { id: text.slice(0, PART), holds: text.slice(-PART) }) ?? {};
  const { id, holds } = parts as { id?: string; holds?: string };
  const hashed = (mark: string, part: string | undefined) =>
    part === undefined ? "" : `${mark}${quickHash(part)}`;
  return `${role[0]}${kind[0]}${content.slice(0, 12)}${hashed("#", id)}${hashed("=", holds)}`;
}

/** Helps to find an edited block again; never the only evidence. */
function quickHash(text: string): string {
  let [one, other] = [0x9e3779b9, 0x85ebca6b];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995) ^ (other >>> 15);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

function placeName({ message, index }: Position): string {
  return `${message}.${index}`;
}

function isReplying({ chain, kept }: History): boolean {
  return chain.at(-1)?.role === "assistant" && !(kept !== undefined && chain.length === 1);
}

/** The reminders in a block, and its text without them and without surrounding white space. */
function withoutOwn(
  { role, text }: HistoryBlock,
  reminders: ReminderTexts,
): { said?: string[]; text: string | undefined } {
  if (text === undefined || role === "assistant") return { text: text?.trim() };
  const { rest, said } = cutOut(text, reminders);
  const foreign = isWhollyReminder(rest, reminders.tags);
  return { ...(said.length > 0 || foreign ? { said } : {}), text: foreign ? "" : rest.trim() };
}

// A request's history as a hash chain over its content blocks, our own reminders skipped.

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
  /** How many blocks of the chain come before it. */
  at: number;
  /** The texts of deliveries that stand in it. */
  said: string[];
  /** It contains nothing else. */
  whole: boolean;
  /** Its print if it were not a reminder. */
  print?: Print;
}

export interface History {
  chain: ChainBlock[];
  /** `rolling[n]`: hash over the first n blocks. */
  rolling: string[];
  positions: Map<string, number>;
  /** `assistants[n]`: non-empty assistant messages that begin within the first n blocks. */
  assistants: number[];
  /** How many blocks come before the place of new reminders; an assistant prefill behind it is not an answer yet. */
  end: number;
  own: OwnBlock[];
  messages: MessageMark[];
  /** Messages that hold reminders only. */
  hollow: Set<number>;
  /** Blocks that look like a reminder but only quote one. */
  quotes: Position[];
  /** Names what the provider keeps, if these are only the messages after it: it counts as one block with an answer. */
  kept?: string;
}

/** A message that was read, with the length of the chain after it. */
interface MessageMark {
  id: number;
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

/** The position after the first `count` blocks, and after reminders that follow them. */
export function bodyPosition(history: History, count: number): Position {
  const last = history.chain[count - 1];
  const next = history.chain[count];
  if (last === undefined) return skipHollow(history, { message: 0, index: 0 });
  const { behind } = last;
  const endsMessage = next === undefined || next.behind.message !== behind.message;
  return endsMessage ? skipHollow(history, { message: behind.message + 1, index: 0 }) : behind;
}

/** How many assistant messages follow a place: the answers to what stood there. */
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

/** The prints of the history up to where new reminders go. */
export function printsOf({ chain, end }: History): Print[] {
  return chain.slice(0, end).map(({ print }) => print);
}

/** An empty history after what the provider keeps. */
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

/** The previous history if this one extends it; otherwise the part that both share. */
function sharedPart(previous: History, ids: readonly number[]): History {
  const { messages } = previous;
  let shared = 0;
  while (shared < messages.length && messages[shared]?.id === ids[shared]) shared++;
  if (shared === messages.length) return previous;
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

function skipHollow(history: History, from: Position): Position {
  let { message } = from;
  while (message < history.messages.length && history.hollow.has(message)) message++;
  return { message, index: 0 };
}

function isAfter(a: Position, b: Position): boolean {
  return a.message > b.message || (a.message === b.message && a.index > b.index);
}

// Recognising reminders: by the delivery's text if the log is at hand, otherwise by tags.

/** The deliveries of a session that have a text. */
interface SaidText {
  /** The same text may have been sent more than once. */
  deliveries: readonly string[];
  /** How many images follow it in its reminder. */
  images: number;
}

export interface ReminderTexts {
  texts: ReadonlyMap<string, SaidText>;
  tags: readonly string[];
}

/** Removes reminders from a text; returns the rest and their texts. */
export function cutOut(text: string, { texts, tags }: ReminderTexts): { rest: string; said: string[] } {
  if (texts.has(text)) return { rest: "", said: [text] };
  if (!tags.some((tag) => text.includes(`<${tag}`))) return { rest: text, said: [] };
  let rest = text;
  const said: string[] = [];
  for (const reminder of texts.keys())
    for (let at = placeOf(reminder, rest); at !== undefined; at = placeOf(reminder, rest)) {
      rest = `${rest.slice(0, at).trimEnd()}${rest.slice(at + reminder.length)}`;
      said.push(reminder);
    }
  return { rest, said };
}

/** Where a client has joined it with other text: in front, at the end, or on separate lines. Anywhere else is a quote. */
function placeOf(reminder: string, text: string): number | undefined {
  for (let at = text.indexOf(reminder); at >= 0; at = text.indexOf(reminder, at + 1)) {
    const [before, behind] = [text.slice(0, at), text.slice(at + reminder.length)];
    const alone = before.endsWith("\n") && behind.startsWith("\n");
    if (alone || before.trim() === "" || behind.trim() === "") return at;
  }
  return undefined;
}

/** Whether a text consists of our tags and their content only. */
export function isWhollyReminder(text: string, tags: readonly string[]): boolean {
  let rest = text.trim();
  if (rest === "") return false;
  while (rest !== "") {
    const tag = tags.find((name) => opens(rest, name));
    if (tag === undefined) return false;
    const close = rest.indexOf(`</${tag}>`);
    if (close < 0) return false;
    rest = rest.slice(close + tag.length + 3).trimStart();
  }
  return true;
}

function opens(text: string, tag: string): boolean {
  if (!text.startsWith(`<${tag}`)) return false;
  const next = text[tag.length + 1];
  return next === ">" || next === " ";
}

// Anchors: where in a history a reminder was put.

export function anchorAt(history: History, count: number): Anchor {
  return { hash: history.rolling[count] ?? "", blocks: count };
}
