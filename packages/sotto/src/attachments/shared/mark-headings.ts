// Marks lines of a file that could be taken for a heading of ours, in the text as it will be shown.

import { clean } from "../../render/neutralise/clean.ts";
import { type Cursor, createCursor, moveTo, step } from "../../render/neutralise/cursor.ts";
import { decode, entrancesOf } from "../../render/neutralise/decode.ts";
import { fold, invisible, sequenceOf, softHyphen, unknown } from "../../render/neutralise/fold.ts";

/** How lines of ours begin. */
const OPENINGS = ["contents of", "content of", "the instruction files in force here"];
/** Names that hosts give their sections, whether or not this one has them. */
const SECTIONS = ["claudeMd", "agentsMd", "instructionFiles", "currentDate", "gitStatus", "userEmail"];

// Enough of a line to recognise a heading.
const ENOUGH = 100;
// Letters by which most lines show that they are no heading.
const START = 8;
// A heading may be broken over so many lines.
const MOST_LINES = 10;
const LINE_END = /(\r?\n|[␍\u2028\u2029])/u;
const QUOTED = /^[ \t]*>/u;
// Not read as words: other tags, and what `clean` shows in place of a character.
const BETWEEN = /<[^<>]*>|\[U\+[\dA-F]{4,5}\]/gu;
const DISGUISING = /[&\\%<[\x80-\u{10ffff}]/u;
const FIRST_WORD = /^[^a-zA-Z]*([a-zA-Z]+)(.?)/u;
const REFERENCE = /[&＆﹠\\%]/u;
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const LETTER = () => /\p{L}/u;
const LETTER_OR_DIGIT = () => /[\p{L}\p{N}]/u;
const GOES_ON = () => /^[\p{L}\p{N}.]/u;
const LIST_LETTER = () => /^[a-z][,.]+ [^\p{L}]*/u;
const DIGITS_AS_LETTERS: Readonly<Record<string, string>> = { 0: "o", 1: "i", 3: "e", 5: "s", 7: "t" };

const nothingResolved = decode("", entrancesOf("")).resolved;
const openings = OPENINGS.map((words) => ({
  letters: words.replaceAll(" ", ""),
  pattern: new RegExp(`^${[...words.replaceAll(" ", "")].join("[ ,]*")}(?![a-z])`, "u"),
}));

let usualNames: Names | undefined;

/** A line that reads like a heading of ours is marked as a quotation. */
export function markHeadings(content: string): string {
  usualNames ??= namesOf(SECTIONS);
  return markNamed(content, usualNames);
}

/** The same with further names of sections, which are read once for all contents. */
export function headingMarker(sections: readonly string[]): (content: string) => string {
  const names = namesOf([...SECTIONS, ...sections]);
  return (content) => markNamed(content, names);
}

function markNamed(content: string, names: Names): string {
  // Lines, and what ends each, in turn.
  const parts = clean(content).trimEnd().split(LINE_END);
  const read: (Words | undefined)[] = [];
  const wordsAt = (index: number) => {
    read[index] ??= plainWords(parts[index] ?? "", true);
    return read[index];
  };
  const quoted = new Set<number>();
  for (let index = 0; index < parts.length; index += 2) {
    const line = parts[index] ?? "";
    if (isPlainlyOther(line, names) || QUOTED.test(line)) continue;
    // Signs before the first letter can be read as ornaments, or as letters they look like.
    const readings = DISGUISING.test(line) ? [wordsAt(index), plainWords(line, false)] : [wordsAt(index)];
    for (const words of readings) {
      const last = isSection(words, names) ? index : endOfOpening(words.words, index, wordsAt);
      for (let at = index; at <= last; at += 2) quoted.add(at);
    }
  }
  return parts.map((part, index) => (quoted.has(index) ? `> ${part}` : part)).join("");
}

/** Most lines: nothing in them is disguised, and no heading begins with their first word. */
function isPlainlyOther(line: string, { letters, starts }: Names): boolean {
  if (line === "") return true;
  if (DISGUISING.test(line)) return false;
  const [, word = "", sign = ""] = FIRST_WORD.exec(line) ?? [];
  if (word === "") return true;
  // The letter of an item of a list.
  if (word.length === 1 && sign !== "" && sign !== " ") return false;
  const first = word.slice(0, START).toLowerCase();
  return !starts.has(first) && !prefixesOf(first).some((start) => letters.has(start));
}

interface Words {
  /** Small plain letters, digits, dots and spaces; a comma for each other sign. */
  words: string;
  /** Whether a `#` stands before them. */
  isMarked: boolean;
}

/** Sets, so that a line takes as long with many names as with few. */
interface Names {
  /** The names of sections as `plainWords` reads them, without signs. */
  sections: ReadonlySet<string>;
  /** Their letters, and those of the openings. */
  letters: ReadonlySet<string>;
  /** How those begin. */
  starts: ReadonlySet<string>;
}

/** The last line of an opening that begins with these words; before the first if there is none. */
function endOfOpening(first: string, from: number, wordsAt: (line: number) => Words): number {
  for (const { letters, pattern } of openings) {
    let words = first;
    for (let line = from; line < from + 2 * MOST_LINES; line += 2) {
      if (line > from) words += ` ${wordsAt(line).words}`;
      if (pattern.test(words)) return line;
      if (words === "" || !letters.startsWith(words.replace(/[ ,]+/gu, ""))) break;
    }
  }
  return -1;
}

function plainWords(line: string, ornaments: boolean): Words {
  const text = line.replace(BETWEEN, "");
  const cursor = cursorOn(text);
  let words = "";
  let isMarked = false;
  while (cursor.position < text.length && words.length < ENOUGH) {
    const code = step(cursor);
    if (code >= 0x61 && code <= 0x7a) {
      words += SMALL[code - 0x61];
      continue;
    }
    const written = String.fromCodePoint(code);
    const plain = plainOf(code, written);
    if (words === "" && !LETTER().test(ornaments ? written : plain)) isMarked ||= plain === "#";
    else if (plain === " " || plain === "-") words += words.endsWith(" ") ? "" : " ";
    else if (LETTER_OR_DIGIT().test(plain) || plain === ".") words += plain;
    else if (plain !== "" && !words.endsWith(",")) words += ",";
  }
  words = words.replace(LIST_LETTER(), "");
  return { words: words.replace(/[01357]/gu, (digit) => DIGITS_AS_LETTERS[digit] ?? digit), isMarked };
}

function cursorOn(text: string): Cursor {
  if (!REFERENCE.test(text)) return createCursor(text, nothingResolved);
  const cursor = decode(text, entrancesOf(text));
  moveTo(cursor, 0, cursor.resolved.count);
  return cursor;
}

function plainOf(code: number, written: string): string {
  const plain = fold(code);
  if (plain === invisible || plain === softHyphen) return "";
  return plain === unknown ? written : (sequenceOf(plain) ?? String.fromCharCode(plain));
}

function namesOf(sections: readonly string[]): Names {
  const names = sections.map((name) => plainWords(name, true).words).filter((name) => name !== "");
  const letters = [
    ...openings.map((opening) => opening.letters),
    ...names.map((name) => name.replace(/[ ,]+/gu, "")),
  ];
  return {
    sections: new Set(names.map((name) => name.replaceAll(",", ""))),
    letters: new Set(letters),
    starts: new Set(letters.flatMap((name) => prefixesOf(name.slice(0, START)))),
  };
}

function prefixesOf(text: string): string[] {
  return Array.from(text, (_, index) => text.slice(0, index + 1));
}

/** A name behind `#` begins a section whatever follows; without it, if it stands alone. */
function isSection({ words, isMarked }: Words, { sections }: Names): boolean {
  let name = "";
  for (let at = 0; at < words.length; at++) {
    if (words[at] === ",") continue;
    name += words[at];
    if (!sections.has(name)) continue;
    const more = isMarked ? GOES_ON() : LETTER_OR_DIGIT();
    if (!more.test(words.slice(at + 1))) return true;
  }
  return false;
}
