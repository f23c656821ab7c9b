// The frontmatter of a rule: the paths it is about. Read tolerantly, with all problems reported.

import { errorText } from "../platform/errors.ts";
import { hideQuotedKeys } from "../platform/key-shapes.ts";
import type { Job } from "../platform/platform.ts";

export interface Frontmatter {
  /** Undefined: the rule holds everywhere. Empty: it holds nowhere. */
  patterns?: string[];
  body: string;
  problem?: string;
}

export interface FrontmatterOptions {
  /** The file, for error messages. */
  path: string;
  work(job: Job): Promise<unknown>;
}

const MAX_BLOCK = 65_536;
const OPENING = /^---[ \t]*\r?\n/u;

export async function readFrontmatter(text: string, options: FrontmatterOptions): Promise<Frontmatter> {
  const { block, body } = splitFrontmatter(text);
  if (block === undefined)
    return OPENING.test(text) && /^(?:paths|globs):/mu.test(text.slice(0, 1000))
      ? { body, problem: "its frontmatter is never closed with ---: read as text, always loaded" }
      : { body };
  const tooLong =
    block.length > MAX_BLOCK ? { problem: `it is longer than ${MAX_BLOCK} characters` } : undefined;
  const answer: PathsAnswer = tooLong ?? simplePaths(block) ?? (await readInWorker(block, options));
  if (answer.isText) return { body: text };
  if (answer.problem !== undefined)
    return {
      body,
      problem: `its frontmatter cannot be read, so it is always loaded: ${hideQuotedKeys(answer.problem)}`,
    };
  const patterns = patternsOf(answer.value);
  const problem = problemOf(answer, patterns);
  return { body, ...(patterns && { patterns }), ...(problem && { problem: hideQuotedKeys(problem) }) };
}

/** A problem with frontmatter that could still be read. */
function problemOf(
  { value, quoted, meant }: PathsAnswer,
  patterns: string[] | undefined,
): string | undefined {
  if (meant !== undefined) return `its frontmatter has ${meant}, not paths: always loaded`;
  if (quoted)
    return `its frontmatter is not valid YAML; read as if its values were quoted: ${JSON.stringify(patterns ?? null)}`;
  return value === "" ? "paths is empty: ignored" : undefined;
}

/** The text between a first line of dashes and the next one. */
export function splitFrontmatter(text: string): { block?: string; body: string } {
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return { body: text };
  const closing = /^---[ \t]*(?:\r?\n|$)/gmu;
  closing.lastIndex = opening.length;
  const found = closing.exec(text);
  if (found === null) return { body: text };
  return { block: text.slice(opening.length, found.index), body: text.slice(found.index + found[0].length) };
}

