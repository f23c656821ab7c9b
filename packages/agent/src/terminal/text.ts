// Text for people: made safe for a terminal, cut or wrapped to a width; times, counts and paths in readable form.

// Escape sequences could move the cursor or hide text; directional marks could reorder it.
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes control characters, except line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function cut(text: string, width: number): string {
  const line = printable(text.replace(/\s+/gu, " ").trim());
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1)).toWellFormed()}…`;
}

export function indent(text: string, by: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : `${by}${line}`))
    .join("\n");
}

/** Local time; an invalid time is shown unchanged. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return printable(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${grouped(number)} ${number === 1 ? one : many}`;
}

export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/gu, ",");
}

export function bytesWords(bytes: number): string {
  if (bytes < 1000) return count(bytes, "byte");
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size < 10 ? size.toFixed(1) : String(Math.round(size))} ${unit}`;
}

// Text of models, files and tools, made safe for a terminal.

// More than any line shows.
const LOOKED_AT = 4000;

/** Keeps line breaks. */
export function safeText(text: string): string {
  return printable(text.replaceAll("\r\n", "\n").toWellFormed());
}

/** As one line. */
export function safeLine(text: string, width: number): string {
  return cut(text.slice(0, LOOKED_AT).toWellFormed(), Math.max(1, width));
}

/** For the pieces of a stream: joins characters that were split between pieces. */
export function createSafeStream(): (piece: string) => string {
  let carried = "";
  return (piece) => {
    const text = carried + piece;
    carried = /[\r\ud800-\udbff]$/u.test(text.slice(-1)) ? text.slice(-1) : "";
    return safeText(text.slice(0, text.length - carried.length));
  };
}

export interface Folded {
  rows: { text: string; isStart: boolean }[];
  /** The text that did not fit. */
  left: string;
}

/** Breaks text into rows of at most `width` characters. */
export function fold(text: string, { width, limit }: { width: number; limit: number }): Folded {
  const rows: Folded["rows"] = [];
  let at = 0;
  while (at < text.length && rows.length < limit) {
    const end = endOfLine(text, at);
    const isStart = at === 0 || text[at - 1] === "\n";
    const stop = end - at <= width ? end : betweenCharacters(text, at + width);
    rows.push({ text: text.slice(at, stop), isStart });
    at = stop === end ? end + 1 : stop;
  }
  return { rows, left: text.slice(at) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

function betweenCharacters(text: string, at: number): number {
  return /[\ud800-\udbff]/u.test(text[at - 1] ?? "") ? at + 1 : at;
}

// Short paths: relative to the working directory, or to home.

export interface Places {
  cwd: string;
  home: string;
}

export interface ShortPaths {
  path(absolute: string): string;
  /** Shortens the paths in a text. */
  words(text: string): string;
}

export function createShortPaths({ cwd, home }: Places): ShortPaths {
  const starts = [
    { directory: cwd, short: "" },
    { directory: home, short: "~/" },
  ].map((one) => ({ ...one, inSentence: startOf(one.directory) }));
  return {
    path(absolute) {
      if (absolute === cwd) return ".";
      if (absolute === home) return "~";
      const start = starts.find(({ directory }) => absolute.startsWith(`${directory}/`));
      return printable(
        start === undefined ? absolute : start.short + absolute.slice(start.directory.length + 1),
      );
    },
    words: (text) =>
      printable(starts.reduce((said, { inSentence, short }) => said.replace(inSentence, short), text)),
  };
}

/** Matches the directory at the start of a longer path. */
function startOf(directory: string): RegExp {
  const literal = directory.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
  return new RegExp(`(?<=^|[\\s(])${literal}/(?=[^\\s/])`, "gu");
}

// Wraps streamed text between words. Code, tables and indented lines stay as they are.

export interface WordWrap {
  /** Returns what can be printed now: the last word waits until its end is known. */
  add(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

const FENCE = /^(?:```|~~~)/u;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])$/u;
// In Markdown, a line indented this far is code.
const CODE_INDENT = 4;

export function createWordWrap(width: number): WordWrap {
  let out = "";
  let column = 0;
  let gap = "";
  let word = "";
  let hang = "";
  let isFenced = false;
  let isVerbatim = false;
  let isFresh = true;

  function putWord(): void {
    if (word === "") return;
    if (isFresh) beginLine();
    else if (!isVerbatim && column + gap.length + word.length > width) {
      out += `\n${hang}${word}`;
      column = hang.length + word.length;
    } else put(gap + word);
    gap = "";
    word = "";
  }

  function beginLine(): void {
    isFresh = false;
    if (FENCE.test(word)) isFenced = !isFenced;
    isVerbatim =
      isFenced || FENCE.test(word) || /\t/u.test(gap) || gap.length >= CODE_INDENT || word.startsWith("|");
    hang = BULLET.test(word) ? " ".repeat(gap.length + word.length + 1) : gap;
    put(gap + word);
  }

  function put(text: string): void {
    out += text;
    column += text.length;
  }

  function endLine(): void {
    putWord();
    out += "\n";
    column = 0;
    gap = "";
    isFresh = true;
  }

  function taken(): string {
    const all = out;
    out = "";
    return all;
  }

  return {
    add(piece) {
      for (const [part] of piece.matchAll(/\n|[ \t]{1,1000}|[^ \t\n]{1,1000}/gu)) {
        if (part === "\n") endLine();
        else if (/^[ \t]/u.test(part)) {
          putWord();
          gap += part;
        } else word += part;
      }
      return taken();
    },
    end() {
      putWord();
      gap = "";
      column = 0;
      isFresh = true;
      isFenced = false;
      return taken();
    },
  };
}

/** Wraps a whole text. */
export function wrapped(text: string, width: number): string {
  const wrap = createWordWrap(width);
  return wrap.add(text) + wrap.end();
}
