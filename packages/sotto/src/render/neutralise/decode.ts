// Finds character references and escapes in a text and resolves them, however deeply nested.

import {
  beginsSequence,
  type Cursor,
  createCursor,
  digitOf,
  foundHere,
  isDoubtful,
  isResolved,
  moveTo,
  next,
  type Reading,
  type Resolved,
  skipInvisible,
} from "./cursor.ts";
import { names, styleNames as styles } from "./entities.ts";
import { fold, foldPlain, unknown } from "./fold.ts";

/** What references and escapes start with; each is searched for by itself, which is several times faster. */
const signs = ["&", "\\", "%"];
const wideSigns = ["＆", "﹠"];
const anyWideSign = /[＆﹠]/;
const ampersand = 0x26;
const backslash = 0x5c;
const percent = 0x25;
const openingBracket = 0x5b;
const lessThan = 0x3c;
const none = -1;

/** Where each escape and each run of ampersands ends, and buffers for the results, one reading at a time. */
export interface Entrances {
  readonly ends: readonly number[];
  readonly room: readonly [Int32Array, Int32Array, Int32Array, Int32Array];
}

/**
 * A cursor with what was resolved, and the work that took. Runs from the end to the start: the parts of a reference are
 * resolved before it, and the time is linear.
 */
export function decode(text: string, entrances: Entrances, reading: Reading = "whole"): Cursor {
  const { ends, room } = entrances;
  const resolved: Resolved = {
    count: 0,
    starts: room[0],
    ends: room[1],
    codes: room[2],
    runs: room[3],
    sequences: undefined,
    reading,
    escapes: false,
    otherwise: { plain: false, short: false },
  };
  const cursor = createCursor(text, resolved);
  for (let last = ends.length - 1; last >= 0; last -= 1) {
    let start = (ends[last] ?? 0) - 1;
    const sign = text.charCodeAt(start);
    if (sign === backslash || sign === percent) resolveEscape(cursor, start, sign);
    else for (; isAmpersand(text.charCodeAt(start)); start -= 1) resolve(cursor, start, start + 1);
  }
  return cursor;
}

export function entrancesOf(text: string): Entrances {
  const found: number[] = [];
  let most = 0;
  let kinds = 0;
  for (const sign of anyWideSign.test(text) ? [...signs, ...wideSigns] : signs) {
    const before = found.length;
    const code = sign.charCodeAt(0);
    const isReference = isAmpersand(code);
    for (let at = text.indexOf(sign); at >= 0; ) {
      let end = at + 1;
      let after = text.charCodeAt(end);
      while (isReference && isAmpersand(after)) {
        end += 1;
        after = text.charCodeAt(end);
      }
      if (canGoOn(code, after)) {
        found.push(end);
        most += end - at;
      }
      at = text.indexOf(sign, end);
    }
    if (found.length > before) kinds += 1;
  }
  // A run of different ampersands was found more than once.
  const ends =
    kinds > 1 ? found.sort((a, b) => a - b).filter((end, index) => end !== found[index - 1]) : found;
  const row = () => new Int32Array(most);
  return { ends, room: [row(), row(), row(), row()] };
}

function isAmpersand(unit: number): boolean {
  return unit === ampersand || unit === 0xff06 || unit === 0xfe60;
}

/** Whether a reference or an escape can continue with this, or with what it resolves to. */
function canGoOn(sign: number, next: number): boolean {
  if (next > 0x7f || next === ampersand || next === openingBracket) return true;
  if (sign === backslash) return (next | 0x20) === 0x75 || (next | 0x20) === 0x78 || isOctal(next - 0x30);
  if (sign === percent) return digitOf(next | 0x20) < 16 || (next | 0x20) === letterU;
  return (
    next === 0x23 || next === backslash || next === percent || ((next | 0x20) > 0x60 && (next | 0x20) < 0x7b)
  );
}

function resolveEscape(cursor: Cursor, start: number, sign: number): void {
  moveTo(cursor, start + 1, cursor.resolved.count);
  if (!readEscape(cursor, sign)) return;
  const { found } = cursor;
  cursor.resolved.count = found.ahead;
  resolve(cursor, start, found.end, found.code);
}

/** An ampersand, backslash or percent sign that comes out of a reference or an escape can start another one. */
function resolve(cursor: Cursor, start: number, after: number, already = none): void {
  const { resolved, found } = cursor;
  let code = already;
  let end = after;
  for (;;) {
    const sign = code === none ? ampersand : fold(code);
    if (sign !== ampersand && sign !== backslash && sign !== percent) break;
    moveTo(cursor, end, resolved.count);
    if (!(sign === ampersand ? readReference(cursor) : readEscape(cursor, sign))) break;
    resolved.count = found.ahead;
    code = found.code;
    end = found.end;
  }
  if (code !== none) add(resolved, start, end, code);
}