async function readInWorker(block: string, { path, work }: FrontmatterOptions): Promise<PathsAnswer> {
  try {
    const input = { block };
    return (await work({
      module: JOBS,
      name: "readPaths",
      input,
      about: `the frontmatter of ${path}`,
    })) as PathsAnswer;
  } catch (error) {
    return { problem: errorText(error) };
  }
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./yaml-jobs.ts" : "./yaml-jobs.js", import.meta.url)
  .href;

// The usual forms of frontmatter, read in one pass; anything else is left to the YAML parser in the worker. Measured for
// 50 rules: 0.7 ms here, about 150 ms for the worker to start and load `yaml`, then 0.5 to 2 ms a rule.

interface Scalar {
  text: string;
  /** It is only valid YAML in quotes. */
  needsQuotes: boolean;
}

const KEY = /^([A-Za-z_][A-Za-z0-9_-]*):(?: +(\S.*))?$/u;
const ITEM = /^( *)- +(\S.*)$/u;
const IN_QUOTES = /^(?:"([^"\\]*)"|'([^']*)')$/u;
/** Contains nothing with a meaning in YAML. */
const PLAIN = /^[^\s\-?:,[\]{}#&*!|>'"%@`](?!.*(?:: | #|:$))/u;
/** `*.ts` would be an alias and `!x` a tag, which nobody means here. */
const ALMOST_PLAIN = /^(?:\*\S|![^\s!<])(?!.*(?:: | #|:$))/u;
/** Values that YAML does not read as strings. */
const NO_TEXT = /^(?:~|null|true|false|[-+.]?\d.*|[-+]?\.(?:inf|nan))$/iu;
/** Control characters, and `&`, which defines an anchor. */
const NOT_SIMPLE = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff&]/u;

/** Undefined if it needs the YAML parser. */
export function simplePaths(written: string): PathsAnswer | undefined {
  const block = written.replaceAll("\r\n", "\n");
  if (NOT_SIMPLE.test(block)) return undefined;
  const found = new Map<string, string | string[] | null>();
  let quoted = false;
  let key = "";
  let indent: string | undefined;
  const take = (scalar: Scalar | undefined): scalar is Scalar => {
    quoted ||= scalar?.needsQuotes === true;
    return scalar !== undefined;
  };
  for (const raw of block.split("\n")) {
    const line = raw.trimEnd();
    if (line === "" || line.startsWith("#")) continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const before = found.get(key);
      const one = scalarOf(item[2] as string, key);
      if ((before !== null && indent === undefined) || (indent ?? item[1]) !== item[1] || !take(one))
        return undefined;
      indent = item[1];
      if (before === null) found.set(key, [one.text]);
      else (before as string[]).push(one.text);
      continue;
    }
    const [, name, value] = KEY.exec(line) ?? [];
    if (name === undefined || found.has(name)) return undefined;
    key = name;
    indent = undefined;
    if (value === undefined) found.set(key, null);
    else if (value.startsWith("[")) {
      const items = flowItems(value, key);
      if (items === undefined || !items.every(take)) return undefined;
      found.set(
        key,
        items.map(({ text }) => text),
      );
    } else {
      const one = scalarOf(value, key);
      if (!take(one)) return undefined;
      found.set(key, one.text);
    }
  }
  const value = found.get("paths") ?? found.get("globs") ?? found.get("paths");
  return {
    ...(value === undefined ? meantKey(found.keys()) : { value }),
    ...(quoted ? { quoted } : {}),
  };
}

function scalarOf(written: string, key: string): Scalar | undefined {
  const inQuotes = IN_QUOTES.exec(written);
  if (inQuotes !== null) return { text: inQuotes[1] ?? inQuotes[2] ?? "", needsQuotes: false };
  if ((key === "paths" || key === "globs") && NO_TEXT.test(written)) return undefined;
  if (PLAIN.test(written)) return { text: written, needsQuotes: false };
  return ALMOST_PLAIN.test(written) ? { text: written, needsQuotes: true } : undefined;
}

/** `[a, "b"]` on one line. */
function flowItems(written: string, key: string): (Scalar | undefined)[] | undefined {
  if (!/^\[[^[\]{}]*\]$/u.test(written)) return undefined;
  const inside = written.slice(1, -1).trim();
  if (inside === "") return [];
  // A comma inside quotes, or an extra one, needs the YAML parser.
  const parts = inside.split(",").map((part) => part.trim());
  return parts.includes("") ? undefined : parts.map((part) => scalarOf(part, key));
}

// The value of `paths:`: a string, a comma-separated list or a list.

/** The value of `paths:` or `globs:`; no value if there is neither. */
export interface PathsAnswer {
  value?: string | readonly string[] | null;
  /** It was only valid YAML with its values quoted. */
  quoted?: boolean;
  /** Why it is not valid YAML. */
  problem?: string;
  /** The text between the dashes is prose, not frontmatter. */
  isText?: boolean;
  /** If there is no value: a key that was probably meant. */
  meant?: string;
}

const ALIKE =
  /^(?:paths?|globs?|patterns?|files?|file_?patterns?|include|apply_?to|applies_?to|match(?:es)?)$/iu;

/** An unknown key that looks like one for paths. */
export function meantKey(keys: Iterable<string>): { meant?: string } {
  const meant = [...keys].find((key) => ALIKE.test(key) && key !== "paths" && key !== "globs");
  return meant === undefined ? {} : { meant };
}

/** Undefined if there are no paths. */
export function patternsOf(value: PathsAnswer["value"]): string[] | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? splitList(value) : value.flatMap(splitList);
}

/** Splits at commas and line breaks, but not inside braces or brackets. */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  const ends = groupEnds(text);
  let start = 0;
  let groupedTo = -1;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    groupedTo = Math.max(groupedTo, ends.get(index) ?? -1);
    if (character === "\\") index++;
    else if ((character === "," || character === "\n") && index > groupedTo) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts.filter((part) => part !== "");
}

const BRACKET_START = /\[[!^]?\]?/uy;
const NAMED_CLASS = /\[:\w+:\]/uy;

/** The end of each brace and bracket that has one. Brackets hold neither slashes nor line breaks. */
function groupEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const braces: number[] = [];
  let bracket: number | undefined;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") index++;
    else if (character === "{") braces.push(index);
    else if (character === "}" && braces.length > 0) ends.set(braces.pop() as number, index);
    else if (character === "/" || character === "\n") bracket = undefined;
    else if (character === "[") {
      const inner = bracket === undefined ? BRACKET_START : NAMED_CLASS;
      bracket ??= index;
      inner.lastIndex = index;
      if (inner.test(text)) index = inner.lastIndex - 1;
    } else if (character === "]" && bracket !== undefined) {
      ends.set(bracket, index);
      bracket = undefined;
    }
  }
  return ends;
}
