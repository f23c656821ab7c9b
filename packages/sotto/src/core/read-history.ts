// Reading a request's messages into a history: each block hashed once, our own reminders told apart.

import type { Dialect, HistoryBlock } from "./dialect.ts";
import { chainPosition, emptyHistory, type History, keptHistory, markOf, sharedPart } from "./history.ts";
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
}

export function readHistory<Body>(options: ReadOptions<Body>): History {
  const { dialect, body, hash, reminders } = options;
  const messages = dialect.messages(body);
  const history = beginning(options, messages);
  for (let index = history.messages.length; index < messages.length; index++) {
    const message = messages[index];
    const inItems = dialect.repliesInItems ?? false;
    addMessage(history, dialect.read(message, index), { hash, reminders, message: index, inItems });
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
    const { said, text } = withoutOwn(block, reading.reminders);
    const isImage: boolean = block.kind === "image" && images > 0;
    if (said !== undefined || isImage) {
      const position = { message: reading.message, index: block.index };
      const whole = isImage || text === "";
      history.own.push({ position, at: history.chain.length, said: said ?? [], whole });
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
  { role, kind, identity, index }: HistoryBlock,
  { hash, message, text, first }: Reading & { text: string | undefined; first: boolean },
): void {
  const content = hash(text === undefined ? `${role}|${identity}` : `${role}|${identity}|${text}`);
  const rolling = hash(`${history.rolling.at(-1)}\n${content}`);
  history.chain.push({ role, kind, hash: content, behind: { message, index: index + 1 } });
  history.rolling.push(rolling);
  history.positions.set(rolling, history.chain.length);
  history.assistants.push((history.assistants.at(-1) ?? 0) + (first && role === "assistant" ? 1 : 0));
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
