// Reads one escape of a string literal or a URL.
import { type Cursor, digitOf, foundHere, next, skipInvisible } from "./cursor.ts";
import { unknown } from "./fold.ts";

const percent = 0x25;
const letterU = 0x75;
const letterX = 0x78;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

/** Reads what follows a backslash or a percent sign; answers whether that is an escape, and notes it in the cursor. */
export function readEscape(cursor: Cursor, sign: number): boolean {
  skipInvisible(cursor);
  if (sign === percent) return readPercent(cursor);
  const kind = next(cursor);
  if (kind === letterX) return readDigits(cursor, next(cursor), 2);
  if (kind !== letterU) return false;
  const first = next(cursor);
  return first === openingBrace ? readBraces(cursor) : readDigits(cursor, first, 4);
}

function readDigits(cursor: Cursor, first: number, count: number): boolean {
  let digit = digitOf(first);
  let value = 0;
  for (let read = 1; digit < 16; read += 1) {
    value = value * 16 + digit;
    if (read === count) return foundHere(cursor, value);
    digit = digitOf(next(cursor));
  }
  return false;
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

/** A percent sign that was escaped itself can begin another escape. */
function readPercent(cursor: Cursor): boolean {
  const { found } = cursor;
  let { code, end, ahead } = found;
  let isFound = false;
  do {
    if (!readDigits(cursor, next(cursor), 2) || found.code > 0x7f) {
      Object.assign(found, { code, end, ahead });
      return isFound;
    }
    isFound = true;
    ({ code, end, ahead } = found);
  } while (code === percent);
  return true;
}
