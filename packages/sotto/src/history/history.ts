// Reads a request's messages into a history: a chain of hashed blocks, our own reminders kept apart.

import type { BlockKind, BlockRole, Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
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
  /** Stops behind the message with so many characters more; `ids` of the history says how far it came. */
  most?: number;
}

/** What it takes to read an object of a request, in characters of its text. */
export const OBJECT_COST = 200;

export function readHistory<Body>(options: ReadOptions<Body>): History {
  const { dialect, body, ids, reminders } = options;
  const inItems = dialect.repliesInItems ?? false;
  const messages = dialect.messages(body);
  const history = beginning(options, messages.length);
  const quoted = new Set((options.quotes ?? []).map(placeName));
  for (const quote of options.quotes ?? []) history.quotes.push(quote);
  let room = options.most ?? Number.POSITIVE_INFINITY;
  for (let index = history.messages.length; index < messages.length && room > 0; index++) {
    const before = history.chain.length;
    addMessage(history, dialect.read(messages[index], index), {
      reminders,
      quoted,
      message: index,
      inItems,
    });
    history.ids.push(ids[index] as number);
    history.messages.push({ chain: history.chain.length, own: history.own.length });
    if (options.most !== undefined)
      room -= lengthBehind(history, before) + (1 + history.chain.length - before) * OBJECT_COST;
  }
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
  message: number;
  /** One reply may be several messages in a row. */
  inItems: boolean;
}

function addMessage(history: History, blocks: readonly HistoryBlock[], reading: Reading): void {
  const { reminders, quoted, message, inItems } = reading;
  const before = history.chain.length;
  const ownBefore = history.own.length;
  // Images that belong to the reminder right before them.
  let images = 0;
  for (const block of blocks) {
    if (block.kind === "thinking") continue;
    const { said, text } =
      quoted.size > 0 && quoted.has(placeName(block))
        ? { text: block.text?.trim() }
        : withoutOwn(block, reminders);
    const isImage: boolean = block.kind === "image" && images > 0;
    if (said !== undefined || isImage) {
      const whole = isImage || text === "";
      const print = said === undefined || said.length === 0 ? undefined : wholePrint(block, history.hash);
      history.own.push({
        ...{ position: { message, index: block.index }, at: history.chain.length, said: said ?? [], whole },
        ...(print === undefined ? {} : { print }),
      });
    }
    images = isImage ? images - 1 : said === undefined ? 0 : imagesOf(said, reminders);
    if (isImage || text === "") continue;
    const isFirst = history.chain.length === before && !(inItems && isReplying(history));
    addBlock(history, { block, text, message, isFirst });
  }
  if (history.chain.length === before && history.own.length > ownBefore) history.hollow.add(message);
}

/** How many images belong to the last of these reminders. */
function imagesOf(said: readonly string[], { texts }: ReminderTexts): number {
  return texts.get(said.at(-1) ?? "")?.images ?? 0;
}

function addBlock(
  history: History,
  {
    block,
    text,
    message,
    isFirst,
  }: { block: HistoryBlock; text: string | undefined; message: number; isFirst: boolean },
): void {
  const { role, kind, identity, call, index } = block;
  history.chain.push({ role, kind, identity, text, call, message, index: index + 1, print: undefined });
  closePage(history);
  history.assistants.push((history.assistants.at(-1) ?? 0) + (isFirst && role === "assistant" ? 1 : 0));
}

function contentOf({ role, identity, text }: ChainContent): string {
  return text === undefined ? `${role}|${identity}` : `${role}|${identity}|${text}`;
}

function wholePrint(block: HistoryBlock, hash: Hash): Print {
  return printOf({ ...block, text: block.text?.trim() }, hash);
}

// Long enough to tell texts apart, short enough to survive an edit.
const PART = 8;

function printOf(block: ChainContent, hash: Hash): Print {
  const { role, kind, call, text } = block;
  const parts = call ?? (text && { id: text.slice(0, PART), holds: text.slice(-PART) }) ?? {};
  const { id, holds } = parts as { id?: string; holds?: string };
  const hashed = (mark: string, part: string | undefined) =>
    part === undefined ? "" : `${mark}${quickHash(part)}`;
  const content = hash(contentOf(block));
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
  // Most texts have no tag at all.
  if (!text.includes("<") && !reminders.texts.has(text)) return { text: text.trim() };
  const { rest, said } = cutOut(text, reminders);
  const foreign = isWhollyReminder(rest, reminders.tags);
  return { ...(said.length > 0 || foreign ? { said } : {}), text: foreign ? "" : rest.trim() };
}

// A request's history as a hash chain over its content blocks, our own reminders skipped.

/** What a block is known by. */
interface ChainContent {
  role: BlockRole;
  kind: BlockKind;
  identity: string;
  text?: string | undefined;
  call?: HistoryBlock["call"] | undefined;
}

