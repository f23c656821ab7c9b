// Hides what looks like a key or a password, whatever text it is in.

import { HIDDEN, KEYS, NAMED, type Shape } from "./key-patterns.ts";
import { ESCAPED, type JoinedWords, joinWords } from "./shell/join-words.ts";

// A value that an error quotes, such as a token in the wrong field of a config file.
const QUOTED = /(\bgot ["'])(?=[^"'\s]*\d)(?=[^"'\s]*[a-z])[\w+/=.:~-]{16,}/giu;

const ALL = [...KEYS, ...NAMED];

export function hideKeys(text: string): string {
  return without(withoutJoined(text), ALL);
}

interface Found {
  from: number;
  to: number;
}

/**
 * A shell joins what quotes and backslashes divide: words are judged as it joins them, and what is hidden is all of their
 * source. A word may be a command of its own, as after `sh -c`.
 */
function withoutJoined(text: string): string {
  if (text.length > LONGEST_COMMAND) return text;
  const kept: string[] = [];
  let copied = 0;
  for (const { from, to } of foundIn(text, 1).sort((one, other) => one.from - other.from)) {
    if (from >= copied) kept.push(text.slice(copied, from), HIDDEN);
    copied = Math.max(copied, to);
  }
  return kept.join("") + text.slice(copied);
}

// A command in a command for another machine.
const DEEPEST = 3;
// Linux takes no longer one, and a longer text is not read twice.
const LONGEST_COMMAND = 131_072;

