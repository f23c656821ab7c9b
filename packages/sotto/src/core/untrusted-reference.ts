// Reads one character reference, out of characters that may have come out of references themselves.
import { type Cursor, digitOf, endingAt, next, type Reference, skipInvisible } from "./untrusted-cursor.ts";
import { type NameNode, names, styles } from "./untrusted-entities.ts";
import { unknown } from "./untrusted-fold.ts";

const longestName = 32;
const mostDigits = 10;
const numberSign = 0x23;
const semicolon = 0x3b;
const letterX = 0x78;

/** Numbers of control characters that browsers take for Windows-1252: the dashes can be read as nothing, too. */
const windows: Readonly<Record<number, number>> = { 139: 0x2039, 150: 0xad, 151: 0xad };

/** Reads what follows an ampersand. */
export function readReference(cursor: Cursor): Reference | undefined {
  skipInvisible(cursor);
  const first = next(cursor);
  if (first === numberSign) return readNumber(cursor);
  return isLetter(first) ? readName(cursor, first) : undefined;
}

function readNumber(cursor: Cursor): Reference | undefined {
  const { resolved } = cursor;
  let plain = next(cursor);
  const base = plain === letterX ? 16 : 10;
  if (base === 16) plain = next(cursor);
  let value = 0;
  let digits = 0;
  let open: Reference | undefined;
  let isOver = false;
  let isPlain = false;
  for (let digit = digitOf(plain); digit < base && digits < mostDigits; digit = digitOf(plain)) {
    // A number of plain digits can end before one in disguise, and before a letter if there is no semicolon.
    if (open === undefined) isPlain = !cursor.disguised;
    const endsHere = isPlain && cursor.disguised;
    const letterNext = digits === 2 && digit > 9 && value >= 0x20 && value < 0x7f;
    resolved.ambiguous ||= endsHere || letterNext;
    if (endsHere && resolved.reading === "plain") return open;
    isOver ||= letterNext && resolved.reading === "short";
    value = value * base + digit;
    if (value > 0) digits += 1;
    if (!isOver) open = endingAt(cursor, meaningOf(value));
    plain = next(cursor);
  }
  return plain === semicolon && open !== undefined ? endingAt(cursor, meaningOf(value)) : open;
}

function readName(cursor: Cursor, first: number): Reference | undefined {
  let name: NameNode | undefined = names.next.get(first);
  let style: NameNode | undefined = styles;
  let open: Reference | undefined;
  let length = 1;
  let plain = next(cursor);
  for (; length < longestName && (isLetter(plain) || digitOf(plain) < 10); length += 1) {
    name = name?.next.get(plain);
    style = style?.next.get(plain);
    if (name?.open) open = endingAt(cursor, name.code);
    else if (style?.open) open = endingAt(cursor, first);
    plain = next(cursor);
  }
  if (plain !== semicolon) return open;
  if (name !== undefined && name.code > 0) return endingAt(cursor, name.code);
  if (style !== undefined && style.code > 0) return endingAt(cursor, first);
  return open ?? (length > 1 ? endingAt(cursor, unknown) : undefined);
}

function meaningOf(value: number): number {
  return value > 0x10ffff ? unknown : (windows[value] ?? value);
}

function isLetter(plain: number): boolean {
  return plain >= 0x61 && plain <= 0x7a;
}
