// Which lines of a text were replaced by which, in a time that is bounded whatever the texts are.

import { matchLines } from "./diff-match.ts";
import { quickMatch } from "./diff-quick.ts";
import { differingParts, lineCount, lineText, lineWhole, type Part } from "./lines.ts";

/** The lines `beforeStart` up to `beforeEnd` became those from `afterStart` up to `afterEnd`; counted from 0, ends excluded. */
export interface Edit {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

export interface DiffOptions {
  /** Lines that differ in their ending alone count as equal. */
  ignoreEndings?: boolean;
  /** A text that kept next to nothing counts as rewritten once more lines changed than this. */
  rewrittenOver?: number;
}

/** `rewritten`: next to nothing is left of the old lines. `too-large`: not compared at all. */
export type Undiffed = "rewritten" | "too-large";

export interface Comparison {
  readonly before: Part;
  readonly after: Part;
  /** For each line of the one part its index in the other, or -1. */
  readonly matches: Int32Array;
  readonly edits: readonly Edit[];
}

// Of both texts together: what a slow machine does in 60 ms. Lines count from the first that differs to the last.
const MOST_LINES = 120_000;
const MOST_CHARACTERS = 24_000_000;
const REWRITTEN_OVER = 60;
// Of the lines of the shorter text: with fewer of them left a diff only tells that everything is new.
const KEPT_AT_LEAST = 0.1;
// With more of them left nobody needs to look at what they say.
const KEPT_ENOUGH = 0.8;

export function diffLines(before: string, after: string, options: DiffOptions = {}): Edit[] | Undiffed {
  const compared = compare(before, after, options);
  return typeof compared === "string" ? compared : [...compared.edits];
}

/** `context`: lines on either side of the differences that the parts shall hold as well. */
export function compare(
  before: string,
  after: string,
  options: DiffOptions & { context?: number } = {},
): Comparison | Undiffed {
  const { ignoreEndings = false, rewrittenOver = REWRITTEN_OVER, context = 0 } = options;
  if (before.length + after.length > MOST_CHARACTERS) return "too-large";
  const parts = differingParts(before, after, { context, most: MOST_LINES });
  if (parts === undefined) return "too-large";
  const [first, second] = parts;
  const matches = quickMatch(first, second, ignoreEndings) ?? fullMatch(first, second, ignoreEndings);
  const edits = editsOf(matches, first, second);
  const compared = { before: first, after: second, matches, edits };
  return changedLines(edits) > rewrittenOver && keptLittle(compared) ? "rewritten" : compared;
}

/** Gives every line a number, the same one to equal lines, and compares those. */
function fullMatch(before: Part, after: Part, ignoreEndings: boolean): Int32Array {
  const read = ignoreEndings ? lineText : lineWhole;
  const known = new Map<string, number>();
  const ids = new Int32Array(lineCount(before));
  const others = new Int32Array(lineCount(after));
  for (let index = 0; index < ids.length; index++) {
    const line = read(before, index);
    const id = known.get(line);
    if (id === undefined) known.set(line, known.size);
    ids[index] = id ?? known.size - 1;
  }
  for (let index = 0; index < others.length; index++) others[index] = known.get(read(after, index)) ?? -1;
  return matchLines(ids, others, known.size);
}

function editsOf(matches: Int32Array, before: Part, after: Part): Edit[] {
  const edits: Edit[] = [];
  let next = 0;
  let start = 0;
  const end = matches.length;
  for (let index = 0; index <= end; index++) {
    const match = index === end ? lineCount(after) : (matches[index] as number);
    if (match === -1) continue;
    if (index > start || match > next)
      edits.push({
        beforeStart: before.skipped + start,
        beforeEnd: before.skipped + index,
        afterStart: after.skipped + next,
        afterEnd: after.skipped + match,
      });
    start = index + 1;
    next = match + 1;
  }
  return edits;
}

function changedLines(edits: readonly Edit[]): number {
  return edits.reduce(
    (sum, edit) => sum + edit.beforeEnd - edit.beforeStart + edit.afterEnd - edit.afterStart,
    0,
  );
}

function keptLittle({ before, after, matches }: Comparison): boolean {
  const shorter = before.total < after.total ? before : after;
  const outside = before.total - lineCount(before);
  const kept = outside + matches.reduce((sum, match) => (match === -1 ? sum : sum + 1), 0);
  if (shorter.total === 0 || kept > shorter.total * KEPT_ENOUGH) return false;
  if (kept < shorter.total * KEPT_AT_LEAST) return true;
  // Blank lines and lone brackets are in every file: that they stayed says nothing.
  let telling = outside;
  for (let index = 0; index < matches.length; index++)
    if (matches[index] !== -1 && hasWords(lineText(before, index))) telling++;
  let all = outside;
  for (let index = 0; index < lineCount(shorter); index++) if (hasWords(lineText(shorter, index))) all++;
  return telling < all * KEPT_AT_LEAST;
}

function hasWords(line: string): boolean {
  return /[\p{L}\p{N}]/u.test(line);
}
