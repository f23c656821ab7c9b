// Request bodies as text. A body that continues an earlier one is compared with it: only its new messages are parsed, the
// others are the same objects as before. What is added to it is spliced into the client's text.

import { type Fields, isFields } from "../dialects/message-list.ts";
import { type Entry, endOfValue, firstEntry, isList, nextEntry, type Spans, scanList } from "./json-scan.ts";
import { createRecent, type Remembered } from "./recent.ts";
import { hasKeys, type Piece, rewrite, type Written } from "./rewrite-json.ts";

export interface BodyText {
  body: unknown;
  /** The text of the body after it has become `changed`. */
  write(changed: unknown): string;
  /** The same in pieces: parts of the client's text, and new ones. */
  pieces(changed: unknown): Piece[];
}

/** Reads a body whose conversation is in `field`. Throws like JSON.parse. */
export type ReadBody = (field: string, text: string) => BodyText;

// In characters, for all conversations of a process. What was parsed from them comes on top.
const bodies = createRecent(32_000_000);
// What a short one counts.
const SMALLEST = 1000;

export function createReadBody(recent = bodies): ReadBody {
  const conversations = recent.owner<Conversation>();
  return (field, text) => {
    try {
      return readOn(conversations, field, text);
    } catch {
      // Not JSON, or in a form that is too rare for more than this.
      const body: unknown = JSON.parse(text);
      return bodyText(text, body, (changed) => piecesOfWhole({ text, field, body }, changed));
    }
  };
}

/** The last body of a conversation. */
interface Conversation {
  field: string;
  text: string;
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

function readOn(conversations: Remembered<Conversation>, field: string, text: string): BodyText {
  const known = conversations.latestFirst().filter((one) => one.field === field);
  const alike = known.slice(0, TRIED).find((one) => hasHead(one, text) && isList(text, one.start));
  const start = alike?.start ?? findField(text, field);
  if (!isList(text, start)) throw new Error("it has no list of messages");
  const { from, shared } = longestShared(known, text, start);
  const messages = from?.messages.slice(0, shared) ?? [];
  const spans = from?.spans.slice(0, 2 * shared) ?? [];
  const { spans: places, end } = scanList(text, start + (spans.at(-1) ?? 1), shared === 0);
  for (const message of parseElements(text, places)) messages.push(message);
  for (const place of places) spans.push(place - start);
  const isSame = from !== undefined && hasSameRest(from, { text, start, end });
  const rest = isSame ? from.rest : parseRest({ text, start, end, field });
  const read: Conversation = { field, text, start, end, spans, messages, rest };
  conversations.add(read, text.length + SMALLEST, from && isSuccessor(from, shared) ? from : undefined);
  // A list of its own: hosts get to see it.
  const body = { ...rest, [field]: messages.slice() };
  return bodyText(text, body, (changed) => piecesOf(read, changed));
}

function bodyText(text: string, body: unknown, pieces: BodyText["pieces"]): BodyText {
  const textOf = (piece: Piece) => (typeof piece === "string" ? piece : text.slice(piece.from, piece.to));
  return { body, pieces, write: (changed) => pieces(changed).map(textOf).join("") };
}

/** Objects only: where a number ends is known only by what follows. */
function parseElements(text: string, places: Spans): object[] {
  if (places.length === 0) return [];
  const values = JSON.parse(`[${text.slice(places[0], places.at(-1))}]`) as unknown[];
  if (values.length * 2 !== places.length || !values.every(isFields))
    throw new Error("it has other elements than messages");
  return values as object[];
}

/** Where the list is in a body. */
type Place = Pick<Conversation, "text" | "start" | "end">;

/** Everything but the messages. Throws if the field is there twice. */
function parseRest({ text, start, end, field }: Place & { field: string }): Conversation["rest"] {
  checkLast(text, field, end);
  return JSON.parse(`${text.slice(0, start)}[]${text.slice(end)}`);
}

function hasSameRest(one: Conversation, { text, start, end }: Place): boolean {
  return start === one.start && hasHead(one, text) && text.slice(end) === one.text.slice(one.end);
}

/** No field of that name follows. */
function checkLast(text: string, field: string, end: number): void {
  for (let entry = nextEntry(text, end); entry !== undefined; entry = entryBehind(text, entry))
    if (entry.key === field) throw new Error("it has the field twice");
}

/** Where the value of a field of the body begins. */
function findField(text: string, field: string): number {
  let entry = firstEntry(text, 0);
  while (entry !== undefined && entry.key !== field) entry = entryBehind(text, entry);
  if (entry === undefined) throw new Error("it has no such field");
  return entry.value;
}

/** Of fields with the same name the last one counts. */
function findLastField(text: string, field: string): number {
  let found = findField(text, field);
  for (
    let entry = nextEntry(text, endOfValue(text, found));
    entry !== undefined;
    entry = entryBehind(text, entry)
  )
    if (entry.key === field) found = entry.value;
  return found;
}

function entryBehind(text: string, { value }: Entry): Entry | undefined {
  return nextEntry(text, endOfValue(text, value));
}

// Which earlier body this one continues.

// Others are only looked at where their messages end.
const TRIED = 8;
const PROBE = 64;
const STEP = 1 << 17;

function longestShared(known: readonly Conversation[], text: string, start: number) {
  let best: { from?: Conversation; shared: number } = { shared: 0 };
  for (const [index, from] of known.entries()) {
    if (index >= TRIED && !looksContinued(from, text, start)) continue;
    const shared = sharedMessages(from, text, start);
    if (shared > best.shared) best = { from, shared };
    if (shared > 0 && shared === from.messages.length) break;
  }
  return best;
}

/** Whether some of its messages end where they did, with the same characters. Clients often rewrite the last few. */
function looksContinued(from: Conversation, text: string, start: number): boolean {
  const count = from.messages.length;
  return [count - 1, count - 5, count >> 1].some((index) => {
    const end = from.spans[2 * index + 1];
    return end !== undefined && isEqual(from, text, start, Math.max(0, end - PROBE), end);
  });
}

function sharedMessages(from: Conversation, text: string, start: number): number {
  const most = Math.min(text.length - start, from.end - from.start);
  let same = 0;
  for (let step = most; step > 0; step = Math.min(step, STEP) >> 1)
    while (same + step <= most && isEqual(from, text, start, same, same + step)) same += step;
  return messagesWithin(from.spans, same);
}

/** How many messages end within these characters. */
function messagesWithin(spans: Spans, length: number): number {
  let [low, high] = [0, spans.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[2 * middle + 1] as number) <= length) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Slices are views: comparing them is one pass in native code. */
function isEqual(one: Conversation, text: string, start: number, from: number, to: number): boolean {
  return one.text.slice(one.start + from, one.start + to) === text.slice(start + from, start + to);
}

function hasHead(one: Conversation, text: string): boolean {
  return one.text.slice(0, one.start) === text.slice(0, one.start);
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
  { text, field, body }: { text: string; field: string; body: unknown },
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
