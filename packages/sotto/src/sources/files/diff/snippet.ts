// What changed in a file, as lines with their numbers, for someone who has read the old text: short whatever happened.

import { type Comparison, compare, type Edit } from "./diff.ts";
import { endingNotes, endingsOnly, otherEndings } from "./diff-endings.ts";
import { cutLine } from "./diff-long-line.ts";
import { changeRows, formatRows, type Row } from "./diff-rows.ts";
import { commonPrefix, countLines, lineText, MOST_LINES_COUNTED } from "./lines.ts";

export interface ChangeSnippet {
  snippet: string;
  /** Lines; where nothing was compared, all of them. */
  added: number;
  removed: number;
  kind: "same" | "edit" | "emptied" | "rewritten" | "too-large" | "one-line" | "line-endings";
}

const MOST_LINES = 60;
const CONTEXT = 3;
// Changed lines that are longer than this on average are minified code or data: shown as one place, not as lines.
const LONG_ON_AVERAGE = 1000;
const LONG_LINE_SHOWN = 200;

export interface SnippetOptions {
  maxLines?: number;
  /** How many of the first lines of the old text the reader knows: what changed behind them is left out. */
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
  // No line differs but in how it ends, in a way that has no name.
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

/** Those that begin within so many lines of the old text. */
function within(edits: readonly Edit[], most: number): readonly Edit[] {
  return edits.filter(({ beforeStart }) => beforeStart < most);
}

function hunks(compared: Comparison, maxLines: number): string[] {
  const all = take(changeRows(compared, { context: CONTEXT }), maxLines + 1);
  if (all.length <= maxLines) return formatRows(all);
  // Who read the old text knows what was removed: long removals make room for what is new.
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

/** Context of a hunk none of whose changes is shown says nothing. */
function withoutBareLead(rows: Row[]): Row[] {
  const gap = rows.findLastIndex(({ sign }) => sign === "…");
  const lead = rows.slice(gap + 1).every(({ sign }) => sign === " ");
  return lead ? rows.slice(0, Math.max(0, gap)) : rows;
}

/** A count of what is left, and the lines to read for it. */
function remaining({ after, edits }: Comparison, shown: readonly Row[]): string | undefined {
  const said = { added: 0, removed: 0 };
  for (const { sign, count } of shown) {
    if (sign === "+") said.added += count;
    if (sign === "-") said.removed += count;
  }
  const all = totals(edits);
  const added = all.added - said.added;
  const removed = all.removed - said.removed;
  if (added + removed === 0) return undefined;
  return `… ${counted(added, removed)}: read ${range(edits, said, after.total)}.`;
}

/** The lines of the new text from the first change that was not said to the last one. */
function range(edits: readonly Edit[], said: { added: number; removed: number }, total: number): string {
  let { added, removed } = said;
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
  const row = (sign: "-" | "+", line: number, text: string): Row => ({
    sign,
    number: line + 1,
    text: cutLine(text, LONG_LINE_SHOWN, at),
    count: 1,
  });
  const rows: Row[] = [];
  if (old !== undefined) rows.push(row("-", edit.beforeStart, old));
  if (now !== undefined) rows.push(row("+", edit.afterStart, now));
  const left = remaining(compared, rows);
  const told = [headline(edit, old, now, at), ...formatRows(rows)];
  return left === undefined ? told : [...told, left];
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
