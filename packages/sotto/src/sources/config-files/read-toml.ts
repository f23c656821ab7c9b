// Reads a config file: its `[system_reminder]` table, and problems with their lines.

import { parse, TomlError } from "smol-toml";
import type { Attachment } from "../../attachments/attachment.ts";
import { type ConfigTable, withOneName } from "../../config/layers.ts";
import { configSchema, resolveSettings } from "../../config/schema.ts";
import type { Problem, SottoError } from "../../platform/errors.ts";
import { nearest } from "../../platform/nearest.ts";
import { isTable } from "../../platform/plain-data.ts";

const TABLE = "system_reminder";
/** Likely typos that are told: each is looked for in the text. */
const MOST_SLIPS = 10;

export interface ReadConfig {
  /** Valid, with attachments by their canonical names; absent if the file is to be ignored. */
  config?: ConfigTable;
  problems: Problem[];
}

/** Ignores other tables, as the file may belong to a host, but reports likely typos. */
export function readToml(path: string, text: string, catalogue: readonly Attachment[]): ReadConfig {
  let document: ConfigTable;
  try {
    document = parse(text) as ConfigTable;
  } catch (error) {
    const { problem, ...place } = syntaxProblem(error);
    return { problems: [{ where: path, ...place, problem: `${problem} (the file is ignored)` }] };
  }
  const told = slips(document).slice(0, MOST_SLIPS);
  const problems = told.map(({ key, problem }) => problemAt({ path, text, keys: [key], problem }));
  if (!Object.hasOwn(document, TABLE)) return { problems };
  try {
    resolveSettings(document[TABLE], catalogue);
  } catch (error) {
    const { keys = [], message } = error as SottoError;
    const problem = `${message.replace(/^config\b/u, TABLE)} (the file is ignored)`;
    return { problems: [...problems, problemAt({ path, text, keys: [TABLE, ...keys], problem })] };
  }
  return { config: withOneName(document[TABLE], catalogue) as ConfigTable, problems };
}

/** A host's table, if there is one, or why the text is not TOML. */
export function tableOf(text: string, name: string): { value?: unknown; problem?: Omit<Problem, "where"> } {
  try {
    const document = parse(text);
    return Object.hasOwn(document, name) ? { value: document[name] } : {};
  } catch (error) {
    return { problem: syntaxProblem(error) };
  }
}

export interface WrongKey {
  path: string;
  text: string;
  keys: readonly string[];
  problem: string;
}

export function problemAt({ path, text, keys, problem }: WrongKey): Problem {
  const place = placeOfKey(text, keys);
  return { where: path, ...(place === undefined ? {} : { line: place.line, column: place.column }), problem };
}

function syntaxProblem(error: unknown): Omit<Problem, "where"> {
  if (!(error instanceof TomlError)) return { problem: "it cannot be read" };
  const [words = ""] = error.message.replace(/^Invalid TOML document: /u, "").split("\n");
  return { line: error.line, column: error.column, problem: `it is not valid TOML: ${words}` };
}

function slips(document: ConfigTable): { key: string; problem: string }[] {
  return Object.entries(document).flatMap(([key, value]) => {
    if (key === TABLE) return [];
    if (nearest(key, [TABLE]) !== undefined)
      return [{ key, problem: `"${key}" is not known; did you mean "${TABLE}"?` }];
    // Written above the table's heading, or without one.
    if (Object.hasOwn(configSchema.entries, key) && (!isTable(value) || key === "attachments"))
      return [{ key, problem: `"${key}" is outside of [${TABLE}], where it has no effect` }];
    return [];
  });
}

// Finds the line of a key in a valid TOML text, to report wrong values. In one pass: the text may be anyone's.

export interface KeyPlace {
  /** How many of the keys are written out. */
  depth: number;
  /** Both from 1. */
  line: number;
  column: number;
}

/** The place of the key itself, or of the innermost table around it that is written out. */
export function placeOfKey(text: string, keys: readonly string[]): KeyPlace | undefined {
  const scan: Scan = { text, at: 0, sought: keys, depth: 0, found: 0 };
  let table = 0;
  for (skipBlank(scan); scan.at < text.length; skipBlank(scan))
    if (text[scan.at] === "[") table = readHeader(scan);
    else readPair(scan, table);
  return scan.depth === 0 ? undefined : { depth: scan.depth, ...lineAndColumn(text, scan.found) };
}

