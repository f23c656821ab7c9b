// Steps through text whose character references may have been resolved, one read character at a time.
import { fold, invisible, softHyphen, unknown } from "./fold.ts";

/** What `clean` shows in place of a character. */
const shown = /\[U\+[\dA-F]{4,5}\]/y;
const openingBracket = 0x5b;
const mostSkipped = 32;

/** References and escapes found in a text, the first one last: where they stand and which code point they stand for. */
export interface Resolved {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly codes: Int32Array;
  /** How many in a row, from this one on, are read as a character or as nothing. */
  readonly runs: Int32Array;
  /** For each where a terminal sequence that it begins ends, and `ahead` there: looked for once, when first asked. */
  sequences: Int32Array | undefined;
  readonly reading: Reading;
  /** Whether a character of terminal sequences came out of one, be it for a part of another. */
  escapes: boolean;
  /** Other readings that can give something else. */
  readonly otherwise: { plain: boolean; short: boolean };
}

/** How numbers without a semicolon are read: to the end, up to a digit in disguise, or up to what can be a letter. */
export type Reading = "whole" | "plain" | "short";

/** `ahead`: how many of the resolved ones are at or after the position. */
export interface Cursor {
  readonly text: string;
  readonly resolved: Resolved;
  position: number;
  ahead: number;
  /** Where the next resolved one stands; -1 where none does. */
  resolvedAt: number;
  /** Whether the character last read is not written plainly, right after the one before it. */
  disguised: boolean;
  /** Whether something invisible followed it. */
  gap: boolean;
  /** What a reference or an escape that was read stands for, where it ends, and `ahead` there. */
  readonly found: { code: number; end: number; ahead: number };
  /** How many characters were looked at so far: the measure of work. */
  steps: number;
}

export function createCursor(text: string, resolved: Resolved): Cursor {
  return {
    text,
    resolved,
    position: 0,
    ahead: 0,
    resolvedAt: -1,
    disguised: false,
    gap: false,
    found: { code: 0, end: 0, ahead: 0 },
    steps: 0,
  };
}

export function moveTo(cursor: Cursor, position: number, ahead: number): void {
  cursor.position = position;
  cursor.ahead = ahead;
  cursor.resolvedAt = ahead > 0 ? (cursor.resolved.starts[ahead - 1] ?? -1) : -1;
}

export function isResolved(cursor: Cursor): boolean {
  return cursor.resolvedAt === cursor.position;
}

export function step(cursor: Cursor): number {
  cursor.steps += 1;
  const { position, resolved } = cursor;
  if (cursor.resolvedAt === position) {
    const ahead = cursor.ahead - 1;
    moveTo(cursor, resolved.ends[ahead] ?? position, ahead);
    return resolved.codes[ahead] ?? unknown;
  }
  const unit = cursor.text.charCodeAt(position);
  const isPair = (unit & 0xfc00) === 0xd800;
  cursor.position = position + (isPair ? 2 : 1);
  return isPair ? (cursor.text.codePointAt(position) ?? unknown) : unit;
}

/**
 * The next character, folded. What is invisible goes with the character before it, so that no two read through it;
 * what can be read as something else as well stays on its own.
 */
export function next(cursor: Cursor): number {
  const { text, position, resolvedAt } = cursor;
  const unit = text.charCodeAt(position);
  const after = text.charCodeAt(position + 1);
  const isPlain = unit < 0x80 && after < 0x80 && after !== openingBracket;
  if (!isPlain || resolvedAt === position || resolvedAt === position + 1) return nextOfAny(cursor);
  // By far the most frequent: nothing is disguised here, nothing invisible follows.
  cursor.steps += 1;
  cursor.position = position + 1;
  cursor.disguised = cursor.gap;
  cursor.gap = false;
  return fold(unit);
}

function nextOfAny(cursor: Cursor): number {
  const { text } = cursor;
  let disguised = cursor.gap;
  for (let skipped = 0; skipped < mostSkipped && cursor.position < text.length; skipped += 1) {
    if (isResolved(cursor)) {
      disguised = true;
      skipped += jumpRun(cursor, mostSkipped - skipped);
    }
    const code = step(cursor);
    skipInvisible(cursor);
    cursor.disguised = disguised || code > 0x7f;
    if (!isDoubtful(code)) return fold(code);
    disguised = true;
  }
  return unknown;
}

/** Goes to the last of a run of doubtful characters, or as far as may be skipped; answers how many that are. */
function jumpRun(cursor: Cursor, most: number): number {
  const { ahead, resolved } = cursor;
  const jumped = Math.min(resolved.runs[ahead - 1] ?? 0, most) - 1;
  if (jumped <= 0) return 0;
  cursor.steps += 1;
  moveTo(cursor, resolved.starts[ahead - 1 - jumped] ?? cursor.position, ahead - jumped);
  return jumped;
}

/** Whether it can be read as a character or as nothing. */
export function isDoubtful(code: number): boolean {
  return beginsSequence(code) || fold(code) === softHyphen;
}

/** Goes past what nobody sees. */
export function skipInvisible(cursor: Cursor): void {
  const { text } = cursor;
  cursor.gap = false;
  for (;;) {
    const isRaw = cursor.resolvedAt !== cursor.position;
    const unit = text.charCodeAt(cursor.position);
    // Cleaned text has no control characters that could be invisible.
    if (isRaw && unit < 0x80 && unit !== openingBracket) return;
    if (!(cursor.position < text.length && skipOne(cursor, isRaw))) return;
    cursor.gap = true;
  }
}

function skipOne(cursor: Cursor, isRaw: boolean): boolean {
  const { text, resolved, position } = cursor;
  const code = isRaw ? text.codePointAt(position) : resolved.codes[cursor.ahead - 1];
  if (code === openingBracket) {
    cursor.steps += 1;
    return skipRaw(cursor, shown);
  }
  if (code === undefined || fold(code) !== invisible || beginsSequence(code)) return false;
  step(cursor);
  return true;
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

/** Notes that what is being read stands for this code and ends here. */
export function foundHere(cursor: Cursor, code: number): true {
  const { found } = cursor;
  found.code = code;
  found.end = cursor.position;
  found.ahead = cursor.ahead;
  return true;
}

/** The value of a hexadecimal digit; 99 for anything else. */
export function digitOf(plain: number): number {
  if (plain >= 0x30 && plain <= 0x39) return plain - 0x30;
  return plain >= 0x61 && plain <= 0x66 ? plain - 0x57 : 99;
}
