// The lines of a diff, hunk after hunk, made only as far as someone asks for them.

import type { Comparison, Edit } from "./diff.ts";
import { cutLine } from "./diff-long-line.ts";
import { commonPrefix, lineText } from "./lines.ts";

/** `-` carries the number of the old text, `+` and ` ` that of the new one; `…` parts hunks. */
export interface Row {
  readonly sign: " " | "-" | "+" | "…";
  /** None where it stands for several lines that are left out. */
  readonly number?: number;
  readonly text: string;
  /** How many changed lines it tells of. */
  readonly count: number;
}

const LONGEST_LINE = 400;
// So that the numbers of most files stand under each other from one snippet to the next.
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
    // Line by line in the same number: each is shown where it differs from the one it became.
    const cut = (line: string, other: () => string) => {
      const around = line.length > LONGEST_LINE && removed === added ? commonPrefix(line, other()) : 0;
      return cutLine(line, LONGEST_LINE, around);
    };
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

/** Numbers stand to the right of a column as wide as the widest one shown. */
export function formatRows(rows: readonly Row[]): string[] {
  const width = rows.reduce((most, { number = 0 }) => Math.max(most, String(number).length), NARROWEST);
  return rows.map(({ sign, number = "", text }) =>
    sign === "…" ? "…" : `${String(number).padStart(width)} ${sign} ${text}`,
  );
}
