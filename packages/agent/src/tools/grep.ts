// Grep: searches file contents.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { looksSecret } from "sotto/internal";
import { z } from "zod";
import { cutMiddle } from "./excerpt.ts";
import { absolute, displayPath, type FilePlace, isSecret, locate, SECRET_QUESTION } from "./files/access.ts";
import { createReadRules } from "./files/denied.ts";
import { findRipgrep, runRipgrep } from "./search/ripgrep.ts";
import {
  type FileHits,
  type GrepQuestion,
  runSearch,
  type SearchEnd,
  type SearchOptions,
  searchScope,
} from "./search/run-search.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const LIMIT_MS = 20_000;
const MOST_ENTRIES = 200;
const MOST_AROUND = 50;

export const MODES = ["content", "files_with_matches", "count"] as const;

const around = z.number().int().min(0).max(MOST_AROUND).optional();
const input = z.strictObject({
  pattern: z.string().min(1).max(2000).describe("A regular expression"),
  path: z.string().min(1).optional().describe("File or directory; default: the working directory"),
  glob: z.string().min(1).max(500).optional().describe("Only files that match, for example *.ts or src/**"),
  output_mode: z.enum(MODES).optional().describe("Default: files_with_matches"),
  "-A": around.describe("Lines shown after a match"),
  "-B": around.describe("Lines shown before a match"),
  "-C": around.describe("Lines shown around a match"),
  "-i": z.boolean().optional().describe("Ignore case"),
  "-n": z.boolean().optional().describe("Show line numbers; default: true"),
  multiline: z.boolean().optional().describe("A match may span lines"),
  head_limit: z.number().int().min(1).optional().describe("How many lines or files to show"),
});
type Input = z.infer<typeof input>;

export const grep = defineTool<Input>({
  name: "Grep",
  description:
    "Searches files with a regular expression. Returns the files with a match, the matching lines (output_mode content) or their number (count). Leaves out files ignored by Git, binary files, and files that look secret; if path names such a file, the user is asked.",
  input,
  kind: "read",
  title: ({ pattern, path, glob }) =>
    `Grep ${pattern}${glob ? ` in ${glob}` : ""}${path ? ` in ${path}` : ""}`,
  permission: ({ path }, { cwd }) =>
    path !== undefined && isSecret(absolute(path, cwd), cwd) ? SECRET_QUESTION : undefined,
  run: (given, context) => runGrep(given, context, findRipgrep()),
});

/** `ripgrep`: the path of the program, if installed. */
export async function runGrep(
  given: Input,
  context: ToolContext,
  ripgrep: string | undefined,
  limitMs = LIMIT_MS,
): Promise<ToolResult> {
  const place = await searchable(given.path ?? ".", context);
  const mode = given.output_mode ?? "files_with_matches";
  const most = Math.min(given.head_limit ?? MOST_ENTRIES, MOST_ENTRIES * 5);
  const isDenied = createReadRules(context);
  // A file named as the path has been allowed.
  const isLeftOut = (real: string) =>
    context.showsSecrets !== true &&
    real !== place.realPath &&
    (looksSecret(real) || looksSecret(named(place, real)));
  const found: FileHits[] = [];
  // List them whether they match or not: otherwise the note would reveal their content.
  const skipped = (await namesIn(place))
    .filter((name) => isLeftOut(join(place.realPath, name)) && !isDenied(join(place.path, name)))
    .map((name) => `${named(place, join(place.realPath, name))} (looks secret)`);
  let wrong: string | undefined;
  let entries = 0;
  const options: SearchOptions = {
    limitMs,
    signal: context.signal,
    hear(message) {
      if (message.kind === "wrong") wrong = message.problem;
      if (message.kind === "skipped") skipped.push(`${named(place, message.path)} (${message.why})`);
      if (message.kind !== "hits") return true;
      const path = named(place, message.hits.path);
      if (isDenied(path) || isLeftOut(message.hits.path)) return true;
      found.push({ ...message.hits, path });
      entries += mode === "content" ? message.hits.lines.length : 1;
      return entries <= most;
    },
  };
  const question = questionOf(given, mode);
  let end =
    ripgrep === undefined
      ? undefined
      : await runRipgrep({ program: ripgrep, root: place.realPath, question }, options);
  if (end === undefined) {
    // There is no ripgrep, or it died: what it found so far is found again.
    found.length = 0;
    entries = 0;
    end = await runSearch({ kind: "grep", ...searchScope(place, context), question }, options);
  }
  if (wrong !== undefined) throw new Error(`invalid pattern: ${wrong}`);
  const text = grepPage({
    found,
    mode,
    most,
    numbers: given["-n"] ?? true,
    name: (path) => displayPath(path, context.cwd),
    notes: notesOf(end, skipped, limitMs),
  });
  const paths = found.slice(0, most).map(({ path }) => path);
  return { text, summary: found.length === 1 ? "1 file" : `${found.length} files`, paths };
}

