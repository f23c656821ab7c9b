// Steps through text whose character references may have been resolved, one read character at a time.
import { fold, invisible, softHyphen, unknown } from "./untrusted-fold.ts";

/** What `clean` shows in place of a character. */
const shown = /\[U\+[\dA-F]{4,5}\]/y;
const openingBracket = 0x5b;
const mostSkipped = 32;

/** References and escapes found in a text, the first one last: where they stand and which code point they stand for. */
export interface Resolved {
  count: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly codes: number[];
  readonly reading: Reading;
  /** Whether another reading can give something else. */
  ambiguous: boolean;
}

/** How numbers without a semicolon are read: to the end, up to a digit in disguise, or up to what can be a letter. */
export type Reading = "whole" | "plain" | "short";

/** `ahead`: how many of the resolved ones are at or after the position. */
export interface Cursor {
  readonly text: string;
  readonly resolved: Resolved;
  position: number;
  ahead: number;
  /** Whether the character last read is not written plainly, right after the one before it. */
  disguised: boolean;
  /** Whether something invisible followed it. */
  gap: boolean;
}

/** What a reference or an escape that ends at `end` stands for; `ahead` as in the cursor there. */
export interface Reference {
  readonly code: number;
  readonly end: number;
  readonly ahead: number;
}

export function isResolved(cursor: Cursor): boolean {
  return cursor.ahead > 0 && cursor.resolved.starts[cursor.ahead - 1] === cursor.position;
}

function peek(cursor: Cursor): number {
  const code = isResolved(cursor)
    ? cursor.resolved.codes[cursor.ahead - 1]
    : cursor.text.codePointAt(cursor.position);
  return code ?? unknown;
}

export function step(cursor: Cursor): number {
  if (isResolved(cursor)) {
    cursor.ahead -= 1;
    cursor.position = cursor.resolved.ends[cursor.ahead] ?? cursor.position;
    return cursor.resolved.codes[cursor.ahead] ?? unknown;
  }
  const code = cursor.text.codePointAt(cursor.position) ?? unknown;
  cursor.position += code > 0xffff ? 2 : 1;
  return code;
}

/**
 * The next character, folded. What is invisible goes with the character before it, so that no two read through it;
 * what can be read as something else as well stays on its own.
 */
export function next(cursor: Cursor): number {
  let disguised = cursor.gap;
  for (let skipped = 0; skipped < mostSkipped && cursor.position < cursor.text.length; skipped += 1) {
    disguised ||= isResolved(cursor);
    const code = step(cursor);
    const plain = fold(code);
    skipInvisible(cursor);
    cursor.disguised = disguised || code > 0x7f;
    if (plain !== softHyphen && !beginsSequence(code)) return plain;
    disguised = true;
  }
  return unknown;
}

/** Goes past what nobody sees. */
export function skipInvisible(cursor: Cursor): void {
  cursor.gap = false;
  while (cursor.position < cursor.text.length) {
    const code = peek(cursor);
    if (code === openingBracket && skipRaw(cursor, shown)) cursor.gap = true;
    else if (fold(code) === invisible && !beginsSequence(code)) {
      step(cursor);
      cursor.gap = true;
    } else return;
  }
}

/** Goes past what is written plainly here, if the expression, a sticky one, fits it. */
export function skipRaw(cursor: Cursor, expression: RegExp): boolean {
  expression.lastIndex = cursor.position;
  if (!expression.test(cursor.text)) return false;
  cursor.position = expression.lastIndex;
  return true;
}

/** Characters of terminal sequences; only references can have brought them back. */
export function beginsSequence(code: number): boolean {
  return code === 0x1b || code === 0x07 || (code >= 0x90 && code <= 0x9f);
}

export function endingAt(cursor: Cursor, code: number): Reference {
  return { code, end: cursor.position, ahead: cursor.ahead };
}

/** The value of a hexadecimal digit; 99 for anything else. */
export function digitOf(plain: number): number {
  if (plain >= 0x30 && plain <= 0x39) return plain - 0x30;
  return plain >= 0x61 && plain <= 0x66 ? plain - 0x57 : 99;
}
