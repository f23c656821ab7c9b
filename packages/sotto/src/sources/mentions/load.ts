// Loads a mention: the content of a file or the names in a directory, bounded, or the reason why not.

import { errorText } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";
import { sha256 } from "../../platform/sha256.ts";
import { cutText } from "../cut-text.ts";
import {
  type FileStat,
  type ListedEntry,
  type ListOutcome,
  type ReadOutcome,
  specialWords,
} from "../files/read-outcome.ts";
import type { Reader } from "../files/reader.ts";
import {
  type Bytes,
  type FileContent,
  jobBytes,
  LOAD_LIMITS,
  type LoadLimits,
  type LoadTools,
  megabytes,
  type Shown,
} from "./content.ts";
import { isImage, loadImage } from "./image.ts";
import type { NotebookInput, NotebookText } from "./notebook-jobs.ts";
import type { PdfInput, PdfText } from "./pdf-jobs.ts";
import type { MentionedFile } from "./resolve.ts";
import { isSlow, retrySlowWork } from "./slow-work.ts";

export type Loaded =
  | {
      kind: "content";
      content: FileContent;
      /** It was cut to the limits. */
      truncated: boolean;
      /** Replaces the content, which is then empty. */
      note?: string;
      /** How the content differs from what was asked for. */
      remark?: string;
      realPath: string;
      stat: FileStat;
      /**
       * SHA-256, in hex: of the text as UTF-8, or of the bytes. Of a text that was not read to its end it is the
       * reader's.
       */
      hash: string;
      /** The whole file is shown, and it is small enough to follow its changes. */
      whole: boolean;
      /** All of a text that is small enough to follow its changes, also where only its first lines are shown. */
      text?: string;
    }
  /** To be read in parts: over the limits, or in need of a package that is not installed. */
  | { kind: "too-large"; why: string; slow?: true; realPath: string; stat: FileStat }
  /** Nothing to attach: the reason is for the trace. */
  | { kind: "refused"; why: string };

export type LoadedDirectory = { kind: "listing"; content: string } | { kind: "refused"; why: string };

export interface LoadOptions {
  reader: Reader;
  work(job: Job): Promise<unknown>;
  signal?: AbortSignal | undefined;
  patience?: AbortSignal | undefined;
  limits?: Partial<LoadLimits> | undefined;
}

type Text = Extract<ReadOutcome, { kind: "text" }>;
type Binary = Extract<ReadOutcome, { kind: "binary" }>;

