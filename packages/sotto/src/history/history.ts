// Reads a request's messages into a history: a chain of hashed blocks, our own reminders kept apart.

import type { Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
import type { Anchor } from "../log/entries.ts";
import type { Print } from "../log/hunks.ts";
import { countWhile } from "../platform/count-while.ts";
import { cutOut, isWhollyReminder, type ReminderTexts } from "./said-texts.ts";

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
  /** The blocks of a message, if they may be known already. */
  read?(index: number): HistoryBlock[];
  /** Stops behind the message with so many characters more; `ids` of the history says how far it came. */
  most?: number;
}

/** What it takes to read an object of a request, in characters of its text. */
export const OBJECT_COST = 200;

export function readHistory<Body>(options: ReadOptions<Body>): History {
  const { dialect, body, ids, reminders, read } = options;
  const inItems = dialect.repliesInItems ?? false;
  const messages = dialect.messages(body);
  const history = beginning(options, messages.length);
  const { quotes = [] } = options;
  const quoted = new Set(quotes.map(placeName));
  history.quotes.push(...quotes);
  const reading: Reading = { reminders, quoted, inItems, message: 0 };
  const { chain } = history;
  let room = options.most ?? Number.POSITIVE_INFINITY;
  for (let index = history.messages.length; index < messages.length && room > 0; index++) {
    const before = chain.length;
    reading.message = index;
    addMessage(history, read?.(index) ?? dialect.read(messages[index], index), reading);
    history.ids.push(ids[index] as number);
    history.messages.push(chain.length);
    room -= lengthBehind(chain, before) + (1 + chain.length - before) * OBJECT_COST;
  }
  history.texts = reminders.texts;
  history.end = chainPosition(history, dialect.end(body));
  return history;
}

function beginning<Body>({ ids, previous, kept, hash }: ReadOptions<Body>, count: number): History {
  // Such a request is short: it is read each time.
  if (kept !== undefined) return keptHistory(kept, hash);
  if (previous === undefined || previous.kept !== undefined) return emptyHistory(hash);
  return sharedPart(previous, ids, count);
}

interface Reading {
  reminders: ReminderTexts;
  quoted: ReadonlySet<string>;
  /** One reply may be several messages in a row. */
  inItems: boolean;
  /** The one that is being read. */
  message: number;
}

function addMessage(history: History, blocks: readonly HistoryBlock[], reading: Reading): void {
  const { reminders, quoted, message, inItems } = reading;
  const before = history.chain.length;
  const ownBefore = history.own.length;
  // Images that belong to the reminder right before them.
  let images = 0;
  let blank: HistoryBlock | undefined;
  for (const block of blocks) {
    if (block.kind === "thinking") continue;
    const isQuoted = quoted.size > 0 && quoted.has(placeName(block));
    const found = isQuoted ? undefined : remindersIn(block, reminders);
    const text = found === undefined ? block.text?.trim() : found.rest;
    const isImage: boolean = block.kind === "image" && images > 0;
    if (found !== undefined || isImage) {
      const said = found?.said ?? [];
      history.own.push({
        ...{ position: { message, index: block.index }, at: history.chain.length, said },
        whole: isImage || text === "",
        ...(said.length === 0 ? { text: block.text } : { print: wholePrint(block, history.hash) }),
      });
    }
    images = isImage ? images - 1 : (reminders.texts.get(found?.said.at(-1) ?? "")?.images ?? 0);
    if (text === "" && block.role === "user") blank ??= { ...block, text };
    if (isImage || text === "") continue;
    const goesOn = inItems && isReplying(history) && !history.hollow.has(message - 1);
    const isFirst = history.chain.length === before && !goesOn;
    addBlock(history, text === block.text ? block : { ...block, text: text as string }, isFirst);
  }
  if (history.chain.length > before) return;
  if (history.own.length > ownBefore) history.hollow.add(message);
  // The provider gets a message of blanks as it is: what is due later goes behind it.
  else if (blank !== undefined) addBlock(history, blank, true);
}

function addBlock(history: History, block: HistoryBlock, isFirst: boolean): void {
  const answers = history.assistants.at(-1) as number;
  history.assistants.push(isFirst && block.role === "assistant" ? answers + 1 : answers);
  history.chain.push(block);
  history.prints.push(undefined);
  history.unpaged += lengthOf(block);
  if (history.unpaged >= PAGE_LENGTH) closePage(history);
}

function contentOf({ role, identity, text }: HistoryBlock): string {
  return text === undefined ? `${role}|${identity}` : `${role}|${identity}|${text}`;
}

function wholePrint(block: HistoryBlock, hash: Hash): Print {
  const { text, ...rest } = block;
  return printOf(text === undefined ? rest : { ...rest, text: text.trim() }, hash);
}

// Long enough to tell texts apart, short enough to survive an edit.
const PART = 8;

