// Finds the character references and escapes in a text and resolves them, however deep they are nested.
import type { Cursor, Reading, Resolved } from "./untrusted-cursor.ts";
import { readEscape } from "./untrusted-escape.ts";
import { fold } from "./untrusted-fold.ts";
import { readReference } from "./untrusted-reference.ts";

const entrance = /[&＆﹠]+|[\\%]/g;
const ampersand = 0x26;
const backslash = 0x5c;
const percent = 0x25;
const openingBracket = 0x5b;
const none = -1;

/** From the end to the beginning: what a reference consists of is resolved before it, and the time is linear. */
export function decode(text: string, reading: Reading = "whole"): Resolved {
  const resolved: Resolved = { count: 0, starts: [], ends: [], codes: [], reading, ambiguous: false };
  const cursor: Cursor = { text, resolved, position: 0, ahead: 0, disguised: false, gap: false };
  const entrances = entrancesOf(text);
  for (let last = entrances.length - 1; last >= 0; last -= 1) {
    let start = (entrances[last] ?? 0) - 1;
    const sign = text.charCodeAt(start);
    if (sign === backslash || sign === percent) resolveEscape(cursor, start, sign);
    else for (; isAmpersand(text.charCodeAt(start)); start -= 1) resolve(cursor, start, start + 1);
  }
  return resolved;
}

/** Where each escape and each run of ampersands ends. */
function entrancesOf(text: string): number[] {
  const entrances: number[] = [];
  entrance.lastIndex = 0;
  // Unlike the other ways of matching, testing makes nothing that has to be collected again.
  while (entrance.test(text)) {
    const end = entrance.lastIndex;
    if (canGoOn(text.charCodeAt(end - 1), text.charCodeAt(end))) entrances.push(end);
  }
  return entrances;
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
  cursor.position = start + 1;
  cursor.ahead = cursor.resolved.count;
  const found = readEscape(cursor, sign);
  if (found === undefined) return;
  cursor.resolved.count = found.ahead;
  if (found.code === ampersand) resolve(cursor, start, found.end, found.code);
  else add(cursor.resolved, start, found.end, found.code);
}

/** An ampersand that comes out of a reference can begin another one. */
function resolve(cursor: Cursor, start: number, after: number, already = none): void {
  const { resolved } = cursor;
  let code = already;
  let end = after;
  for (;;) {
    cursor.position = end;
    cursor.ahead = resolved.count;
    const found = readReference(cursor);
    if (found === undefined) break;
    resolved.count = found.ahead;
    code = found.code;
    end = found.end;
    if (fold(code) !== ampersand) break;
  }
  if (code !== none) add(resolved, start, end, code);
}

/** Two halves of a character that were written on their own are one character again. */
function add(resolved: Resolved, start: number, end: number, code: number): void {
  const low =
    (resolved.starts[resolved.count - 1] === end ? resolved.codes[resolved.count - 1] : undefined) ?? 0;
  const halves = code >= 0xd800 && code < 0xdc00 && low >= 0xdc00 && low < 0xe000;
  if (!halves) resolved.count += 1;
  const index = resolved.count - 1;
  resolved.starts[index] = start;
  resolved.ends[index] = halves ? (resolved.ends[index] ?? end) : end;
  resolved.codes[index] = halves ? ((code - 0xd800) << 10) + (low - 0xdc00) + 0x10000 : code;
}
