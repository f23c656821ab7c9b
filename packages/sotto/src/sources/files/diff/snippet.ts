// What changed in a file, as numbered lines for a reader of the old text, always short.

import { clean } from "../../../render/neutralise/clean.ts";
import { type Comparison, compare, type Edit } from "./diff.ts";
import { commonPrefix, countLines, lineEnding, lineText, MOST_LINES_COUNTED } from "./lines.ts";

export interface ChangeSnippet {
  snippet: string;
  /** Numbers of lines; all of them if nothing was compared. */
  added: number;
  removed: number;
  kind: "same" | "edit" | "emptied" | "rewritten" | "too-large" | "one-line" | "line-endings";
}

const MOST_LINES = 60;
const CONTEXT = 3;
// Longer changed lines on average are minified code or data: shown as one place, not as lines.
const LONG_ON_AVERAGE = 1000;
const LONG_LINE_SHOWN = 200;

export interface SnippetOptions {
  maxLines?: number;
  /** How many of the first lines of the old text the reader knows: changes after them are left out. */
  shownLines?: number | undefined;
}

export function changeSnippet(
  before: string,
  after: string,
  { maxLines = MOST_LINES, shownLines = Number.POSITIVE_INFINITY }: SnippetOptions = {},
): ChangeSnippet {
  if (before === after) return { snippet: "", added: 0, removed: 0, kind: "same" };
  const endings = endingsOnly(before, after);
  if (endings !== undefined) return { snippet: endings, added: 0, removed: 0, kind: "line-endings" };
  if (after === "") {
    const snippet = `The file is empty now; it had ${lines(countLines(before))}.`;
    return { snippet, added: 0, removed: countLines(before), kind: "emptied" };
  }
  const whole = compare(before, after, {
    ignoreEndings: true,
    rewrittenOver: maxLines,
    context: CONTEXT,
  });
  // Only line ends differ, in a way that has no name.
  if (typeof whole !== "string" && whole.edits.length === 0)
    return { snippet: otherEndings(before, after), added: 0, removed: 0, kind: "line-endings" };
  const compared =
    typeof whole === "string" ? whole : { ...whole, edits: within(whole.edits, shownLines + CONTEXT) };
  if (typeof compared === "string") {
    const [removed, added] = [countLines(before), countLines(after)];
    const what =
      compared === "rewritten"
        ? "The file was rewritten: next to nothing of the old text is left."
        : "The file changed and is too large to compare line by line.";
    const snippet = `${what} It had ${lines(removed)} and has ${lines(added)} now.`;
    return { snippet, added, removed, kind: compared };
  }
  const { added, removed } = totals(compared.edits);
  const long = longLines(compared, added + removed);
  const body = long ?? hunks(compared, maxLines);
  const snippet = [...body, ...endingNotes(compared)].join("\n");
  return { snippet, added, removed, kind: long === undefined ? "edit" : "one-line" };
}

/** Edits that begin within so many lines of the old text. */
function within(edits: readonly Edit[], most: number): readonly Edit[] {
  return edits.filter(({ beforeStart }) => beforeStart < most);
}

function hunks(compared: Comparison, maxLines: number): string[] {
  const all = take(changeRows(compared, { context: CONTEXT }), maxLines + 1);
  if (all.length <= maxLines) return formatRows(all);
  // The reader knows what was removed: long removals are shortened for what is new.
  const mostRemoved = Math.max(4, maxLines >> 2);
  const rows = changeRows(compared, { context: CONTEXT, mostRemoved });
  const shown = withoutBareLead(take(rows, maxLines));
  const left = remaining(compared, shown);
  return left === undefined ? formatRows(shown) : [...formatRows(shown), left];
}