function printOf(block: HistoryBlock, hash: Hash): Print {
  const { role, kind, call, text } = block;
  const parts = [role[0], kind[0], hash(contentOf(block)).slice(0, 12)];
  if (call !== undefined) {
    if (call.id !== undefined) addQuickHash(parts, "#", call.id);
    addQuickHash(parts, "=", call.holds);
  } else if (text) {
    addQuickHash(parts, "#", text.slice(0, PART));
    addQuickHash(parts, "=", text.slice(-PART));
  }
  // One string, not a tree of its parts: the garbage collector would move each of them.
  return parts.join("");
}

/** As it stands in a print, of an id. */
export function quickHash(text: string): string {
  const parts: string[] = [];
  addQuickHash(parts, "", text);
  return parts.join("");
}

/** Helps to find an edited block again; never the only evidence. */
function addQuickHash(parts: (string | undefined)[], mark: string, text: string): void {
  let one = 0x9e3779b9;
  let other = 0x85ebca6b;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x5bd1e995) ^ (other >>> 15);
  }
  parts.push(mark, inLetters(one >>> 0), inLetters(other >>> 0));
}

const BASE = 36;
const DIGITS = Array.from({ length: BASE }, (_, digit) => digit.toString(BASE));
const PAIRS = DIGITS.flatMap((one) => DIGITS.map((other) => one + other));

/** As `toString(36)`, which takes four times as long: a history has several for each block. */
function inLetters(number: number): string {
  let rest = number;
  let text = "";
  while (rest >= PAIRS.length) {
    const left = Math.floor(rest / PAIRS.length);
    text = PAIRS[rest - left * PAIRS.length] + text;
    rest = left;
  }
  return (DIGITS[rest] ?? PAIRS[rest]) + text;
}

function placeName({ message, index }: Position): string {
  return `${message}.${index}`;
}

function isReplying({ chain, kept }: History): boolean {
  return chain.at(-1)?.role === "assistant" && !(kept !== undefined && chain.length === 1);
}

/** The reminders in a block, and its text without them and without surrounding white space; undefined if there are none. */
function remindersIn(
  { role, text }: HistoryBlock,
  reminders: ReminderTexts,
): { said: string[]; rest: string } | undefined {
  if (text === undefined || role === "assistant") return undefined;
  // Most texts have no tag at all.
  if (!text.includes("<") && (reminders.areTagged || !reminders.texts.has(text))) return undefined;
  const { rest, said } = cutOut(text, reminders);
  if (isWhollyReminder(rest, reminders.tags)) return { said, rest: "" };
  return said.length === 0 ? undefined : { said, rest: rest.trim() };
}

// A request's history as a hash chain over its content blocks, our own reminders skipped.

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
  /** Of one that only looks like a reminder of ours. */
  text?: string | undefined;
}

export interface History {
  hash: Hash;
  /** Its blocks, the text of each without reminders. */
  chain: HistoryBlock[];
  /** Made when they are needed: few blocks are ever searched for. */
  prints: (Print | undefined)[];
  /** Of blocks that were hashed together. */
  pages: Page[];
  /** How many characters stand behind the last page. */
  unpaged: number;
  /** Hashes that were asked for and are not those of pages, by the number of blocks. */
  hashes: Map<number, string>;
  /** `assistants[n]`: non-empty assistant messages that begin within the first n blocks. */
  assistants: number[];
  /** How many blocks come before the place of new reminders; an assistant prefill behind it is not an answer yet. */
  end: number;
  own: OwnBlock[];
  /** The numbers of its messages. */
  ids: number[];
  /** How long the chain is behind each message. */
  messages: number[];
  /** Messages that hold reminders only. */
  hollow: Set<number>;
  /** Blocks that look like a reminder but only quote one. */
  quotes: Position[];
  /** What it was read with. */
  texts?: ReminderTexts["texts"];
  /** Names what the provider keeps, if these are only the messages after it: it counts as one block with an answer. */
  kept?: string;
}

/** Ends behind so many blocks; its hash is over all of them. */
interface Page {
  blocks: number;
  hash: string;
}

/** How many chain blocks stand before a position. */
export function chainPosition(history: History, at: Position): number {
  const { chain } = history;
  return countWhile(chain.length, (index) => !endsBehind(chain[index] as HistoryBlock, at));
}

/** The position after the first `count` blocks, and after reminders that follow them. */
export function bodyPosition(history: History, count: number): Position {
  const last = history.chain[count - 1];
  const next = history.chain[count];
  if (last === undefined) return skipHollow(history, { message: 0, index: 0 });
  const { message, index } = last;
  const endsMessage = next === undefined || next.message !== message;
  return endsMessage
    ? skipHollow(history, { message: message + 1, index: 0 })
    : { message, index: index + 1 };
}

/** How many assistant messages follow a place: the answers to what stood there. */
export function assistantsBehind({ assistants, end }: History, at: number): number {
  return (assistants[end] ?? 0) - (assistants[Math.min(at, end)] ?? 0);
}