// As much as the reader reads by default: changes after that are not seen.
const FOLLOWED_BYTES = 2 * 1024 * 1024;
const NOTEBOOK = /\.ipynb$/iu;
const SHOWN_NAMES = 1000;
const SHOWN_CHARACTERS = 40_000;
// To count how many are left out; of a larger directory the reader returns as many as it lists.
const COUNTED_NAMES = 10_000;
/** Characters that break a line or control a terminal. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

export async function loadFile(file: MentionedFile, options: LoadOptions): Promise<Loaded> {
  const { reader, work, signal, patience } = options;
  const tools: LoadTools = { work, patience, limits: { ...LOAD_LIMITS, ...options.limits } };
  const isNotebook = NOTEBOOK.test(file.path) && rangeOf(file) === undefined;
  const maxBytes = isNotebook ? tools.limits.notebookBytes : FOLLOWED_BYTES;
  const found = await reader.read(file.path, { raw: true, signal, maxBytes });
  if (found.kind !== "text" && found.kind !== "binary")
    return { kind: "refused", why: refusal(file.path, found) };
  const shown =
    found.kind === "binary"
      ? await showBinary(file, found, tools)
      : ((isNotebook ? await showNotebook(file, found, tools) : undefined) ??
        showText(file, found, tools.limits));
  if (shown.kind === "refused") return shown;
  const { realPath, stat } = found;
  if (shown.kind === "too-large") return { ...shown, realPath, stat };
  const isFollowed = rangeOf(file) === undefined && stat.size <= FOLLOWED_BYTES;
  const isText = found.kind === "text" && !found.truncated && shown.content.type === "text";
  const text = isFollowed && isText ? { text: found.text } : {};
  return { ...shown, realPath, stat, hash: hashOf(found), whole: isFollowed && !shown.truncated, ...text };
}

export async function loadDirectory(
  path: string,
  { reader, signal }: { reader: Reader; signal?: AbortSignal | undefined },
): Promise<LoadedDirectory> {
  const found = await reader.list(path, { signal, limit: COUNTED_NAMES });
  if (found.kind !== "directory") return { kind: "refused", why: refusal(path, found) };
  const { entries, hidden, truncated } = found;
  const lines: string[] = [];
  let characters = 0;
  for (const entry of entries.slice(0, SHOWN_NAMES)) {
    const line = lineOf(entry);
    characters += line.length + 1;
    if (characters > SHOWN_CHARACTERS) break;
    lines.push(line);
  }
  const left = entries.length - lines.length;
  if (truncated) lines.push(left > 0 ? `… and at least ${left} more` : "… and more");
  else if (left > 0) lines.push(`… and ${left} more`);
  if (hidden > 0) lines.push(`(${hidden} not shown: ${hidden === 1 ? "it" : "they"} may not be read here)`);
  return { kind: "listing", content: lines.join("\n") };
}

async function showBinary(file: MentionedFile, found: Binary, tools: LoadTools): Promise<Shown> {
  const { path } = file;
  const { mediaType, bytes, hash, stat } = found;
  if (mediaType === undefined) return { kind: "refused", why: `${path} is a binary file` };
  if (bytes === undefined)
    return {
      kind: "too-large",
      why: `${path} has ${megabytes(stat.size)}, more than is read of an image or a PDF`,
    };
  const shown = isImage(mediaType)
    ? await loadImage({ path, bytes, hash, mediaType }, tools)
    : await loadPdf({ path, bytes, hash }, tools);
  if (shown.kind !== "content" || rangeOf(file) === undefined) return shown;
  const remark = "It has no lines, so the range was left aside.";
  return { ...shown, remark: shown.remark === undefined ? remark : `${remark} ${shown.remark}` };
}

async function showNotebook(file: MentionedFile, found: Text, tools: LoadTools): Promise<Shown | undefined> {
  const { path } = file;
  // A part of it cannot be parsed.
  if (found.truncated) return undefined;
  const shown = await loadNotebook({ path, text: found.text, hash: found.hash }, tools);
  if (!("problem" in shown)) return shown;
  const remark = `It is shown as text, as it cannot be read as a notebook: ${shown.problem}`;
  return { ...showText(file, found, tools.limits), remark };
}

function hashOf(found: Text | Binary): string {
  if (found.kind === "binary" || found.truncated || found.encoding === "unknown") return found.hash;
  if (found.encoding === "utf-8" && !found.bom) return found.hash;
  // Loaded on first use, to keep importing the library fast.
  return sha256(found.text);
}

function lineOf({ name, kind }: ListedEntry): string {
  const line = kind === "directory" ? `${name}/` : name;
  return line.search(CONTROL) === -1 ? line : JSON.stringify(line).replace(CONTROL, escaped);
}

/** JSON does not escape some of them. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// A mentioned text file: all of it, the lines of a range, or what is wrong with the range.

export function showText(
  file: MentionedFile,
  found: { text: string; truncated: boolean },
  limits: LoadLimits,
): Shown & { kind: "content" } {
  const { text, truncated: goesOn } = found;
  const range = rangeOf(file);
  const totalLines = countLines(text);
  const startLine = Math.max(1, range?.first ?? 1);
  const about = { type: "text" as const, filePath: file.path, startLine, totalLines };
  const note = range === undefined ? undefined : rangeProblem(file, range, { totalLines, goesOn });
  if (note !== undefined)
    return { kind: "content", content: { ...about, content: "", numLines: 0 }, truncated: false, note };
  const { truncated, ...lines } = showLines(text, range, limits);
  const endsHere = range !== undefined && range.last < totalLines;
  return { kind: "content", content: { ...about, ...lines }, truncated: truncated || (goesOn && !endsHere) };
}

export function rangeOf({ lineStart, lineEnd = lineStart, note }: MentionedFile): LineRange | undefined {
  if (lineStart === undefined || lineEnd === undefined)
    return note === undefined ? undefined : { first: 1, last: 1 };
  return { first: lineStart, last: lineEnd };
}

/** Replaces the lines. */
function rangeProblem(
  { note }: MentionedFile,
  { first, last }: LineRange,
  { totalLines, goesOn }: { totalLines: number; goesOn: boolean },
): string | undefined {
  const lines = totalLines === 1 ? "1 line" : `${totalLines} lines`;
  const has = goesOn ? `Of this large file the first ${lines} can be shown.` : `The file has ${lines}.`;
  if (note !== undefined) return `${note} ${has}`;
  if (first <= totalLines) return undefined;
  return first === last
    ? `There is no line ${first} to show. ${has}`
    : `There are no lines ${first}-${last} to show. ${has}`;
}

// The lines of a text that are shown: all of them or a range, up to the limits.

export interface LineRange {
  /** From 1. */
  first: number;
  /** Included; may be past the end. */
  last: number;
}

export interface ShownLines {
  content: string;
  numLines: number;
  truncated: boolean;
}

type TextLimits = Pick<LoadLimits, "lines" | "characters">;

const NEWLINE = 10;