function take(rows: Iterator<Row>, most: number): Row[] {
  const taken: Row[] = [];
  while (taken.length < most) {
    const { value, done } = rows.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

/** Drops the context of a hunk if none of its changes is shown. */
function withoutBareLead(rows: Row[]): Row[] {
  const gap = rows.findLastIndex(({ sign }) => sign === "…");
  const lead = rows.slice(gap + 1).every(({ sign }) => sign === " ");
  return lead ? rows.slice(0, Math.max(0, gap)) : rows;
}

/** How much is left, and which lines to read for it. */
function remaining({ after, edits }: Comparison, shown: readonly Row[]): string | undefined {
  const shownLines = { added: 0, removed: 0 };
  for (const { sign, count } of shown) {
    if (sign === "+") shownLines.added += count;
    if (sign === "-") shownLines.removed += count;
  }
  const all = totals(edits);
  const added = all.added - shownLines.added;
  const removed = all.removed - shownLines.removed;
  if (added + removed === 0) return undefined;
  return `… ${counted(added, removed)}: read ${range(edits, shownLines, after.total)}.`;
}

/** The lines of the new text from the first change that was not shown to the last one. */
function range(
  edits: readonly Edit[],
  shownLines: { added: number; removed: number },
  total: number,
): string {
  let { added, removed } = shownLines;
  let first = total;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of edits) {
    if (beforeEnd - beforeStart > removed || afterEnd - afterStart > added) {
      first = afterStart + added;
      break;
    }
    removed -= beforeEnd - beforeStart;
    added -= afterEnd - afterStart;
  }
  const start = Math.min(first + 1, total);
  const end = Math.max(start, edits.at(-1)?.afterEnd ?? start);
  return start === end ? `line ${start}` : `lines ${start}-${end}`;
}

function longLines(compared: Comparison, changed: number): string[] | undefined {
  const { before, after, edits } = compared;
  let characters = 0;
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of edits) {
    characters += offset(before, beforeEnd) - offset(before, beforeStart);
    characters += offset(after, afterEnd) - offset(after, afterStart);
  }
  const [edit] = edits;
  if (edit === undefined || characters < changed * LONG_ON_AVERAGE) return undefined;
  const old =
    edit.beforeEnd > edit.beforeStart ? lineText(before, edit.beforeStart - before.skipped) : undefined;
  const now = edit.afterEnd > edit.afterStart ? lineText(after, edit.afterStart - after.skipped) : undefined;
  const at = commonPrefix(old ?? "", now ?? "");
  const row = (sign: "-" | "+", line: number, text: string, other = ""): Row => ({
    sign,
    number: line + 1,
    text: cutBeside(text, other, LONG_LINE_SHOWN),
    count: 1,
  });
  const rows: Row[] = [];
  if (old !== undefined) rows.push(row("-", edit.beforeStart, old, now));
  if (now !== undefined) rows.push(row("+", edit.afterStart, now, old));
  const left = remaining(compared, rows);
  const lines = [headline(edit, old, now, at), ...formatRows(rows)];
  return left === undefined ? lines : [...lines, left];
}

function headline(edit: Edit, old: string | undefined, now: string | undefined, at: number): string {
  if (now === undefined) return `A very long line was removed (${old?.length} characters):`;
  if (old === undefined)
    return `Line ${edit.afterStart + 1} is new and very long (${now.length} characters):`;
  return `Line ${edit.afterStart + 1} is very long (${old.length} characters before, ${now.length} now) and differs from character ${at + 1} on:`;
}

function offset({ starts, skipped }: Comparison["before"], line: number): number {
  return starts[line - skipped] ?? 0;
}

function totals(edits: readonly Edit[]): { added: number; removed: number } {
  let [added, removed] = [0, 0];
  for (const edit of edits) {
    added += edit.afterEnd - edit.afterStart;
    removed += edit.beforeEnd - edit.beforeStart;
  }
  return { added, removed };
}

function counted(added: number, removed: number): string {
  const count = added + removed;
  if (added > 0 && removed > 0) return `${count} more changed lines (${added} added, ${removed} removed)`;
  return `${count} more ${added > 0 ? "added" : "removed"} ${count === 1 ? "line" : "lines"}`;
}

function lines(count: number): string {
  if (count >= MOST_LINES_COUNTED) return `${MOST_LINES_COUNTED} lines or more`;
  return count === 1 ? "1 line" : `${count} lines`;
}

// The lines of a diff, hunk after hunk, generated on demand.

