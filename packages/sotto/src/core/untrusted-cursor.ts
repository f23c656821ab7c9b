// Steps through text whose character references may have been resolved, one read character at a time.
import { fold, invisible, softHyphen, unknown } from "./untrusted-fold.ts";

/** What `clean` shows in place of a character. */
const shown = /\[U\+[\dA-F]{4,5}\]/y;
const openingBracket = 0x5b;
const mostSequences = 8;

/** References and escapes found in a text, the first one last: where they stand and which code point they stand for. */
export interface Resolved {
  count: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly codes: number[];
  /** Whether a number without a semicolon ends as soon as it can; `ambiguous`: whether that makes a difference. */
  readonly split: boolean;
  ambiguous: boolean;
}

/** `ahead`: how many of the resolved ones are at or after the position. */
export interface Cursor {
  readonly text: string;
  readonly resolved: Resolved;
  position: number;
  ahead: number;
  /** Whether the character last read is not written plainly. */
  disguised: boolean;
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
 * what can begin a terminal sequence stays on its own.
 */
export function next(cursor: Cursor): number {
  let code = unknown;
  for (let sequences = 0; cursor.position < cursor.text.length && sequences < mostSequences; sequences += 1) {
    cursor.disguised = isResolved(cursor);
    code = step(cursor);
    skipInvisible(cursor);
    if (!beginsSequence(code)) break;
  }
  cursor.disguised ||= code > 0x7f;
  return fold(code);
}

/** Goes past what nobody sees. */
export function skipInvisible(cursor: Cursor): void {
  while (cursor.position < cursor.text.length) {
    const code = peek(cursor);
    if (code === openingBracket && skipRaw(cursor, shown)) continue;
    const plain = fold(code);
    if ((plain !== invisible && plain !== softHyphen) || beginsSequence(code)) return;
    step(cursor);
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
