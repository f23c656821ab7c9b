// Finds where values begin and end in a JSON text, without parsing them. It throws if the text ends too early or a mark
// is missing; whether the values are JSON is for JSON.parse to say.

/** A string, or bytes that are decoded only where they are looked at: places count its characters, or its bytes. */
export interface JsonText {
  readonly length: number;
  charCodeAt(at: number): number;
  indexOf(mark: string, from: number): number;
  slice(from: number, to?: number): string;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;
const LIST = 91;
const LIST_END = 93;
const OBJECT = 123;
const OBJECT_END = 125;

/** The places of a list's elements: start, end, start, end, … */
export type Spans = number[];

/**
 * The elements of a list from `at` on, which is right behind its bracket or, if it is not the `first`, behind an element.
 * `end` is behind the closing bracket.
 */
export function scanList(text: JsonText, at: number, first: boolean): { spans: Spans; end: number } {
  const spans: Spans = [];
  let next = skipSpace(text, at);
  if (first && text.charCodeAt(next) === LIST_END) return { spans, end: next + 1 };
  for (let isFirst = first; ; isFirst = false) {
    if (!isFirst) {
      if (text.charCodeAt(next) === LIST_END) return { spans, end: next + 1 };
      next = skipSpace(text, expect(text, next, COMMA));
    }
    const end = endOfValue(text, next);
    spans.push(next, end);
    next = skipSpace(text, end);
  }
}

/** A field of an object; `value` is where its value begins. */
export interface Entry {
  key: string;
  value: number;
}

/** The first field of the object at `at`; undefined if it has none. */
export function firstEntry(text: JsonText, at: number): Entry | undefined {
  const next = skipSpace(text, expect(text, skipSpace(text, at), OBJECT));
  return text.charCodeAt(next) === OBJECT_END ? undefined : entryAt(text, next);
}

/** The field behind the value that ends at `at`; undefined if that was the last. */
export function nextEntry(text: JsonText, at: number): Entry | undefined {
  const next = skipSpace(text, at);
  return text.charCodeAt(next) === OBJECT_END
    ? undefined
    : entryAt(text, skipSpace(text, expect(text, next, COMMA)));
}

function entryAt(text: JsonText, at: number): Entry {
  expect(text, at, QUOTE);
  const end = endOfString(text, at);
  const written = text.slice(at + 1, end - 1);
  const key = written.includes("\\") ? (JSON.parse(text.slice(at, end)) as string) : written;
  return { key, value: skipSpace(text, expect(text, skipSpace(text, end), COLON)) };
}

export function isList(text: JsonText, at: number): boolean {
  return text.charCodeAt(at) === LIST;
}

/** Right behind the value that begins at `at`. */
export function endOfValue(text: JsonText, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first === OBJECT || first === LIST) return endOfNested(text, at);
  let end = at;
  while (end < text.length && !endsLiteral(text.charCodeAt(end))) end++;
  if (end === at) throw new Error("a value is missing");
  return end;
}

/** Brackets are only counted. */
function endOfNested(text: JsonText, at: number): number {
  let depth = 0;
  for (let next = at; next < text.length; next++) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) next = endOfString(text, next) - 1;
    else if (code === OBJECT || code === LIST) depth++;
    else if ((code === OBJECT_END || code === LIST_END) && --depth === 0) return next + 1;
  }
  throw new Error("a bracket is missing");
}

function endOfString(text: JsonText, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // After an even number of backslashes it is not escaped.
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  throw new Error("a quote is missing");
}

function endsLiteral(code: number): boolean {
  return code === COMMA || code === LIST_END || code === OBJECT_END || isSpace(code);
}

function skipSpace(text: JsonText, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next++;
  return next;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

/** Right behind it. */
function expect(text: JsonText, at: number, code: number): number {
  if (text.charCodeAt(at) === code) return at + 1;
  throw new Error(`${String.fromCharCode(code)} is missing`);
}
