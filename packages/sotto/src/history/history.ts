// Reading a request's messages into a history: each block hashed once, our own reminders told apart.

import type { Print } from "../log/hunks.ts";
import type { Dialect, HistoryBlock, Position } from "../dialects/dialect.ts";
import { chainPosition, emptyHistory, type History, keptHistory, markOf, sharedPart } from "./history-of-core.ts";
import { cutOut, isWhollyReminder, type ReminderTexts } from "./recognise.ts";

type Hash = (text: string) => string;

export interface ReadOptions<Body> {
  dialect: Dialect<Body>;
  body: Body;
  hash: Hash;
  reminders: ReminderTexts;
  /** The session's history of the turn before: what it shares with this one is not read again. */
  previous?: History | undefined;
  /** What the provider keeps, where the request carries only what is new. */
  kept?: string | undefined;
  /** Blocks that read like a reminder and are none. */
  quotes?: readonly Position[];
}

export function readHistory<Body>(options: ReadOptions<Body>): History {
  const { dialect, body, hash, reminders } = options;
  const messages = dialect.messages(body);
  const history = beginning(options, messages);
  const quoted = new Set((options.quotes ?? []).map(placeName));
  history.quotes.push(...(options.quotes ?? []));
  for (let index = history.messages.length; index < messages.length; index++) {
    const message = messages[index];
    const inItems = dialect.repliesInItems ?? false;
    addMessage(history, dialect.read(message, index), { hash, reminders, quoted, message: index, inItems });
    history.messages.push(markOf(message, history));
  }
  history.end = chainPosition(history, dialect.end(body));
  return history;
}

function beginning<Body>({ previous, kept, hash }: ReadOptions<Body>, messages: readonly unknown[]): History {
  // What is new is little: it is read each time.
  if (kept !== undefined) return keptHistory(kept, hash(`kept|${kept}`));
  if (previous === undefined || previous.kept !== undefined) return emptyHistory();
  return sharedPart(previous, messages);
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
  // Images that the reminder right before them brought along.
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

// Long enough to tell texts apart, short enough to outlast an edit.
const PART = 8;

function printOf({ role, kind, call }: HistoryBlock, content: string, text: string | undefined): Print {
  const parts = call ?? (text && { id: text.slice(0, PART), holds: text.slice(-PART) }) ?? {};
  const { id, holds } = parts as { id?: string; holds?: string };
  const hashed = (mark: string, part: string | undefined) =>
    part === undefined ? "" : `${mark}${quickHash(part)}`;
  return `${role[0]}${kind[0]}${content.slice(0, 12)}${hashed("#", id)}${hashed("=", holds)}`;
}

/** To find a block again that was edited: nothing rests on it alone. */
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

/** What of a block is our own, and its text without that and without white space around it. */
function withoutOwn(
  { role, text }: HistoryBlock,
  reminders: ReminderTexts,
): { said?: string[]; text: string | undefined } {
  if (text === undefined || role === "assistant") return { text: text?.trim() };
  const { rest, said } = cutOut(text, reminders);
  const foreign = isWhollyReminder(rest, reminders.tags);
  return { ...(said.length > 0 || foreign ? { said } : {}), text: foreign ? "" : rest.trim() };
}