/** `-` has the line number in the old text, `+` and ` ` the one in the new text; `…` separates hunks. */
export interface Row {
  readonly sign: " " | "-" | "+" | "…";
  /** Absent if it stands for several lines that are left out. */
  readonly number?: number;
  readonly text: string;
  /** How many changed lines it stands for. */
  readonly count: number;
}

const LONGEST_LINE = 400;
// So that line numbers are aligned from one snippet to the next for most files.
const NARROWEST = 4;

/** `mostRemoved`: of a longer run of removed lines only the first ones are shown, and how many there are. */
export function* changeRows(
  { before, after, edits }: Comparison,
  { context, mostRemoved = Number.POSITIVE_INFINITY }: { context: number; mostRemoved?: number },
): Generator<Row, undefined> {
  const end = after.skipped + after.starts.length - 1;
  const kept = function* (from: number, to: number): Generator<Row, undefined> {
    for (let line = from; line < to; line++) {
      const text = cutLine(lineText(after, line - after.skipped), LONGEST_LINE);
      yield { sign: " ", number: line + 1, text, count: 0 };
    }
  };
  let next = after.skipped;
  for (const [index, edit] of edits.entries()) {
    const gap = edit.afterStart - next;
    if (index > 0 && gap > 2 * context) {
      yield* kept(next, next + context);
      yield { sign: "…", text: "", count: 0 };
      next = edit.afterStart - context;
    }
    yield* kept(index === 0 ? Math.max(next, edit.afterStart - context) : next, edit.afterStart);
    yield* changed(edit);
    next = edit.afterEnd;
  }
  yield* kept(next, Math.min(end, next + context));

  function* changed(edit: Edit): Generator<Row, undefined> {
    const removed = edit.beforeEnd - edit.beforeStart;
    const added = edit.afterEnd - edit.afterStart;
    const old = (index: number) => lineText(before, edit.beforeStart - before.skipped + index);
    const now = (index: number) => lineText(after, edit.afterStart - after.skipped + index);
    // If the number of lines is the same, each is shown around the place where it differs from the line it became.
    const cut = (line: string, other: () => string) =>
      removed === added ? cutBeside(line, other(), LONGEST_LINE) : cutLine(line, LONGEST_LINE);
    const shown = removed <= mostRemoved ? removed : mostRemoved - 1;
    for (let index = 0; index < shown; index++) {
      const text = cut(old(index), () => now(index));
      yield { sign: "-", number: edit.beforeStart + index + 1, text, count: 1 };
    }
    const left = removed - shown;
    if (left > 0) yield { sign: "-", text: `… ${left} more removed lines`, count: left };
    for (let index = 0; index < added; index++) {
      const text = cut(now(index), () => old(index));
      yield { sign: "+", number: edit.afterStart + index + 1, text, count: 1 };
    }
  }
}

/** Numbers are right-aligned in a column as wide as the widest one. */
export function formatRows(rows: readonly Row[]): string[] {
  const width = rows.reduce((most, { number = 0 }) => Math.max(most, String(number).length), NARROWEST);
  return rows.map(({ sign, number = "", text }) =>
    // One before the end of the line would count as part of it.
    sign === "…" ? "…" : `${String(number).padStart(width)} ${sign} ${text.replaceAll("\r", "␍")}`,
  );
}

// Changes of line endings in words: as lines of a diff they would be invisible.

/** A sentence if two different texts differ only in their line endings. */
export function endingsOnly(before: string, after: string): string | undefined {
  const changed = changedEndings(before, after);
  if (changed === undefined) return undefined;
  const last = lastNewline(before, after);
  if (changed === 0) return last === undefined ? undefined : `Only the ${last}`;
  const lines = Math.max(countLines(before), countLines(after));
  const where = changed === lines ? "" : ` on ${changed} of ${lines} lines`;
  const sentence = otherEndings(before, after, where);
  return last === undefined ? sentence : `${sentence} The ${last}`;
}

export function otherEndings(before: string, after: string, where = ""): string {
  return `Only line endings changed${where}: ${style(before)} before, ${style(after)} now.`;
}