/** Two surrogates that were written separately are one character again. */
function add(resolved: Resolved, start: number, end: number, code: number): void {
  const { starts, ends, codes, runs } = resolved;
  const after = resolved.count - 1;
  const isNext = starts[after] === end;
  const low = (isNext ? codes[after] : undefined) ?? 0;
  const halves = code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000;
  if (!halves) resolved.count += 1;
  const index = resolved.count - 1;
  starts[index] = start;
  ends[index] = halves ? (ends[index] ?? end) : end;
  codes[index] = halves ? ((code - 0xd800) << 10) + (low - 0xdc00) + 0x10000 : code;
  resolved.escapes ||= beginsSequence(code);
  runs[index] = !halves && isDoubtful(code) ? 1 + (isNext ? (runs[after] ?? 0) : 0) : 0;
}

// Reads one escape of a string literal or a URL.

const letterU = 0x75;
const capitalU = 0x55;
const letterX = 0x78;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Reads what follows a backslash or a percent sign; returns whether it is an escape, and notes it in the cursor. */
export function readEscape(cursor: Cursor, sign: number): boolean {
  skipInvisible(cursor);
  if (sign === percent) return readPercent(cursor);
  // With a capital letter it may have eight digits.
  const { text, position, resolved, ahead } = cursor;
  const isLong = (isResolved(cursor) ? resolved.codes[ahead - 1] : text.charCodeAt(position)) === capitalU;
  const kind = next(cursor);
  if (kind === letterX) return readDigits(cursor, next(cursor), 2);
  if (isOctal(digitOf(kind))) return readOctal(cursor, digitOf(kind));
  if (kind !== letterU) return false;
  const first = next(cursor);
  return first === openingBrace ? readBraces(cursor) : readDigits(cursor, first, 4, isLong ? 8 : 4);
}

/** Exactly `count` digits, or as many as there may be at most. */
function readDigits(cursor: Cursor, first: number, count: number, most = count): boolean {
  let digit = digitOf(first);
  let value = 0;
  let isFound = false;
  for (let read = 1; digit < 16; read += 1) {
    value = Math.min(value * 16 + digit, 0x110000);
    if (read === count || read === most) isFound = foundHere(cursor, value > 0x10ffff ? unknown : value);
    if (read === most) break;
    digit = digitOf(next(cursor));
  }
  return isFound;
}

function isOctal(digit: number): boolean {
  return digit >= 0 && digit < 8;
}

/** Two digits or three, up to 377. */
function readOctal(cursor: Cursor, first: number): boolean {
  let value = first;
  let isFound = false;
  for (let count = 1; count < 3; count += 1) {
    const digit = digitOf(next(cursor));
    if (!isOctal(digit) || value * 8 + digit > 0xff) break;
    value = value * 8 + digit;
    isFound = foundHere(cursor, value);
  }
  return isFound;
}

function readBraces(cursor: Cursor): boolean {
  let value = 0;
  let plain = next(cursor);
  for (let digit = digitOf(plain); digit < 16; digit = digitOf(plain)) {
    value = Math.min(value * 16 + digit, 0x110000);
    plain = next(cursor);
  }
  return plain === closingBrace && foundHere(cursor, value > 0x10ffff ? unknown : value);
}

/** One byte, the bytes of one character in UTF-8, or a `u` and four digits. */
function readPercent(cursor: Cursor): boolean {
  const first = next(cursor);
  if (first === letterU) return readDigits(cursor, next(cursor), 4);
  if (!readDigits(cursor, first, 2)) return false;
  const { found } = cursor;
  const lead = found.code;
  if (lead < 0x80) return true;
  const more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4) return false;
  let code = lead & (0x3f >> more);
  for (let read = 0; read < more; read += 1) {
    if (next(cursor) !== percent || !readDigits(cursor, next(cursor), 2)) return false;
    if ((found.code & 0xc0) !== 0x80) return false;
    code = (code << 6) | (found.code & 0x3f);
  }
  return foundHere(cursor, code > 0x10ffff ? unknown : code);
}

// Reads one character reference, from characters that may themselves come from references.

const longestName = 32;
const mostDigits = 10;
const numberSign = 0x23;
const semicolon = 0x3b;