function foundIn(text: string, depth: number): Found[] {
  const found = joinedIn(text, { depth, shapes: ALL });
  const lists = [...argumentLists(text)];
  if (lists.length === 0) return found;
  const inLists = lists.flatMap(({ words, index }) =>
    joinedIn(words, { depth, shapes: NAMED, isList: true }).map(({ from, to }) => ({
      from: index + from,
      to: index + to,
    })),
  );
  const ends = new Map(inLists.map(({ from, to }) => [from, to]));
  // To a shell what is between the items is part of the words.
  const others = found.filter(({ from, to }) => !/^["',\s]*$/u.test(text.slice(ends.get(from) ?? from, to)));
  return [...others, ...inLists];
}

interface Reading {
  depth: number;
  shapes: readonly Shape[];
  /** The words of an argument list: each is one argument, whatever is in it. */
  isList?: true;
}

function joinedIn(text: string, { depth, shapes, isList }: Reading): Found[] {
  const joined = joinWords(text);
  if (joined === undefined) return [];
  const { inner, outer } = joined;
  const found: Found[] = [];
  for (const { 0: word, index } of depth < DEEPEST ? outer.matchAll(/[^\s;|&]+/gu) : [])
    for (const { from, to } of foundIn(inner.slice(index, index + word.length), depth + 1))
      found.push(sourceOf(joined, { from: index + from, to: index + to }, text));
  for (const reading of isList || outer === inner ? [outer] : [inner, outer])
    for (const [match, { instead, isOneWord, isOneArgument }] of matchesIn(reading, shapes)) {
      const [before = "", behind = ""] = instead.replace("$1", "").split(HIDDEN);
      const from = match.index + (match[1] ?? "").length + before.length;
      const to = match.index + match[0].length - behind.length;
      if (isOneWord && endsWordIn(joined, match.index, from)) continue;
      const isApart = isOneArgument || (isList && endsWordIn(joined, match.index, from));
      if (reading !== inner && !isApart && isQuotedWithName(joined, from)) continue;
      const place = sourceOf(joined, { from, to }, text);
      // A word that stands as it is needs no joining.
      if (isList || !beginsWord(joined, from) || text.slice(place.from, place.to) !== inner.slice(from, to))
        found.push(place);
    }
  return found;
}

const BLANKS = "(?:\\s|\\\\[nrt])*";
const QUOTED_ITEM = `"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^'\\\\]*(?:\\\\.[^'\\\\]*)*'`;
const ITEM = new RegExp(`(${BLANKS})(${QUOTED_ITEM}|[\\w.+-]+)(${BLANKS}[,\\]])`, "suy");

/**
 * The argument lists in a text, as JSON and most languages write them: as words for a shell, each in its place. No part of
 * the text is gone through for every bracket before it.
 */
function* argumentLists(text: string): Generator<{ words: string; index: number }> {
  for (let index = text.indexOf("["); index >= 0; ) {
    const program = programBefore(text, index);
    const words: string[] = [];
    let at = index + 1;
    for (let goesOn = true; goesOn; ) {
      ITEM.lastIndex = at;
      const [all, before = "", item = "", behind = ""] = ITEM.exec(text) ?? [""];
      if (all !== "") words.push(" ".repeat(before.length) + item + " ".repeat(behind.length));
      at += all.length;
      goesOn = behind.endsWith(",");
    }
    const list = words.join("");
    // A single word is read if it may be the option of a program.
    if (program !== "" && list.includes("-"))
      yield { words: `${program} ${list}`, index: index - program.length };
    else if (words.length > 1) yield { words: list, index: index + 1 };
    index = text.indexOf("[", at);
  }
}

const PROGRAM = /[:(]\s*["'](?:[\w./-]*\/)?([\w.-]{1,20})["']\s*,\s*(?:["']?\w{1,20}["']?\s*:\s*)?$/u;
const LONGEST_BEFORE = 120;

/** As in `{ "command": "mysql", "args": ["-p…"] }` and `spawn("mysql", ["-p…"])`; empty if there is none. */
function programBefore(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - LONGEST_BEFORE), index);
  return /[:,]\s*$/u.test(before) ? (PROGRAM.exec(before)?.[1] ?? "") : "";
}

function beginsWord({ inner, quotations }: JoinedWords, at: number): boolean {
  return at === 0 || (quotations[at - 1] === 0 && /\s/u.test(inner[at - 1] as string));
}

/** Quotes around all of it stay. */
function sourceOf({ starts, ends, quotations }: JoinedWords, { from, to }: Found, text: string): Found {
  const start = starts[from] as number;
  const end = ends[to - 1] as number;
  const within = quotations[from] as number;
  if (within <= ESCAPED || quotations[to - 1] !== within) return { from: start, to: end };
  const opening = text[start] === "$" ? 2 : 1;
  return {
    from: quotations[from - 1] === within ? start : start + opening,
    to: quotations[to] === within ? end : end - 1,
  };
}

function* matchesIn(text: string, shapes: readonly Shape[]): Generator<[RegExpExecArray, Shape]> {
  const plain = inLowerCase(text);
  for (const shape of shapes)
    if (shape.signs.some((sign) => plain.includes(sign)))
      for (const match of text.matchAll(shape.pattern)) yield [match, shape];
}

function endsWordIn({ inner, quotations }: JoinedWords, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (quotations[at] === 0 && /\s/u.test(inner[at] as string)) return true;
  return false;
}

/** The rest of a quoted text is not the value of a name in it. */
function isQuotedWithName({ quotations }: JoinedWords, at: number): boolean {
  return at > 0 && quotations[at] !== 0 && quotations[at - 1] === quotations[at];
}

const HARMLESS_KEPT = 100;

/** Texts without a key: each turn of a session asks for its problems again. */
const harmless = new Set<string>();

/** The text of an error that may quote a file. What follows a name there is not its value. */
export function hideQuotedKeys(text: string): string {
  if (harmless.has(text)) return text;
  const clean = without(text, KEYS).replace(QUOTED, `$1${HIDDEN}`);
  if (clean !== text) return clean;
  if (harmless.size >= HARMLESS_KEPT) harmless.clear();
  harmless.add(text);
  return clean;
}

const PLAIN_NAME = /^(?:[\w-]{0,24}|[a-z]{1,16}(?:_[a-z]{1,16}){1,5})$/u;

/** A name that an error repeats. A key or an address with a password may stand in its place: only what is plain is shown. */
export function shownName(name: string): string {
  return PLAIN_NAME.test(name) && without(name, KEYS) === name ? name : HIDDEN;
}

function without(text: string, shapes: readonly Shape[]): string {
  const plain = inLowerCase(text);
  return shapes.reduce(
    (clean, { pattern, instead, signs }) =>
      signs.some((sign) => plain.includes(sign)) ? clean.replace(pattern, instead) : clean,
    text,
  );
}

/** With the one letter that expressions take for another which no text in lower case has. */
function inLowerCase(text: string): string {
  return text.toLowerCase().replaceAll("\u017f", "s");
}
