// Folds a code point to the plain character it can be read as, whatever its script, style, case or accents.
import { plainCharacters } from "./untrusted-look-alikes.ts";

/** Folds of what stands for no single character. */
export const invisible = 0;
/** Also for the byte order mark, which is a space to some. */
export const softHyphen = 0xad;
export const unknown = 0xfffc;

const firstSequence = 0xe000;
const notFolded = 0xffff;
const mostRemembered = 8192;

const ignored = /^[\p{Default_Ignorable_Code_Point}\p{M}\p{Cc}\p{Cf}\p{Cn}\p{Co}]$/u;
const blank = /^[\s\p{Z}]$/u;
const joining = /^[\p{Pd}\p{Pc}]$/u;

const folded = new Uint16Array(0x10000).fill(notFolded);
const foldedBeyond = new Map<number, number>();
const sequences: string[] = [];

/**
 * The code of a small letter for any letter, of a space for any space, of `-` for any hyphen or underscore, of `<` for
 * any such bracket; `invisible`, `unknown`, or, because it can be read as invisible and as a hyphen, `softHyphen`.
 * A code point that stands for several characters gives a number that `sequenceOf` spells out.
 */
export function fold(code: number): number {
  return code < 0x10000 ? foldNear(code) : foldFar(code);
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

function foldNear(code: number): number {
  const known = folded[code] ?? notFolded;
  if (known !== notFolded) return known;
  const plain = codeOf(
    code < 0x80 ? foldAscii(String.fromCharCode(code)) : foldUnicode(String.fromCharCode(code)),
  );
  folded[code] = plain;
  return plain;
}

function foldFar(code: number): number {
  const known = foldedBeyond.get(code);
  if (known !== undefined) return known;
  // Hostile text can hold every code point there is; what is remembered stays small.
  if (foldedBeyond.size >= mostRemembered) foldedBeyond.clear();
  const plain = codeOf(foldUnicode(String.fromCodePoint(code)));
  foldedBeyond.set(code, plain);
  return plain;
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
  if (ignored.test(character)) return "";
  if (blank.test(character)) return " ";
  if (joining.test(character)) return "-";
  const parts = character.normalize("NFKD");
  if (parts !== character) return foldText(parts);
  const other = lookUp(character.toLowerCase()) ?? lookUp(character.toUpperCase());
  return other ?? String.fromCharCode(unknown);
}

function lookUp(character: string): string | undefined {
  return plainCharacters.get(character.codePointAt(0) ?? 0);
}
