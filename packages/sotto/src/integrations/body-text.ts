// Request bodies as text, or as bytes in UTF-8. A body that continues an earlier one is compared with it: only its new messages are parsed, the
// others are the same objects as before. What is added to it is spliced into the client's text.

import { type Fields, isFields } from "../dialects/message-list.ts";
import { countWhile } from "../platform/count-while.ts";
import { type Bytes, isSameText, sharedLength, toText } from "./bytes-text.ts";
import {
  type Entry,
  endOfValue,
  firstEntry,
  isList,
  type JsonText,
  nextEntry,
  type Spans,
  scanList,
} from "./json-scan.ts";
import { createRecent, type Recent } from "./recent.ts";
import { hasKeys, type Piece, rewrite, type Written } from "./rewrite-json.ts";

export interface BodyText {
  body: unknown;
  /** The text of the body after it has become `changed`. */
  write(changed: unknown): string;
  /** The same in pieces: parts of what the client sent, by their places in it, and new ones. */
  pieces(changed: unknown): Piece[];
}

/** Reads a body whose conversation is in `field`. Throws like JSON.parse. A reader gets texts, or bytes, never both. */
export type ReadBody = (field: string, given: string | Uint8Array | Bytes) => BodyText;

// In characters or bytes, for all conversations of a process. What was parsed from them comes on top.
const bodies = createRecent(32_000_000);
// What a short one counts.
const SMALLEST = 1000;

export function createReadBody(recent = bodies): ReadBody {
  const known = createKnown(recent);
  return (field, given) => {
    const text = toText(given);
    try {
      return readOn(known, field, text);
    } catch {
      // Not JSON, or in a form that is too rare for more than this.
      const body: unknown = JSON.parse(text.slice(0));
      return bodyText(text, body, (changed) => piecesOfWhole({ text, field, body }, changed));
    }
  };
}

/** The last body of a conversation. */
interface Conversation {
  field: string;
  text: JsonText;
  /** The list of messages is from here, its bracket, … */
  start: number;
  /** … to here, behind its bracket. */
  end: number;
  /** Places of the messages, counted from `start`. */
  spans: Spans;
  messages: object[];
  /** The body with an empty list. */
  rest: Fields;
}

function readOn(known: Known, field: string, text: JsonText): BodyText {
  const alike = known.latest(field).find((one) => hasHead(one, text) && isList(text, one.start));
  const start = alike?.start ?? findField(text, field);
  if (!isList(text, start)) throw new Error("it has no list of messages");
  const place = known.placeOf(field, { text, start });
  const { from, shared } = longestShared(place);
  const { spans: places, end } = scanList(text, start + (from?.spans[2 * shared - 1] ?? 1), shared === 0);
  // As long as they will be: a list that grows is copied once more.
  const messages = beginning(from?.messages, shared).concat(parseElements(text, places));
  const spans = beginning(from?.spans, 2 * shared).concat(places.map((place) => place - start));
  const isSame = from !== undefined && hasSameRest(from, { text, start, end });
  const rest = isSame ? from.rest : parseRest({ text, start, end, field });
  const read: Conversation = { field, text, start, end, spans, messages, rest };
  known.add(read, place, from && isSuccessor(from, shared) ? from : undefined);
  // A list of its own: hosts get to see it.
  const body = { ...rest, [field]: messages.slice() };
  return bodyText(text, body, (changed) => piecesOf(read, changed));
}

function beginning<Item>(list: readonly Item[] = [], length: number): readonly Item[] {
  return list.length === length ? list : list.slice(0, length);
}

function bodyText(text: JsonText, body: unknown, pieces: BodyText["pieces"]): BodyText {
  const textOf = (piece: Piece) => (typeof piece === "string" ? piece : text.slice(piece.from, piece.to));
  return { body, pieces, write: (changed) => pieces(changed).map(textOf).join("") };
}

/** Objects only: where a number ends is known only by what follows. */
function parseElements(text: JsonText, places: Spans): object[] {
  if (places.length === 0) return [];
  const values = JSON.parse(`[${text.slice(places[0] as number, places.at(-1))}]`) as unknown[];
  if (values.length * 2 !== places.length || !values.every(isFields))
    throw new Error("it has other elements than messages");
  return values as object[];
}

/** Where the list is in a body. */
type Place = Pick<Conversation, "text" | "start" | "end">;
type Start = Omit<Place, "end">;

/** Everything but the messages. Throws if the field is there twice. */
function parseRest({ text, start, end, field }: Place & { field: string }): Conversation["rest"] {
  checkLast(text, field, end);
  return JSON.parse(`${text.slice(0, start)}[]${text.slice(end)}`);
}

function hasSameRest(one: Conversation, { text, start, end }: Place): boolean {
  const length = text.length - end;
  if (start !== one.start || length !== one.text.length - one.end || !hasHead(one, text)) return false;
  return isSameText({ text, at: end }, { text: one.text, at: one.end }, length);
}

/** No field of that name follows. */
function checkLast(text: JsonText, field: string, end: number): void {
  for (let entry = nextEntry(text, end); entry !== undefined; entry = entryBehind(text, entry))
    if (entry.key === field) throw new Error("it has the field twice");
}

/** Where the value of a field of the body begins. */
function findField(text: JsonText, field: string): number {
  let entry = firstEntry(text, 0);
  while (entry !== undefined && entry.key !== field) entry = entryBehind(text, entry);
  if (entry === undefined) throw new Error("it has no such field");
  return entry.value;
}

