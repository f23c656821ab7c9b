// Decides whether what follows a bracket is the name of a reserved tag.
import { fold, invisible, lettersReadInto, sequenceOf, softHyphen, unknown } from "./fold.ts";

/**
 * What follows a bracket, as far as it can be a name. A token is a plain character (lower case), a disguised letter (its
 * capital), a character that folds to nothing known (from `exotic` on), or everything between two of those: `gap` plus
 * what it consists of.
 */
export interface Tokens {
  readonly codes: Uint16Array;
  count: number;
  /** How many are neither gaps nor exotic. */
  known: number;
  /** How many were compared with names so far: part of the work. */
  compared: number;
}

/** A reserved name in the same form. */
export interface Name {
  readonly codes: readonly number[];
  readonly fewestKnown: number;
}

export const gap = {
  base: 0x100,
  hyphen: 1,
  disguisedHyphen: 2,
  space: 4,
  softHyphen: 8,
  invisible: 16,
} as const;

/** Kinds of plain characters, to be combined. */
export const kind = { word: 1, sign: 2, beforeName: 4 } as const;
const kinds = Uint8Array.from({ length: 0x80 }, (_, code) => kindsOf(String.fromCharCode(code)));

const space = 0x20;
const hyphen = 0x2d;
const exotic = 0x200;

/** A full stop stands for a leading hyphen or underscore of a name: that is not a gap. */
export const leadingHyphen = 0x2e;
const onlyInvisible = gap.base | gap.invisible;
const anyHyphen = gap.hyphen | gap.disguisedHyphen;
const readInto = new Map(
  Object.entries(lettersReadInto).map(([letter, signs]) => [letter.charCodeAt(0), codesOf(signs)] as const),
);

export function namesOf(reserved: readonly string[]): Name[] {
  return reserved.map(nameOf).filter(({ codes }) => codes.length > 0);
}

/** Letters as they fold, a hyphen between words. */
function nameOf(reserved: string): Name {
  const codes: number[] = [];
  for (const character of reserved) {
    const code = character.codePointAt(0) ?? unknown;
    const plain = fold(code);
    const isGap = plain === space || plain === hyphen;
    if (isGap && codes.at(-1) !== hyphen) codes.push(codes.length === 0 ? leadingHyphen : hyphen);
    if (!isGap && plain !== invisible && plain !== softHyphen) codes.push(...lettersOf(plain, code));
  }
  if (codes.at(-1) === hyphen) codes.pop();
  const known = codes.filter((code) => code < exotic && code !== hyphen).length;
  return { codes, fewestKnown: known - (codes.length >> 1) };
}

/** The plain characters that names can start with. */
export function beginningsOf(names: readonly Name[]): Set<number> {
  return new Set(names.flatMap(({ codes }) => readsAs(codes[0])));
}

/** The plain characters that can stand for a letter of a name. */
export function readsAs(code: number | undefined): number[] {
  return code === undefined ? [] : [code, ...(readInto.get(code) ?? [])];
}

export function kindOf(plain: number): number {
  return plain < 0x80 ? (kinds[plain] ?? 0) : kind.word;
}

export function addToken(tokens: Tokens, token: number): void {
  tokens.codes[tokens.count] = token;
  tokens.count += 1;
  if (token < gap.base) tokens.known += 1;
}

/** Adds a character that is not written plainly: `code`, which folds to `plain`. */
export function addDisguised(tokens: Tokens, plain: number, code: number): void {
  if (plain < 0x80) addToken(tokens, asDisguised(plain));
  else for (const letter of lettersOf(plain, code)) addToken(tokens, asDisguised(letter));
}

function asDisguised(letter: number): number {
  if (letter >= 0x61 && letter <= 0x7a) return letter - 0x20;
  return letter >= 0x30 && letter <= 0x39 ? unknown : letter;
}

function lettersOf(plain: number, code: number): number[] {
  if (plain === unknown) return [code >= exotic && code < unknown ? code : unknown];
  const sequence = sequenceOf(plain);
  return sequence === undefined
    ? [plain]
    : codesOf(sequence).filter((letter) => kindOf(letter) === kind.word);
}

/** For each token the names that can start with it. */
export function beginningWith(names: readonly Name[]): (token: number) => readonly Name[] {
  const plain: (readonly Name[])[] = [];
  return (token) => {
    if (token >= 0x80) return names;
    plain[token] ??= names.filter(({ codes: [first = 0] }) => begins(token, first));
    return plain[token];
  };
}

function begins(token: number, first: number): boolean {
  return token === first || token === first - 0x20 || canStandFor(token, first);
}

/** Whether the name is at `from`. Up to half of its letters may be guesses. */
export function reads(name: Name, tokens: Tokens, from: number): boolean {
  const { codes, count, known } = tokens;
  const { length } = name.codes;
  tokens.compared += 1;
  if (count - from < length || known < name.fewestKnown) return false;
  let at = from;
  let guesses = length >> 1;
  for (let index = 0; index < length; index += 1) {
    const expected = name.codes[index] ?? unknown;
    let token = codes[at] ?? 0;
    if (token === expected && expected !== hyphen && at < count) {
      // The most frequent case by far.
      at += 1;
      tokens.compared += 1;
      continue;
    }
    const isBetween =
      expected === hyphen
        ? isBeforeHyphen(tokens, at, name.codes[index + 1])
        : index > 0 && isGap(token) && (token & anyHyphen) === 0;
    if (isBetween) {
      at += 1;
      token = codes[at] ?? 0;
    }
    if (at >= count) return false;
    at += 1;
    tokens.compared += 1;
    if (token === expected || token === expected - 0x20) continue;
    if (expected === hyphen && isGap(token)) continue;
    guesses -= 1;
    if (guesses < 0 || !canStandFor(token, expected)) return false;
  }
  return !goesOn(tokens, at);
}

/** In place of a hyphen, an invisible character may precede one that looks like it. */
function isBeforeHyphen({ codes }: Tokens, at: number, letter = unknown): boolean {
  const token = codes[at] ?? 0;
  if ((token & ~(gap.invisible | gap.softHyphen)) !== gap.base || (codes[at + 1] ?? 0) < exotic) return false;
  const after = codes[at + 2] ?? 0;
  // A soft hyphen can be the hyphen itself, but not if the expected letter comes one later.
  return token === onlyInvisible || isGap(after) || after === letter || after === letter - 0x20;
}

/** A disguised letter may mean another one than the one it folds to. */
function canStandFor(token: number, expected: number): boolean {
  if (expected >= exotic) return false;
  if (token >= exotic) return true;
  if (expected === hyphen) return false;
  return (token >= 0x41 && token <= 0x5a) || (readInto.get(expected)?.includes(token) ?? false);
}

/** A longer name that is written plainly is another tag. */
function goesOn({ codes, count }: Tokens, at: number): boolean {
  const next = codes[at] === (gap.base | gap.hyphen) ? at + 1 : at;
  if (next >= count || !isWritten(codes[at - 1]) || !isWritten(codes[next])) return false;
  return next + 1 >= count || codes[next + 1] !== (gap.base | gap.invisible);
}

function isWritten(code = unknown): boolean {
  return kinds[code] === kind.word;
}

export function isGap(token: number): boolean {
  return (token & 0xff00) === gap.base;
}

function kindsOf(character: string): number {
  const isWord = /[a-z0-9]/u.test(character) ? kind.word : 0;
  const isSign = ":.$@|!".includes(character) ? kind.sign : 0;
  const isBeforeName = "/\\!?;|".includes(character) ? kind.beforeName : 0;
  return isWord | isSign | isBeforeName;
}

function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