interface Scan {
  text: string;
  at: number;
  sought: readonly string[];
  /** How many of the sought keys were found at most, and where the last of them stands. */
  depth: number;
  found: number;
}

/** A table is known by how many of the sought keys lead to it. */
const ELSEWHERE = -1;

function readHeader(scan: Scan): number {
  while (scan.text[scan.at] === "[") scan.at++;
  const table = readKeys(scan, 0);
  while (scan.text[scan.at] === "]") scan.at++;
  return table;
}

function readPair(scan: Scan, table: number): void {
  const inner = readKeys(scan, table);
  if (scan.text[scan.at] === "=") scan.at++;
  skipBlank(scan);
  readValue(scan, inner);
}

/** `a . "b.c"`: notes the place of each part. */
function readKeys(scan: Scan, table: number): number {
  let inner = table;
  for (;;) {
    skipBlank(scan);
    const from = scan.at;
    const key = readKey(scan);
    inner = inner !== ELSEWHERE && scan.sought[inner] === key ? inner + 1 : ELSEWHERE;
    if (inner > scan.depth) Object.assign(scan, { depth: inner, found: from });
    skipBlank(scan);
    if (scan.text[scan.at] !== ".") return inner;
    scan.at++;
  }
}

function readKey(scan: Scan): string {
  const { text, at } = scan;
  if (text[at] === '"' || text[at] === "'") {
    const quoted = readString(scan);
    return text[at] === "'" ? quoted.slice(1, -1) : unescaped(quoted);
  }
  const [bare = ""] = /^[^\s.=\]]+/u.exec(text.slice(at, at + 1000)) ?? [];
  // The scan must advance whatever it finds.
  scan.at += Math.max(1, bare.length);
  return bare;
}

function readValue(scan: Scan, table: number): void {
  const first = scan.text[scan.at];
  if (first === '"' || first === "'") readString(scan);
  else if (first === "{") readList(scan, "}", () => readPair(scan, table));
  else if (first === "[") readList(scan, "]", () => readValue(scan, table));
  else while (scan.at < scan.text.length && !/[,\]}#\n]/u.test(scan.text[scan.at] as string)) scan.at++;
}

function readList(scan: Scan, end: string, readOne: () => void): void {
  scan.at++;
  for (skipBlank(scan); scan.at < scan.text.length && scan.text[scan.at] !== end; skipBlank(scan)) {
    const before = scan.at;
    if (scan.text[scan.at] === ",") scan.at++;
    else readOne();
    if (scan.at === before) scan.at++;
  }
  scan.at++;
}

/** Including its quotes. */
function readString(scan: Scan): string {
  const { text, at } = scan;
  const quote = text[at] as string;
  const isLong = text.startsWith(quote.repeat(3), at);
  const fence = isLong ? quote.repeat(3) : quote;
  let end = at + fence.length;
  while (end < text.length && !text.startsWith(fence, end))
    end += text[end] === "\\" && quote === '"' ? 2 : 1;
  end += fence.length;
  // A multi-line string may end with up to two more quotes.
  while (isLong && text[end] === quote && end < text.length) end++;
  scan.at = end;
  return text.slice(at, end);
}

/** The escapes of TOML are those of JSON and a few more. */
function unescaped(quoted: string): string {
  const plain = quoted.replace(/\\(?:x(..)|U(.{8})|.)/gu, (written, short?: string, long?: string) => {
    if (written === "\\e") return "\\u001b";
    if (short !== undefined) return `\\u00${short}`;
    return long === undefined
      ? written
      : JSON.stringify(String.fromCodePoint(Number.parseInt(long, 16))).slice(1, -1);
  });
  try {
    return JSON.parse(plain) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function skipBlank(scan: Scan): void {
  const { text } = scan;
  for (;;) {
    while (/\s/u.test(text[scan.at] ?? "x")) scan.at++;
    if (text[scan.at] !== "#") return;
    while (scan.at < text.length && text[scan.at] !== "\n") scan.at++;
  }
}

function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}