/** Of fields with the same name the last one counts. */
function findLastField(text: JsonText, field: string): number {
  let found = findField(text, field);
  for (
    let entry = nextEntry(text, endOfValue(text, found));
    entry !== undefined;
    entry = entryBehind(text, entry)
  )
    if (entry.key === field) found = entry.value;
  return found;
}

function entryBehind(text: JsonText, { value }: Entry): Entry | undefined {
  return nextEntry(text, endOfValue(text, value));
}

// Which earlier body this one continues. They are in the order of their messages' texts, so the one that shares most with
// another text stands beside the place where that would be: finding it takes a few comparisons, however many there are.

interface Known {
  /** A few, the latest first: the next one often has the same fields before its messages. */
  latest(field: string): readonly Conversation[];
  placeOf(field: string, list: Start): Among;
  /** At its place, if nothing was added since that was found; `replaced` is forgotten. */
  add(one: Conversation, { index }: Among, replaced: Conversation | undefined): void;
}

/** Where a text stands among those that are known. */
interface Among {
  /** Of the first that does not come before it. */
  index: number;
  /** Those before and behind it, and for how long they go on as it does. */
  beside: { from: Conversation; length: number }[];
}

const LATEST = 8;

function createKnown(recent: Recent): Known {
  const byField = new Map<string, { sorted: Conversation[]; latest: Conversation[] }>();
  const keptIn = (field: string) => {
    const kept = byField.get(field) ?? { sorted: [], latest: [] };
    byField.set(field, kept);
    return kept;
  };
  const forgetting = new WeakMap<Conversation, () => void>();
  const remembered = recent.owner<Conversation>((gone) => {
    const kept = keptIn(gone.field);
    kept.sorted.splice(kept.sorted.indexOf(gone), 1);
    kept.latest = kept.latest.filter((one) => one !== gone);
  });
  return {
    latest: (field) => keptIn(field).latest,
    placeOf: (field, list) => placeAmong(keptIn(field).sorted, list),
    add(one, { index }, replaced) {
      const kept = keptIn(one.field);
      kept.sorted.splice(index, 0, one);
      if (replaced !== undefined) forgetting.get(replaced)?.();
      kept.latest = [one, ...kept.latest].slice(0, LATEST);
      forgetting.set(one, remembered.add(one, one.text.length + SMALLEST));
    },
  };
}

/** By halving. What both neighbours so far share with the text, all between them share: it is not compared again. */
function placeAmong(sorted: readonly Conversation[], list: Start): Among {
  let [low, high] = [0, sorted.length];
  let [before, behind] = [0, 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = sorted[middle] as Conversation;
    const shared = sharedLength(listOf(one), listOf(list), Math.min(before, behind));
    if (comesBefore(one, list, shared)) [low, before] = [middle + 1, shared];
    else [high, behind] = [middle, shared];
  }
  const beside = [
    { from: sorted[low - 1], length: before },
    { from: sorted[low], length: behind },
  ];
  return {
    index: low,
    beside: beside.filter((one): one is Among["beside"][number] => one.from !== undefined),
  };
}

function listOf({ text, start }: Start) {
  return { text, at: start };
}

/** They differ, or one of them ends, behind as much as they share. */
function comesBefore(one: Start, other: Start, shared: number): boolean {
  const next = ({ text, start }: Start) =>
    start + shared < text.length ? text.charCodeAt(start + shared) : -1;
  return next(one) < next(other);
}

/** Of equals, one that goes on with all of its messages. */
function longestShared({ beside }: Among) {
  let best: { from?: Conversation; shared: number } = { shared: 0 };
  for (const { from, length } of beside) {
    const shared = messagesWithin(from.spans, length);
    const isWhole = shared > 0 && shared === from.messages.length;
    if (shared > best.shared || (isWhole && shared === best.shared)) best = { from, shared };
  }
  return best;
}

/** How many messages end within these characters. */
function messagesWithin(spans: Spans, length: number): number {
  return countWhile(spans.length / 2, (index) => (spans[2 * index + 1] as number) <= length);
}

function hasHead(one: Conversation, text: JsonText): boolean {
  return isSameText({ text: one.text, at: 0 }, { text, at: 0 }, one.start);
}

/** One body is kept for a conversation. What shares only its beginning is another one. */
function isSuccessor(from: Conversation, shared: number): boolean {
  return 2 * (from.spans[2 * shared - 1] ?? 0) >= from.end - from.start;
}

// The text of a body after its conversation has changed.

function piecesOf(read: Conversation, changed: unknown): Piece[] {
  const { field, text, start, end, spans, messages, rest } = read;
  if (!isSameElsewhere(rest, changed, field)) return [JSON.stringify(changed)];
  return spliced({ text, start, end, value: messages, spans }, changed[field]);
}

/** A body whose messages were not looked for. */
function piecesOfWhole(
  { text, field, body }: { text: JsonText; field: string; body: unknown },
  changed: unknown,
) {
  if (!isFields(body) || !isSameElsewhere(body, changed, field)) return [JSON.stringify(changed)];
  try {
    const start = findLastField(text, field);
    return spliced({ text, start, end: endOfValue(text, start), value: body[field] }, changed[field]);
  } catch {
    return [JSON.stringify(changed)];
  }
}

function spliced(list: Written, after: unknown): Piece[] {
  const { text, start, end } = list;
  return rewrite(list, after, [{ from: 0, to: start }]).concat({ from: end, to: text.length });
}

/** The same fields with the same values, except for the conversation. */
function isSameElsewhere(before: Fields, changed: unknown, field: string): changed is Fields {
  if (!isFields(changed)) return false;
  const keys = Object.keys(before);
  return hasKeys(changed, keys) && keys.every((key) => key === field || changed[key] === before[key]);
}