/** What to add about line endings to a diff that ignores them. */
export function endingNotes({ before, after, matches }: Comparison): string[] {
  const notes: string[] = [];
  let changed = 0;
  if (before.text.includes("\r") || after.text.includes("\r"))
    for (const [index, match] of matches.entries())
      if (match !== -1 && differ(lineEnding(before, index), lineEnding(after, match))) changed++;
  if (changed > 0) {
    const lines = changed === 1 ? "1 more line" : `${changed} more lines`;
    notes.push(`Line endings changed on ${lines}: ${style(before.text)} before, ${style(after.text)} now.`);
  }
  const last = before.text === "" ? undefined : lastNewline(before.text, after.text);
  return last === undefined ? notes : [...notes, `The ${last}`];
}

function lastNewline(before: string, after: string): string | undefined {
  const [had, has] = [/[\r\n]$/.test(before), /[\r\n]$/.test(after)];
  return had === has ? undefined : `newline at the end of the file was ${has ? "added" : "removed"}.`;
}

/** How many lines have another ending; undefined if more than endings differ. */
function changedEndings(before: string, after: string): number | undefined {
  if (before === "" || after === "") return undefined;
  const [oldBreak, newBreak] = [lineBreak(before), lineBreak(after)];
  let old = commonPrefix(before, after);
  old = old === 0 ? 0 : before.lastIndexOf(oldBreak, old - 1) + 1;
  let now = old;
  let changed = 0;
  while (old < before.length && now < after.length) {
    const [oldEnd, oldNext] = lineAt(before, old, oldBreak);
    const [newEnd, newNext] = lineAt(after, now, newBreak);
    if (oldEnd - old !== newEnd - now || before.slice(old, oldEnd) !== after.slice(now, newEnd))
      return undefined;
    if (differ(before.slice(oldEnd, oldNext), after.slice(newEnd, newNext))) changed++;
    [old, now] = [oldNext, newNext];
  }
  return old === before.length && now === after.length ? changed : undefined;
}

// A missing newline at the end is reported separately.
function differ(first: string, second: string): boolean {
  return first !== second && first !== "" && second !== "";
}

// Files of old Macs have only carriage returns.
function lineBreak(text: string): string {
  return text.includes("\n") ? "\n" : "\r";
}

/** Where the text of the line ends, and where the next line starts. */
function lineAt(text: string, start: number, mark: string): [number, number] {
  const found = text.indexOf(mark, start);
  if (found === -1) return [text.length, text.length];
  const twoMarks = mark === "\n" && found > start && text.charAt(found - 1) === "\r";
  return [twoMarks ? found - 1 : found, found + 1];
}

function style(text: string): string {
  const lines = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  if (lines === 0) return text.includes("\r") ? "CR" : "none";
  return both === 0 ? "LF" : both === lines ? "CRLF" : "mixed";
}

// Shortens lines that are too long to show, such as minified ones, around the place where two of them differ.

// How much of a line is shown before the place where it differs.
const LEAD = 80;

/** At most `most` characters of the line, from a bit before `around` on; `…` stands for what is left out. */
export function cutLine(line: string, most: number, around = 0): string {
  if (line.length <= most) return line;
  const start = whole(line, Math.max(0, Math.min(around - LEAD, line.length - most)));
  const end = whole(line, start + most);
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

/** The same for a line beside the one it became: if both would look the same, with signs for what is not shown. */
function cutBeside(line: string, other: string, most: number): string {
  const around = Math.max(line.length, other.length) > most ? commonPrefix(line, other) : 0;
  const [text, beside] = [cutLine(line, most, around), cutLine(other, most, around)];
  return text !== beside && clean(text) === clean(beside) ? text.replace(UNSEEN, signOf) : text;
}

const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\u{e0000}-\u{e007f}]/gu;
const PICTURES = 0x2400;
const DELETE = 0x7f;

function signOf(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === DELETE ? "␡" : `[U+${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

// Does not split a surrogate pair.
function whole(line: string, position: number): number {
  const code = line.charCodeAt(position);
  return position > 0 && code >= 0xdc00 && code <= 0xdfff ? position - 1 : position;
}

// A worker's job: compares large texts.

interface Texts extends SnippetOptions {
  before: string;
  after: string;
}

export function compareTexts({ before, after, ...options }: Texts): ChangeSnippet {
  return changeSnippet(before, after, options);
}