export function emptyHistory(hash: Hash): History {
  return {
    hash,
    chain: [],
    prints: [],
    pages: [],
    unpaged: 0,
    hashes: new Map(),
    assistants: [0],
    end: 0,
    own: [],
    ids: [],
    messages: [],
    hollow: new Set(),
    quotes: [],
  };
}

/** The prints of the history, up to where new reminders go. */
export function printsOf({ chain, prints, end, hash }: History, from = 0, upTo = end): Print[] {
  for (let index = from; index < upTo; index++) prints[index] ??= printOf(chain[index] as HistoryBlock, hash);
  return prints.slice(from, upTo) as Print[];
}

/** How many blocks stand before an anchor, if the history has it with everything before it unchanged. */
export function positionOf(history: History, { hash, blocks }: Anchor): number | undefined {
  return blocks <= history.chain.length && hashOver(history, blocks) === hash ? blocks : undefined;
}

/** An empty history after what the provider keeps. */
function keptHistory(kept: string, hash: Hash): History {
  const identity = `kept ${kept}`;
  const print = `ao${hash(identity).slice(0, 12)}`;
  const history = emptyHistory(hash);
  // Before the first block of the first message.
  addBlock(history, { role: "assistant", kind: "other", identity, message: 0, index: -1 }, true);
  history.prints[0] = print;
  return { ...history, kept };
}

/** The previous history if this one extends it; otherwise the part that both share. */
function sharedPart(previous: History, ids: readonly number[], count: number): History {
  const { ids: before } = previous;
  const shared = sharedIds(before, ids, Math.min(before.length, count));
  if (shared === before.length) return previous;
  if (shared === 0) return emptyHistory(previous.hash);
  const length = previous.messages[shared - 1] as number;
  const chain = previous.chain.slice(0, length);
  const pages = previous.pages.filter(({ blocks }) => blocks <= length);
  return {
    hash: previous.hash,
    chain,
    prints: previous.prints.slice(0, length),
    pages,
    hashes: new Map([...previous.hashes].filter(([blocks]) => blocks <= length)),
    unpaged: lengthBehind(chain, pages.at(-1)?.blocks ?? 0),
    assistants: previous.assistants.slice(0, length + 1),
    end: 0,
    own: previous.own.filter(({ position }) => position.message < shared),
    ids: before.slice(0, shared),
    messages: previous.messages.slice(0, shared),
    hollow: new Set([...previous.hollow].filter((index) => index < shared)),
    quotes: previous.quotes.filter(({ message }) => message < shared),
  };
}

/** A message's number stands for all before it, too: a message behind another beginning has another number. */
function sharedIds(before: readonly number[], ids: readonly number[], longest: number): number {
  const isShared = (index: number) => before[index] === ids[index];
  return longest === 0 || isShared(longest - 1) ? longest : countWhile(longest, isShared);
}

function skipHollow(history: History, from: Position): Position {
  let { message } = from;
  while (message < history.messages.length && history.hollow.has(message)) message++;
  return { message, index: 0 };
}

function endsBehind(block: Position, at: Position): boolean {
  return block.message > at.message || (block.message === at.message && block.index >= at.index);
}

// Anchors: where in a history a reminder was put.

export function anchorAt(history: History, count: number): Anchor {
  return { hash: hashOver(history, count), blocks: count };
}

// A hash over the first blocks, for any number of them. Blocks are hashed a page at a time, as one call for each costs
// more than the hashing: a page ends with the block that makes it long enough, so the same blocks have the same pages.

const PAGE_LENGTH = 4096;

function closePage(history: History): void {
  const { chain, pages } = history;
  pages.push({ blocks: chain.length, hash: hashBehind(history, pages.at(-1), chain.length) });
  history.unpaged = 0;
}

// Reminders that stand in the history, and heads of turns: more than most conversations have.
const HASHES_KEPT = 5000;

function hashOver(history: History, count: number): string {
  const { pages, hashes } = history;
  // Each turn asks for the same ones.
  const known = hashes.get(count);
  if (known !== undefined) return known;
  const page = pages[countWhile(pages.length, (index) => (pages[index] as Page).blocks <= count) - 1];
  if (page?.blocks === count || count === 0) return page?.hash ?? "";
  const made = hashBehind(history, page, count);
  if (hashes.size >= HASHES_KEPT) hashes.clear();
  hashes.set(count, made);
  return made;
}

function hashBehind({ chain, hash }: History, page: Page | undefined, count: number): string {
  let content = page?.hash ?? "";
  for (let index = page?.blocks ?? 0; index < count; index++) {
    const block = chain[index] as HistoryBlock;
    content += `\n${lengthOf(block)} ${contentOf(block)}`;
  }
  return hash(content);
}

function lengthBehind(chain: readonly HistoryBlock[], from: number): number {
  let sum = 0;
  for (let index = from; index < chain.length; index++) sum += lengthOf(chain[index] as HistoryBlock);
  return sum;
}

function lengthOf({ role, identity, text }: HistoryBlock): number {
  return role.length + identity.length + (text?.length ?? 0);
}
