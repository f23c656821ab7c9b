// Reads one character reference, out of characters that may have come out of references themselves.
import { type Cursor, digitOf, foundHere, next, skipInvisible } from "./cursor.ts";
import { names, styles } from "./entities.ts";
import { unknown } from "./fold.ts";

const longestName = 32;
const mostDigits = 10;
const numberSign = 0x23;
const semicolon = 0x3b;
const letterX = 0x78;

/** Reads what follows an ampersand; answers whether that is a reference, and notes it in the cursor. */
export function readReference(cursor: Cursor): boolean {
  skipInvisible(cursor);
  const first = next(cursor);
  if (first === numberSign) return readNumber(cursor);
  return isLetter(first) && readName(cursor, first);
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
    // A number of plain digits can end before one in disguise, and before a letter if there is no semicolon.
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
    // No longer name can come of it.
    if (open && plain !== semicolon && !names.goesOn(name) && !styles.goesOn(style)) return true;
  }
  if (plain !== semicolon) return open;
  if (names.codeAt(name) > 0) return foundHere(cursor, names.codeAt(name));
  if (styles.codeAt(style) > 0) return foundHere(cursor, first);
  return open || (length > 1 && foundHere(cursor, unknown));
}

/** Browsers take some numbers of control characters for Windows-1252: the dashes can be read as nothing, too. */
function meaningOf(value: number): number {
  if (value > 0x10ffff) return unknown;
  if (value === 139) return 0x2039;
  return value === 150 || value === 151 ? 0xad : value;
}

function isLetter(plain: number): boolean {
  return plain >= 0x61 && plain <= 0x7a;
}
