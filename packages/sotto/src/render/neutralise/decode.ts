// Finds the character references and escapes in a text and resolves them, however deep they are nested.
import {
  beginsSequence,
  type Cursor,
  createCursor,
  isDoubtful,
  moveTo,
  type Reading,
  type Resolved,
} from "./cursor.ts";
import { readEscape } from "./untrusted-escape.ts";
import { fold } from "./fold.ts";
import { readReference } from "./untrusted-reference.ts";

const entrance = /[&＆﹠]+|[\\%]/g;
const ampersand = 0x26;
const backslash = 0x5c;
const percent = 0x25;
const openingBracket = 0x5b;
const none = -1;

/** Where each escape and each run of ampersands ends, and room for what comes of them, in one reading at a time. */
export interface Entrances {
  readonly ends: readonly number[];
  readonly room: readonly [Int32Array, Int32Array, Int32Array, Int32Array];
}

/**
 * A cursor with what was resolved, and the work that took. From the end to the beginning: what a reference consists of
 * is resolved before it, and the time is linear.
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
  const ends: number[] = [];
  let most = 0;
  entrance.lastIndex = 0;
  // Unlike the other ways of matching, testing makes nothing that has to be collected again.
  while (entrance.test(text)) {
    const end = entrance.lastIndex;
    if (!canGoOn(text.charCodeAt(end - 1), text.charCodeAt(end))) continue;
    ends.push(end);
    most += 1;
    for (let start = end - 2; isAmpersand(text.charCodeAt(start)); start -= 1) most += 1;
  }
  const row = () => new Int32Array(most);
  return { ends, room: [row(), row(), row(), row()] };
}

function isAmpersand(unit: number): boolean {
  return unit === ampersand || unit === 0xff06 || unit === 0xfe60;
}

/** Whether a reference or an escape can go on with this, or with what comes of it. */
function canGoOn(sign: number, next: number): boolean {
  if (next > 0x7f || next === ampersand || next === openingBracket) return true;
  if (sign === backslash) return (next | 0x20) === 0x75 || (next | 0x20) === 0x78;
  if (sign === percent) return next >= 0x30 && next <= 0x37;
  return (
    next === 0x23 || next === backslash || next === percent || ((next | 0x20) > 0x60 && (next | 0x20) < 0x7b)
  );
}

function resolveEscape(cursor: Cursor, start: number, sign: number): void {
  moveTo(cursor, start + 1, cursor.resolved.count);
  if (!readEscape(cursor, sign)) return;
  const { found } = cursor;
  cursor.resolved.count = found.ahead;
  if (found.code === ampersand) resolve(cursor, start, found.end, found.code);
  else add(cursor.resolved, start, found.end, found.code);
}

/** An ampersand that comes out of a reference can begin another one. */
function resolve(cursor: Cursor, start: number, after: number, already = none): void {
  const { resolved, found } = cursor;
  let code = already;
  let end = after;
  for (;;) {
    moveTo(cursor, end, resolved.count);
    if (!readReference(cursor)) break;
    resolved.count = found.ahead;
    code = found.code;
    end = found.end;
    if (fold(code) !== ampersand) break;
  }
  if (code !== none) add(resolved, start, end, code);
}

/** Two halves of a character that were written on their own are one character again. */
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