async function searchable(path: string, context: ToolContext): Promise<FilePlace> {
  const place = await locate(path, context);
  if (!place.exists) throw new Error(`${place.path} does not exist`);
  const stats = await lstat(place.realPath);
  if (!stats.isFile() && !stats.isDirectory())
    throw new Error(`${place.path} is neither a file nor a directory`);
  return place;
}

async function namesIn({ realPath }: FilePlace): Promise<string[]> {
  const entries = await readdir(realPath, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

function questionOf(given: Input, mode: (typeof MODES)[number]): GrepQuestion {
  const { pattern, glob, multiline = false } = given;
  const lines = mode === "content" ? (given["-C"] ?? 0) : 0;
  return {
    pattern,
    ignoreCase: given["-i"] ?? false,
    multiline,
    glob,
    before: mode === "content" ? (given["-B"] ?? lines) : 0,
    after: mode === "content" ? (given["-A"] ?? lines) : 0,
    firstOnly: mode === "files_with_matches",
  };
}

/** The path under the name the model gave, links not resolved. */
function named({ path, realPath }: FilePlace, found: string): string {
  return join(path, found.slice(realPath.length));
}

function notesOf(end: SearchEnd, skipped: string[], limitMs: number): string[] {
  const notes = skipped.length === 0 ? [] : [`Not searched: ${skipped.slice(0, 5).join(", ")}`];
  if (end === "too_long")
    notes.push(`Stopped after ${limitMs / 1000} s: narrow the path or simplify the pattern`);
  if (end === "too_much") notes.push("Stopped, out of memory: narrow the path");
  if (end === "enough") notes.push("There may be more matches: narrow the search");
  return notes;
}

// The result as text.

export interface GrepPage {
  found: readonly FileHits[];
  mode: (typeof MODES)[number];
  /** The most entries to show. */
  most: number;
  numbers: boolean;
  name(path: string): string;
  notes: readonly string[];
}

const MOST_CHARACTERS = 30_000;

export function grepPage(page: GrepPage): string {
  const entries =
    page.mode === "content" ? contentLines(page) : page.found.map((hits) => fileLine(page, hits));
  const notes = page.notes.map((note) => `[${note}.]`);
  const text = entries.length === 0 ? "No matches found." : entries.slice(0, page.most).join("\n");
  return [cutMiddle(text, MOST_CHARACTERS), ...notes].join("\n");
}

function fileLine({ mode, name }: GrepPage, { path, count }: FileHits): string {
  return mode === "count" ? `${name(path)}:${count}` : name(path);
}

/** Like grep: a colon for a match, a dash for context, two dashes between groups. */
function contentLines({ found, numbers, name }: GrepPage): string[] {
  const printed: string[] = [];
  for (const { path, lines } of found) {
    const hasSurroundings = lines.some(({ isMatch }) => !isMatch);
    let last: number | undefined;
    for (const { number, text, isMatch } of lines) {
      if (last !== undefined && number > last + 1 && hasSurroundings) printed.push("--");
      const mark = isMatch ? ":" : "-";
      printed.push(`${name(path)}${mark}${numbers ? `${number}${mark}` : ""}${text}`);
      last = number;
    }
  }
  return printed;
}
