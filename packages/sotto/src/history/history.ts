// Reads a request's messages into a history: a chain of blocks, our own reminders kept apart.

import type { Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
import type { Anchor } from "../log/entries.ts";
import type { Print } from "../log/hunks.ts";
import { countWhile } from "../platform/count-while.ts";
import { cutOut, isWhollyReminder, type ReminderTexts } from "./said-texts.ts";
import type { Sums, SumsForm } from "./sums.ts";

export interface ReadOptions<Body> {
  dialect: Dialect<Body>;
  body: Body;
  /** A number for each message: the same as before for one that was there before. */
  ids: readonly number[];
  /** As the log has them. */
  sums: SumsForm;
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
  const room = options.most ?? Number.POSITIVE_INFINITY;
  const reading: Reading = { reminders, quoted, inItems, message: 0, room };
  for (let index = history.messages.length; index < messages.length && reading.room > 0; index++) {
    reading.message = index;
    addMessage(history, read?.(index) ?? dialect.read(messages[index], index), reading);
    history.ids.push(ids[index] as number);
    history.messages.push(history.chain.length);
  }
  history.texts = reminders.texts;
  history.dialect = dialect.name;
  history.end = chainPosition(history, dialect.end(body));
  return history;
}

function beginning<Body>({ ids, previous, kept, sums }: ReadOptions<Body>, count: number): History {
  // Such a request is short: it is read each time.
  if (kept !== undefined) return keptHistory(kept, sums);
  if (previous?.kept !== undefined || previous?.sums.form !== sums.name) return emptyHistory(sums);
  return sharedPart(previous, { ids, count, sums });
}

interface Reading {
  reminders: ReminderTexts;
  quoted: ReadonlySet<string>;
  /** One reply may be several messages in a row. */
  inItems: boolean;
  /** The one that is being read. */
  message: number;
  /** How much may still be read. */
  room: number;
}

function addMessage(history: History, blocks: readonly HistoryBlock[], reading: Reading): void {
  const { reminders, quoted, message, inItems } = reading;
  const before = history.chain.length;
  const ownBefore = history.own.length;
  // Images that belong to the reminder right before them.
  let images = 0;
  let blank: HistoryBlock | undefined;
  reading.room -= OBJECT_COST;
  // By their numbers, as `for…of` takes several times as long until it is compiled.
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as HistoryBlock;
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
        ...(said.length === 0 ? { text: block.text } : { print: wholePrint(block, history.sums) }),
      });
    }
    if (isImage) images -= 1;
    else images = found === undefined ? 0 : (reminders.texts.get(found.said.at(-1) ?? "")?.images ?? 0);
    if (text === "" && block.role === "user") blank ??= { ...block, text };
    if (isImage || text === "") continue;
    const goesOn = inItems && isReplying(history) && !history.hollow.has(message - 1);
    const isFirst = history.chain.length === before && !goesOn;
    addBlock(history, text === block.text ? block : { ...block, text: text as string }, isFirst);
    reading.room -= OBJECT_COST + block.identity.length + (text?.length ?? 0);
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
  history.sums.add(block);
}

function wholePrint(block: HistoryBlock, sums: Sums): Print {
  const { text, ...rest } = block;
  return sums.printOf(text === undefined ? rest : { ...rest, text: text.trim() });
}

/** What a print says of the id of a call or result: the same for the same id. */
export function idIn(print: Print): string | undefined {
  return /#([^=]*)/u.exec(print)?.[1];
}

/** As prints of this history say it. */
export function idPrint({ sums }: History, id: string): string | undefined {
  const place = { message: 0, index: 0 };
  return idIn(
    sums.printOf({ role: "assistant", kind: "call", ...place, identity: "", call: { id, holds: "" } }),
  );
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

// A request's history as a chain of its content blocks, our own reminders skipped.

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
  /** Its blocks, the text of each without reminders. */
  chain: HistoryBlock[];
  sums: Sums;
  /** Made when they are needed: few blocks are ever searched for. */
  prints: (Print | undefined)[];
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
  /** What it is written in. */
  dialect?: string;
  /** What it was read with. */
  texts?: ReminderTexts["texts"];
  /** Names what the provider keeps, if these are only the messages after it: it counts as one block with an answer. */
  kept?: string;
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

export function emptyHistory(sums: SumsForm): History {
  const chain: HistoryBlock[] = [];
  return {
    chain,
    sums: sums.begin(chain),
    prints: [],
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
export function printsOf({ prints, end, sums }: History, from = 0, upTo = end): Print[] {
  for (let index = from; index < upTo; index++) prints[index] ??= sums.print(index);
  return prints.slice(from, upTo) as Print[];
}

/** How many blocks stand before an anchor, if the history has it with everything before it unchanged. */
export function positionOf({ chain, sums }: History, { hash, blocks }: Anchor): number | undefined {
  return blocks <= chain.length && sums.over(blocks) === hash ? blocks : undefined;
}

/** An empty history after what the provider keeps. */
function keptHistory(kept: string, sums: SumsForm): History {
  const identity = `kept ${kept}`;
  const history = emptyHistory(sums);
  // Before the first block of the first message.
  addBlock(history, { role: "assistant", kind: "other", identity, message: 0, index: -1 }, true);
  return { ...history, kept };
}

/** The previous history if this one extends it; otherwise the part that both share. */
function sharedPart(
  previous: History,
  { ids, count, sums }: { ids: readonly number[]; count: number; sums: SumsForm },
): History {
  const { ids: before } = previous;
  const shared = sharedIds(before, ids, Math.min(before.length, count));
  if (shared === before.length) return previous;
  if (shared === 0) return emptyHistory(sums);
  const length = previous.messages[shared - 1] as number;
  const chain = previous.chain.slice(0, length);
  return {
    chain,
    sums: previous.sums.cut(length, chain),
    prints: previous.prints.slice(0, length),
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

export function anchorAt({ sums }: History, count: number): Anchor {
  return { hash: sums.over(count), blocks: count };
}
