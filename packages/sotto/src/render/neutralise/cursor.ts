// Steps through text whose character references may have been resolved, one character at a time.

import { fold, invisible, softHyphen, unknown } from "./fold.ts";

/** What `clean` shows instead of a character. */
const shown = /\[U\+[\dA-F]{4,5}\]/y;
const openingBracket = 0x5b;
const mostSkipped = 32;

/** References and escapes found in a text, the first one last: their positions and code points. */
export interface Resolved {
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly codes: Int32Array;
  /** How many in a row, from this one on, can be read as a character or as nothing. */
  readonly runs: Int32Array;
  /** Where a terminal sequence that starts here ends, and `ahead` there; computed on first use. */
  sequences: Int32Array | undefined;
  readonly reading: Reading;
  /** Whether a character of a terminal sequence was resolved, even as part of another. */
  escapes: boolean;
  /** Other readings that can have another result. */
  readonly otherwise: { plain: boolean; short: boolean };
}

/** How numbers without a semicolon are read: to the end, up to a disguised digit, or up to a possible letter. */
export type Reading = "whole" | "plain" | "short";

/** `ahead`: how many of the resolved ones are at or after the position. */
export interface Cursor {
  readonly text: string;
  readonly resolved: Resolved;
  position: number;
  ahead: number;
  /** The position of the next resolved one, or -1. */
  resolvedAt: number;
  /** Whether the last character read is not written plainly right after the one before it. */
  disguised: boolean;
  /** Whether an invisible character followed it. */
  gap: boolean;
  /** The code point of a reference or escape that was read, where it ends, and `ahead` there. */
  readonly found: { code: number; end: number; ahead: number };
  /** How many characters were examined so far: the measure of work. */
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
 * The next character, folded. Invisible characters belong to the character before them, so that no two are read through
 * them; ambiguous ones stay separate.
 */
export function next(cursor: Cursor): number {
  const { text, position, resolvedAt } = cursor;
  const unit = text.charCodeAt(position);
  const after = text.charCodeAt(position + 1);
  const isPlain = unit < 0x80 && after < 0x80 && after !== openingBracket;
  if (!isPlain || resolvedAt === position || resolvedAt === position + 1) return nextOfAny(cursor);
  // The most frequent case by far: nothing is disguised, nothing invisible follows.
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

/** Goes to the last of a run of ambiguous characters, or as far as may be skipped; returns how many those are. */
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

/** Skips invisible characters. */
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

/** Skips plain text that matches the sticky expression. */
export function skipRaw(cursor: Cursor, expression: RegExp): boolean {
  expression.lastIndex = cursor.position;
  if (!expression.test(cursor.text)) return false;
  cursor.position = expression.lastIndex;
  return true;
}

/** Characters of terminal sequences; only references can have produced them. */
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

// Skips what terminals would not show, if references produced it or other tools left a part of it.

/** After a bracket: a character that `clean` made visible, or a colour without its escape. */
const plainLeftOver = /(?:U\+[\dA-F]{4,5}\]|[\d;]{1,12}m)/y;

/** What replaces a bracket if `[` could be read as part of a terminal sequence. */
export const besideEscapes = "⟦";

const longestColour = 12;
const longestSequence = 64;
const escapeCode = 0x1b;
const over = -1;
const none = -1;

/** Skips leftovers if the bracket just read started them. `scout` is another cursor on the same text. */
export function skipLeftOver(cursor: Cursor, scout: Cursor, bracketResolved: boolean): boolean {
  if (!bracketResolved && skipRaw(cursor, plainLeftOver)) return true;
  send(scout, cursor);
  const isLeftOver = readLeftOver(scout);
  cursor.steps = scout.steps;
  if (isLeftOver) moveTo(cursor, scout.position, scout.ahead);
  return isLeftOver;
}

/** Skips the rest of a terminal sequence if the character just read started it. */
export function skipSequence(cursor: Cursor, scout: Cursor, first: number): void {
  const { resolved } = cursor;
  resolved.sequences ??= new Int32Array(resolved.count * 2);
  const { sequences } = resolved;
  const slot = cursor.ahead * 2;
  if (sequences[slot] === 0) {
    sequences[slot] = none;
    send(scout, cursor);
    skipInvisible(scout);
    readSequence(first, reader(scout, longestSequence), () => {
      sequences[slot] = scout.position;
      sequences[slot + 1] = scout.ahead;
    });
    cursor.steps = scout.steps;
  }
  const end = sequences[slot] ?? none;
  if (end === none) return;
  moveTo(cursor, end, sequences[slot + 1] ?? 0);
}

/** Calls `isOver` where a sequence ends; twice if a longer one continues from there. */
function readSequence(first: number, read: () => number, isOver: () => void): void {
  if (first !== escapeCode) {
    if (first === 0x9b) readControl(read(), read, isOver);
    else if (first === 0x90 || first === 0x98 || (first >= 0x9d && first <= 0x9f)) readString(read, isOver);
    return;
  }
  let code = read();
  // Each of these is also a whole sequence.
  if (code >= 0x30 && code <= 0x7e) isOver();
  if (code === 0x5b) readControl(read(), read, isOver);
  else if (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f)
    readString(read, isOver);
  else if (code >= 0x20 && code <= 0x2f) {
    while (code >= 0x20 && code <= 0x2f) code = read();
    if (code >= 0x30 && code <= 0x7e) isOver();
  }
}

/** Parameters, intermediate characters, the final character. */
function readControl(from: number, read: () => number, isOver: () => void): void {
  let code = from;
  while (code >= 0x30 && code <= 0x3f) code = read();
  while (code >= 0x20 && code <= 0x2f) code = read();
  if (code >= 0x40 && code <= 0x7e) isOver();
}

/** Text up to a bell or another terminator. */
function readString(read: () => number, isOver: () => void): void {
  let code = read();
  while (
    code !== over &&
    code !== 0x0a &&
    code !== 0x07 &&
    code !== escapeCode &&
    !(code >= 0x80 && code <= 0x9f)
  )
    code = read();
  if (code === 0x07 || code === 0x9c || (code === escapeCode && read() === 0x5c)) isOver();
}

function readLeftOver(scout: Cursor): boolean {
  skipInvisible(scout);
  const read = reader(scout, longestColour + 1, (code) => fold(code) === softHyphen || beginsSequence(code));
  let code = read();
  if ((code | 0x20) === 0x75) return read() === 0x2b && readCodePoint(read);
  let length = 0;
  for (; length < longestColour && isColour(code); length += 1) code = read();
  return length > 0 && (code | 0x20) === 0x6d;
}

function readCodePoint(read: () => number): boolean {
  let digits = 0;
  let code = read();
  for (; digits < 5 && isHexadecimal(code); digits += 1) code = read();
  return digits > 3 && code === 0x5d;
}

/** Reads a number of characters, as terminals count them. */
function reader(scout: Cursor, most: number, isLeftOut?: (code: number) => boolean): () => number {
  let left = most;
  return () => {
    while (scout.position < scout.text.length && left > 0) {
      const code = step(scout);
      if (isLeftOut?.(code)) continue;
      left -= 1;
      skipInvisible(scout);
      if (code < 0xa0) return code;
      return code === besideEscapes.charCodeAt(0) ? unknown : fold(code);
    }
    return over;
  };
}

function isColour(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x3b;
}

function isHexadecimal(code: number): boolean {
  const small = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (small >= 0x61 && small <= 0x66);
}

function send(scout: Cursor, cursor: Cursor): void {
  moveTo(scout, cursor.position, cursor.ahead);
  scout.steps = cursor.steps;
}
