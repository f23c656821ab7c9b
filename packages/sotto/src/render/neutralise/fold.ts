// Folds a code point to the plain character it can be read as, whatever its script, style, case or accents.
import { plainCharacters } from "./untrusted-look-alikes.ts";

/** Folds of what stands for no single character. */
export const invisible = 0;
/** Also for the byte order mark, which is a space to some. */
export const softHyphen = 0xad;
export const unknown = 0xfffc;

const firstSequence = 0xe000;

const ignored = /^[\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\p{Cn}\p{Co}]$/u;
const blank = /^[\s\p{Z}]$/u;
const joining = /^[\p{Pd}\p{Pc}]$/u;

/** One more than what a code point folds to; 0 where nobody asked yet. Pages nobody asks for take no memory. */
const folded = new Uint16Array(0x110000);
const sequences: string[] = [];

/**
 * The code of a small letter for any letter, of a space for any space, of `-` for any hyphen or underscore, of `<` for
 * any such bracket; `invisible`, `unknown`, or, because it can be read as invisible and as a hyphen, `softHyphen`.
 * A code point that stands for several characters gives a number that `sequenceOf` spells out.
 */
export function fold(code: number): number {
  const known = folded[code];
  if (known === undefined) return unknown;
  if (known !== 0) return known - 1;
  const plain = foldAnew(code);
  folded[code] = plain + 1;
  return plain;
}

/** Several characters that one code point stands for, such as the letters of a ligature. */
export function sequenceOf(plain: number): string | undefined {
  return plain >= firstSequence && plain < unknown ? sequences[plain - firstSequence] : undefined;
}

function foldText(text: string): string {
  let plain = "";
  for (const character of text) {
    const code = fold(character.codePointAt(0) ?? 0);
    plain += code === invisible ? "" : (sequenceOf(code) ?? String.fromCharCode(code));
  }
  return plain;
}

function foldAnew(code: number): number {
  const character = String.fromCodePoint(code);
  return codeOf(code < 0x80 ? foldAscii(character) : foldUnicode(character));
}

function codeOf(plain: string): number {
  if (plain.length < 2) return plain === "" ? invisible : plain.charCodeAt(0);
  if (!/[a-z]/.test(plain)) return unknown;
  if (!sequences.includes(plain)) sequences.push(plain);
  return firstSequence + sequences.indexOf(plain);
}

function foldAscii(character: string): string {
  if (blank.test(character)) return " ";
  if (ignored.test(character)) return "";
  return character === "_" ? "-" : character.toLowerCase();
}

function foldUnicode(character: string): string {
  if (character === "\u00ad" || character === "\ufeff") return "\u00ad";
  const alike = lookUp(character);
  if (alike !== undefined) return alike;
  const quick = foldByRange(character.codePointAt(0) ?? 0);
  if (quick !== undefined) return quick;
  if (ignored.test(character)) return "";
  if (blank.test(character)) return " ";
  if (joining.test(character)) return "-";
  const parts = character.normalize("NFKD");
  if (parts !== character) return foldText(parts);
  const other = lookUp(character.toLowerCase()) ?? lookUp(character.toUpperCase());
  return other ?? String.fromCharCode(unknown);
}

/** Whole blocks that hold nothing but signs no tag is made of, or nothing: a text of them all takes no time. */
function foldByRange(code: number): string | undefined {
  const isIdeograph = code >= 0x3400 && code <= 0x9fff;
  const isSyllable = code >= 0xac00 && code <= 0xd7a3;
  if (isIdeograph || isSyllable) return String.fromCharCode(unknown);
  return code >= 0x40000 ? "" : undefined;
}

function lookUp(character: string): string | undefined {
  return plainCharacters.get(character.codePointAt(0) ?? 0);
}
