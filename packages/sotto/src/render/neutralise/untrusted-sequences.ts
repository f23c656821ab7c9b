// Goes past what terminals would not show, where references brought it back or other tools left a part of it.
import { beginsSequence, type Cursor, moveTo, skipInvisible, skipRaw, step } from "./cursor.ts";
import { fold, softHyphen, unknown } from "./fold.ts";

/** After a bracket: a character that `clean` showed, or a colour without its escape. */
const plainLeftOver = /(?:U\+[\dA-F]{4,5}\]|[\d;]{1,12}m)/y;

/** What stands for a bracket where `[` could be read as part of a terminal sequence. */
export const besideEscapes = "⟦";

const longestColour = 12;
const longestSequence = 64;
const escapeCode = 0x1b;
const over = -1;
const none = -1;

/** Goes past something left over if the bracket just read began it. `scout` is another cursor on the same text. */
export function skipLeftOver(cursor: Cursor, scout: Cursor, bracketResolved: boolean): boolean {
  if (!bracketResolved && skipRaw(cursor, plainLeftOver)) return true;
  send(scout, cursor);
  const isLeftOver = readLeftOver(scout);
  cursor.steps = scout.steps;
  if (isLeftOver) moveTo(cursor, scout.position, scout.ahead);
  return isLeftOver;
}

/** Goes past the rest of a terminal sequence if the character just read began it. */
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

/** Calls `isOver` where a sequence ends; twice where a longer one was seen to go on from there. */
function readSequence(first: number, read: () => number, isOver: () => void): void {
  if (first !== escapeCode) {
    if (first === 0x9b) readControl(read(), read, isOver);
    else if (first === 0x90 || first === 0x98 || (first >= 0x9d && first <= 0x9f)) readString(read, isOver);
    return;
  }
  let code = read();
  // Each of these is a whole sequence as well.
  if (code >= 0x30 && code <= 0x7e) isOver();
  if (code === 0x5b) readControl(read(), read, isOver);
  else if (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f)
    readString(read, isOver);
  else if (code >= 0x20 && code <= 0x2f) {
    while (code >= 0x20 && code <= 0x2f) code = read();
    if (code >= 0x30 && code <= 0x7e) isOver();
  }
}

/** Parameters, what stands between, the final character. */
function readControl(from: number, read: () => number, isOver: () => void): void {
  let code = from;
  while (code >= 0x30 && code <= 0x3f) code = read();
  while (code >= 0x20 && code <= 0x2f) code = read();
  if (code >= 0x40 && code <= 0x7e) isOver();
}

/** Text up to a bell or what else ends it. */
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

/** Reads so many characters, in the terms of terminals. */
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