/** With the place right behind it. Its print is made when it is needed: few blocks are ever searched for. */
interface ChainBlock extends ChainContent, Position {
  print: Print | undefined;
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
  hash: Hash;
  chain: ChainBlock[];
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
  messages: MessageMark[];
  /** Messages that hold reminders only. */
  hollow: Set<number>;
  /** Blocks that look like a reminder but only quote one. */
  quotes: Position[];
  /** Names what the provider keeps, if these are only the messages after it: it counts as one block with an answer. */
  kept?: string;
}

/** Ends behind so many blocks; its hash is over all of them. */
interface Page {
  blocks: number;
  hash: string;
}

/** The lengths of the chain and of the list of reminders after a message. */
interface MessageMark {
  chain: number;
  own: number;
}

/** How many chain blocks stand before a position. */
export function chainPosition(history: History, at: Position): number {
  const { chain } = history;
  return countWhile(chain.length, (index) => !isAfter(chain[index] as ChainBlock, at));
}

/** The position after the first `count` blocks, and after reminders that follow them. */
export function bodyPosition(history: History, count: number): Position {
  const last = history.chain[count - 1];
  const next = history.chain[count];
  if (last === undefined) return skipHollow(history, { message: 0, index: 0 });
  const { message, index } = last;
  const endsMessage = next === undefined || next.message !== message;
  return endsMessage ? skipHollow(history, { message: message + 1, index: 0 }) : { message, index };
}

/** How many assistant messages follow a place: the answers to what stood there. */
export function assistantsBehind({ assistants, end }: History, at: number): number {
  return (assistants[end] ?? 0) - (assistants[Math.min(at, end)] ?? 0);
}

export function emptyHistory(hash: Hash): History {
  return {
    hash,
    chain: [],
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
export function printsOf({ chain, end, hash }: History, from = 0): Print[] {
  return chain.slice(from, end).map((block) => {
    block.print ??= printOf(block, hash);
    return block.print;
  });
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
  history.chain.push({ role: "assistant", kind: "other", identity, message: 0, index: 0, print });
  closePage(history);
  history.assistants.push(1);
  return { ...history, kept };
}

/** The previous history if this one extends it; otherwise the part that both share. */
function sharedPart(previous: History, ids: readonly number[], count: number): History {
  const { ids: before } = previous;
  const shared = sharedIds(before, ids, Math.min(before.length, count));
  if (shared === before.length) return previous;
  if (shared === 0) return emptyHistory(previous.hash);
  const mark = previous.messages[shared - 1] as MessageMark;
  const chain = previous.chain.slice(0, mark.chain);
  const pages = previous.pages.filter(({ blocks }) => blocks <= mark.chain);
  return {
    hash: previous.hash,
    chain,
    pages,
    hashes: new Map([...previous.hashes].filter(([blocks]) => blocks <= mark.chain)),
    unpaged: lengthBehind({ chain }, pages.at(-1)?.blocks ?? 0),
    assistants: previous.assistants.slice(0, mark.chain + 1),
    end: 0,
    own: previous.own.slice(0, mark.own),
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

function isAfter(a: Position, b: Position): boolean {
  return a.message > b.message || (a.message === b.message && a.index > b.index);
}

// Anchors: where in a history a reminder was put.

export function anchorAt(history: History, count: number): Anchor {
  return { hash: hashOver(history, count), blocks: count };
}

// A hash over the first blocks, for any number of them. Blocks are hashed a page at a time, as one call for each costs
// more than the hashing: a page ends with the block that makes it long enough, so the same blocks have the same pages.

const PAGE_LENGTH = 4096;

function closePage(history: History): void {
  history.unpaged += lengthOf(history.chain.at(-1) as ChainBlock);
  if (history.unpaged < PAGE_LENGTH) return;
  const blocks = history.chain.length;
  history.pages.push({ blocks, hash: hashOver(history, blocks) });
  history.unpaged = 0;
}

// Reminders that stand in the history, and heads of turns: more than most conversations have.
const HASHES_KEPT = 5000;

function hashOver({ chain, pages, hashes, hash }: History, count: number): string {
  // Each turn asks for the same ones.
  const known = hashes.get(count);
  if (known !== undefined) return known;
  const page = pages[countWhile(pages.length, (index) => (pages[index] as Page).blocks <= count) - 1];
  if (page?.blocks === count || count === 0) return page?.hash ?? "";
  let content = page?.hash ?? "";
  for (let index = page?.blocks ?? 0; index < count; index++) {
    const block = chain[index] as ChainBlock;
    content += `\n${lengthOf(block)} ${contentOf(block)}`;
  }
  const made = hash(content);
  if (hashes.size >= HASHES_KEPT) hashes.clear();
  hashes.set(count, made);
  return made;
}

function lengthBehind({ chain }: Pick<History, "chain">, from: number): number {
  return chain.slice(from).reduce((sum, block) => sum + lengthOf(block), 0);
}

function lengthOf({ role, identity, text }: ChainContent): number {
  return role.length + identity.length + (text?.length ?? 0);
}