/** Reads what follows an ampersand; returns whether it is a reference, and notes it in the cursor. */
export function readReference(cursor: Cursor): boolean {
  const isPlain = readPlainName(cursor);
  if (isPlain !== undefined) return isPlain;
  skipInvisible(cursor);
  const first = next(cursor);
  if (first === numberSign) return readNumber(cursor);
  return isLetter(first) && readName(cursor, first);
}

/** Does the same for a name that is written plainly, as nearly all are; undefined, and no step, for any other. */
function readPlainName(cursor: Cursor): boolean | undefined {
  const { text, position, resolvedAt } = cursor;
  const first = foldPlain(text.charCodeAt(position));
  if (!isLetter(first) || position === resolvedAt) return undefined;
  let name = names.child(names.root, first);
  let style = styles.root;
  let at = position + 1;
  for (;;) {
    if (at === resolvedAt || at - position >= longestName) return undefined;
    const unit = text.charCodeAt(at);
    // Several names can end here.
    const isOpen = names.isOpen(name) || styles.isOpen(style);
    const letter = foldPlain(unit);
    if (letter === 0) {
      if (unit !== semicolon && (isOpen || !(unit < 0x80) || unit === openingBracket)) return undefined;
      cursor.steps += at + 1 - position;
      if (unit !== semicolon || at === position + 1) return false;
      break;
    }
    if (isOpen) return undefined;
    name = names.child(name, letter);
    style = styles.child(style, letter);
    at += 1;
  }
  cursor.position = at + 1;
  skipInvisible(cursor);
  return foundHere(cursor, names.codeAt(name) || (styles.codeAt(style) > 0 ? first : unknown));
}

function readNumber(cursor: Cursor): boolean {
  const { resolved } = cursor;
  let plain = next(cursor);
  const base = plain === letterX ? 16 : 10;
  if (base === 16) plain = next(cursor);
  let value = 0;
  let digits = 0;
  let open = false;
  let endsEarlier = false;
  let isPlain = false;
  for (let digit = digitOf(plain); digit < base && digits < mostDigits; digit = digitOf(plain)) {
    // A number of plain digits can end before a disguised one, and before a letter if there is no semicolon.
    if (!open) isPlain = !cursor.disguised;
    if (isPlain && cursor.disguised) {
      resolved.otherwise.plain = true;
      if (resolved.reading === "plain") return open;
    }
    endsEarlier ||= digits === 2 && digit > 9 && value >= 0x20 && value < 0x7f;
    value = Math.min(value * base + digit, 0x110000);
    if (value > 0) digits += 1;
    if (!(endsEarlier && resolved.reading === "short")) open = foundHere(cursor, meaningOf(value));
    plain = next(cursor);
  }
  if (plain === semicolon && open) return foundHere(cursor, meaningOf(value));
  resolved.otherwise.short ||= endsEarlier;
  return open;
}

function readName(cursor: Cursor, first: number): boolean {
  let name = names.child(names.root, first);
  let style = styles.root;
  let open = false;
  let length = 1;
  let plain = next(cursor);
  for (; length < longestName && (isLetter(plain) || digitOf(plain) < 10); length += 1) {
    name = names.child(name, plain);
    style = styles.child(style, plain);
    if (names.isOpen(name)) open = foundHere(cursor, names.codeAt(name));
    else if (styles.isOpen(style)) open = foundHere(cursor, first);
    plain = next(cursor);
    // No longer name can match.
    const isLast = !names.goesOn(name) && !styles.goesOn(style);
    // Letters that are written plainly may still make it another name.
    if (open && plain !== semicolon && isLast && (cursor.disguised || startsMore(cursor))) return true;
  }
  if (plain !== semicolon) return open;
  if (names.codeAt(name) > 0) return foundHere(cursor, names.codeAt(name));
  if (styles.codeAt(style) > 0) return foundHere(cursor, first);
  // A whole name that is not known is not its beginning, unless that starts something.
  if (open && startsMore(cursor)) return true;
  return length > 1 && foundHere(cursor, unknown);
}

/** Whether it is a bracket, or the start of another reference or escape. */
function startsMore({ found }: Cursor): boolean {
  const sign = fold(found.code);
  return sign === lessThan || sign === ampersand || sign === backslash || sign === percent;
}

/** Browsers read some control character numbers as Windows-1252: the dashes can be read as nothing, too. */
function meaningOf(value: number): number {
  if (value > 0x10ffff) return unknown;
  if (value === 139) return 0x2039;
  return value === 150 || value === 151 ? 0xad : value;
}

function isLetter(plain: number): boolean {
  return plain >= 0x61 && plain <= 0x7a;
}
