// The words of a command as the shell joins them: without the quotes and backslashes inside of them, each character with
// its place in the source.

export interface JoinedWords {
  /** As it is after joining. */
  inner: string;
  /** The same, with `\u0001` for each quoted or escaped character that would end a word or a value. */
  outer: string;
  /** Where each character begins and ends in the source, with the quotes around it. */
  starts: Uint32Array;
  ends: Uint32Array;
  /** The number of the quotation that each character is in; 0 for none, ESCAPED behind a backslash. */
  quotations: Uint32Array;
}

const PLACEHOLDER = "\u0001";
const SPECIAL = /[\s,;|&<>()"']/gu;
const MARK = /["'\\]|\$'/gu;
const LETTERS: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
};
const CODE = /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3}))/uy;

/** The number of all characters behind a backslash. */
export const ESCAPED = 1;

interface Piece {
  /** Where it ends in the source. */
  to: number;
  /** The number of its quotation. */
  within: number;
  /** It is written in another way there, as a whole. */
  isEscape?: boolean;
}

/** Undefined if nothing is joined. */
export function joinWords(source: string): JoinedWords | undefined {
  if (!/["'\\]/u.test(source)) return undefined;
  const inner: string[] = [];
  const outer: string[] = [];
  // Nothing is longer than its source.
  const starts = new Uint32Array(source.length);
  const ends = new Uint32Array(source.length);
  const quotations = new Uint32Array(source.length);
  const closing = closings(source);
  let quotation = ESCAPED;
  let length = 0;
  let begin = 0;
  const add = (text: string, { to, within, isEscape = false }: Piece) => {
    inner.push(text);
    outer.push(within > 0 ? text.replace(SPECIAL, PLACEHOLDER) : text);
    for (let left = text.length - 1; left >= 0; left--, length++) {
      quotations[length] = within;
      starts[length] = begin;
      ends[length] = isEscape ? to : to - left;
      if (!isEscape) begin = to - left;
    }
    begin = to;
  };
  /** What says nothing belongs to what is before it, and to what is behind it. */
  const pass = (to: number, isEmpty: boolean) => {
    if (length > 0) ends[length - 1] = to;
    if (!isEmpty) begin = to;
  };
  for (let at = 0; at < source.length; ) {
    MARK.lastIndex = at;
    const found = MARK.exec(source);
    const index = found?.index ?? source.length;
    if (index > at) add(source.slice(at, index), { to: index, within: 0 });
    if (found === null) break;
    const [mark] = found;
    at = index + mark.length;
    const end = closing(mark, at);
    if (end === undefined) {
      if (mark !== "\\" || at === source.length) {
        at = index + 1;
        add(mark.charAt(0), { to: at, within: 0 });
      } else {
        at++;
        if (source[at - 1] === "\n") pass(at, true);
        else add(source.charAt(at - 1), { to: at, within: ESCAPED, isEscape: true });
      }
      continue;
    }
    quotation++;
    const isEmpty = at === end;
    const quoted = source.slice(at, end);
    for (let from = 0; from < quoted.length; ) {
      const next = mark === "'" ? -1 : quoted.indexOf("\\", from);
      const to = next < 0 ? quoted.length : next;
      if (to > from) add(quoted.slice(from, to), { to: at + to, within: quotation });
      from = to;
      if (next < 0) continue;
      const [text, taken] = escapeAt(source, at + from, mark);
      from += taken;
      add(text, { to: at + from, within: quotation, isEscape: true });
    }
    at = end + 1;
    pass(at, isEmpty);
  }
  return { inner: inner.join(""), outer: outer.join(""), starts, ends, quotations };
}

/** Finds where a quotation ends; undefined if it is none. Where one kind is left open, no other of its kind begins. */
function closings(source: string): (opening: string, from: number) => number | undefined {
  const open = new Set<string>();
  return (opening, from) => {
    if (opening === "\\" || open.has(opening)) return undefined;
    const quote = opening.at(-1) as string;
    let end = source.indexOf(quote, from);
    if (opening !== "'") {
      end = from;
      while (end < source.length && source[end] !== quote) end += source[end] === "\\" ? 2 : 1;
      if (end >= source.length) end = -1;
    }
    if (end >= 0) return end;
    open.add(opening);
    return undefined;
  };
}

/** What stands at a place between double quotes, or in `$'…'`, and how long it is in the source. */
function escapeAt(source: string, at: number, opening: string): [string, number] {
  const character = source[at] as string;
  const next = source[at + 1] as string;
  if (character !== "\\") return [character, 1];
  if (opening === '"') return next === "\n" ? ["", 2] : '$`"\\'.includes(next) ? [next, 2] : ["\\", 1];
  CODE.lastIndex = at;
  const found = CODE.exec(source);
  if (found === null) return [LETTERS[next] ?? next, 2];
  const [all, two, four, eight, octal] = found;
  const code =
    octal === undefined ? Number.parseInt((two ?? four ?? eight) as string, 16) : Number.parseInt(octal, 8);
  return [code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code), all.length];
}