export function showLines(text: string, range: LineRange | undefined, limits: TextLimits): ShownLines {
  const wanted = range === undefined ? text : linesBetween(text, range);
  // One more character shows that there is more; otherwise cutting would count all lines.
  const { text: shown, truncated } = cutText(wanted.slice(0, limits.characters + 1), {
    maxLines: limits.lines,
    maxCharacters: limits.characters,
  });
  // A slice would keep the whole text in memory.
  const content = shown.length < text.length ? Buffer.from(shown, "utf16le").toString("utf16le") : shown;
  return { content, numLines: countLines(content), truncated };
}

/** A line break at the end does not begin another line. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === NEWLINE) lines++;
  return text.length === 0 || text.charCodeAt(text.length - 1) === NEWLINE ? lines : lines + 1;
}

export function firstLines(text: string, lines: number): string {
  return text.slice(0, lineStart(text, { from: 0, lines }));
}

function linesBetween(text: string, { first, last }: LineRange): string {
  const start = lineStart(text, { from: 0, lines: first - 1 });
  return text.slice(start, lineStart(text, { from: start, lines: last - first + 1 }));
}

/** Where the line begins that is `lines` lines further on. */
function lineStart(text: string, { from, lines }: { from: number; lines: number }): number {
  let at = from;
  for (let left = lines; left > 0 && at < text.length; at++) if (text.charCodeAt(at) === NEWLINE) left--;
  return at;
}

// Why a mentioned place is not shown, for the trace.

type Refused = Exclude<ReadOutcome | ListOutcome, { kind: "text" | "binary" }>;

export function refusal(path: string, found: Refused): string {
  switch (found.kind) {
    case "missing":
      return `there is nothing at ${path}`;
    case "denied":
      return `${path} may not be read: ${found.rule}`;
    case "special":
      return `${path} is neither a regular file nor a directory but ${specialWords(found.what)}`;
    case "unreadable":
      return `${path} cannot be read: ${found.why}`;
    case "secret":
      return `${path} may contain secrets`;
    case "directory":
      return `${path} is a directory`;
    case "file":
      return `${path} is not a directory`;
  }
}

// A mentioned PDF: the text of its first pages, read in a worker.

// The share of a job's time for pages: a long document is shown in part rather than not at all.
const TIME_FOR_PAGES = 0.6;

export async function loadPdf(file: Bytes, tools: LoadTools): Promise<Shown> {
  const { path } = file;
  const { pages, lines, characters, pdfMs } = tools.limits;
  const job = (limitMs: number) => {
    const stopMs = limitMs * TIME_FOR_PAGES;
    const input: PdfInput = { ...jobBytes(file), pages, lines, characters, stopMs };
    return { module: PDF_JOBS, name: "readPdf", input, about: `reading ${path}` };
  };
  try {
    const answer = await retrySlowWork<PdfText>(pdfMs, job, tools);
    if ("missing" in answer)
      return { kind: "too-large", why: `reading ${path} needs the package unpdf: ${answer.missing}` };
    if ("problem" in answer)
      return { kind: "refused", why: `${path} cannot be shown: ${errorText(answer.problem)}` };
    const { truncated, ...content } = answer;
    const isBlank = !content.pages.some(({ text }) => text.trim() !== "");
    return {
      kind: "content",
      content: { type: "pdf", ...content },
      truncated,
      ...(isBlank && { note: "Its pages have no text: they may be pictures." }),
    };
  } catch (error) {
    return { kind: "too-large", why: errorText(error), ...(isSlow(error) ? { slow: true } : {}) };
  }
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const PDF_JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./pdf-jobs.ts" : "./mention-pdf-jobs.js",
  import.meta.url,
).href;

// A mentioned notebook: its cells with their textual output, parsed in a worker.

export interface NotebookFile {
  path: string;
  text: string;
  hash: string;
}

/** The problem if it is not a notebook: then it is shown as text. */
export async function loadNotebook(
  { path, text, hash }: NotebookFile,
  tools: LoadTools,
): Promise<Shown | { problem: string }> {
  const { lines, characters, notebookMs } = tools.limits;
  const input: NotebookInput = { ...jobBytes({ bytes: Buffer.from(text), hash }), lines, characters };
  try {
    const job = { module: NOTEBOOK_JOBS, name: "readNotebook", input, about: `reading the notebook ${path}` };
    const answer = await retrySlowWork<NotebookText>(notebookMs, () => job, tools);
    if ("problem" in answer) return { problem: errorText(answer.problem) };
    const { cells, truncated } = answer;
    return { kind: "content", content: { type: "notebook", cells }, truncated };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

// In the source tree a TypeScript file next to this one; in a bundle an entry.
const NOTEBOOK_JOBS = new URL(
  import.meta.url.endsWith(".ts") ? "./notebook-jobs.ts" : "./mention-notebook-jobs.js",
  import.meta.url,
).href;
