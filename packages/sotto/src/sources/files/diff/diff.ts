// Which lines of a text were replaced by which, in bounded time for any two texts.

import { differingParts, equalFrom, lineCount, lineText, lineWhole, type Part } from "./lines.ts";
import { type Box, createMyers, createTables, type Reach, type Tables } from "./myers.ts";

/** The lines `beforeStart` up to `beforeEnd` became those from `afterStart` up to `afterEnd`; from 0, ends excluded. */
export interface Edit {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

export interface DiffOptions {
  /** Lines that differ only in their ending count as equal. */
  ignoreEndings?: boolean;
  /** A text that kept almost nothing counts as rewritten if more lines than this changed. */
  rewrittenOver?: number;
}

/** `rewritten`: almost none of the old lines are left. `too-large`: not compared. */
export type Undiffed = "rewritten" | "too-large";

export interface Comparison {
  readonly before: Part;
  readonly after: Part;
  /** For each line of one part its index in the other, or -1. */
  readonly matches: Int32Array;
  readonly edits: readonly Edit[];
}

// Of both texts together: what a slow machine compares in 60 ms. Counted from the first line that differs to the
// last.
const MOST_LINES = 120_000;
const MOST_CHARACTERS = 24_000_000;
const REWRITTEN_OVER = 60;
// Of the shorter text's lines: with fewer left, a diff only says that everything is new.
const KEPT_AT_LEAST = 0.1;
// With more left, what the lines say does not matter.
const KEPT_ENOUGH = 0.8;

export function diffLines(before: string, after: string, options: DiffOptions = {}): Edit[] | Undiffed {
  const compared = compare(before, after, options);
  return typeof compared === "string" ? compared : [...compared.edits];
}

/** `context`: lines around the differences that the parts must include. */
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

/** Numbers the lines, equal ones alike, and compares the numbers. */
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
  // Blank lines and lone brackets are in every file: they do not show that something was kept.
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

// Finds a few edits without looking at every line: equal stretches are skipped at memory speed.

// Twenty replaced lines. Beyond that it is faster to number all lines first.
const MOST_DIFFERENCES = 40;
// Comparing very long lines again and again is slow: those go to the other algorithm, unless they are few.
const LONGEST_ON_AVERAGE = 1000;
const FEW = 8;

/** For each line of one part its index in the other, or -1; undefined if there are more than a few differences. */
export function quickMatch(before: Part, after: Part, ignoreEndings: boolean): Int32Array | undefined {
  const [n, m] = [lineCount(before), lineCount(after)];
  const characters = length(before) + length(after);
  if (n + m > FEW && characters > (n + m) * LONGEST_ON_AVERAGE) return undefined;
  const matches = new Int32Array(n).fill(-1);
  const reach = (aStart: number, bStart: number, aEnd: number, bEnd: number) => {
    let [x, y] = [aStart, bStart];
    while (x < aEnd && y < bEnd) {
      const equal = equalLines(before, after, x, y, aEnd, bEnd);
      x += equal;
      y += equal;
      if (!ignoreEndings || x >= aEnd || y >= bEnd || lineText(before, x) !== lineText(after, y)) break;
      x++;
      y++;
    }
    return x;
  };
  const myers = createMyers(reach, (a, b) => {
    matches[a] = b;
  });
  const whole = { aStart: 0, aEnd: n, bStart: 0, bEnd: m };
  const limits = { steps: 4 * (n + m) + 2000, differences: MOST_DIFFERENCES };
  return myers.exact(whole, limits) ? matches : undefined;
}

/** How many lines from these two on are equal, including their endings. */
function equalLines(before: Part, after: Part, x: number, y: number, aEnd: number, bEnd: number): number {
  const [ours, theirs] = [before.starts, after.starts];
  const here = ours[x] as number;
  const there = theirs[y] as number;
  if ((ours[x + 1] as number) - here !== (theirs[y + 1] as number) - there) return 0;
  const limit = Math.min((ours[aEnd] as number) - here, (theirs[bEnd] as number) - there);
  const equal = equalFrom(before.text, here, after.text, there, limit);
  // At the end of one text, a line may go on in the other.
  return Math.min(linesUpTo(ours, x, aEnd, here + equal), linesUpTo(theirs, y, bEnd, there + equal));
}

/** How many whole lines are between the start of a line and an offset. */
function linesUpTo(starts: readonly number[], line: number, end: number, offset: number): number {
  let low = line;
  let high = end;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low - line;
}

function length({ starts }: Part): number {
  return (starts.at(-1) as number) - (starts[0] as number);
}

// Which lines of one sequence stay in the other: exact if that is cheap, otherwise approximate in linear time.

// Steps for the exact answer before the sequences are split: a few milliseconds.
const EXACT_STEPS = 600_000;
// After that, the steps for each line of a part, so that the whole stays linear.
const STEPS_A_LINE = 6;
// Smaller parts are cheaper to compare than to split.
const SMALL = 48;

type Keep = (a: number, b: number) => void;

interface Pair {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly keep: Keep;
}

/** For each entry of `before` its index in `after`, or -1. Ids count from 0, equal ones are equal lines; -1 equals nothing. */
export function matchLines(before: Int32Array, after: Int32Array, ids: number): Int32Array {
  const matches = new Int32Array(before.length).fill(-1);
  const keep: Keep = (a, b) => {
    matches[a] = b;
  };
  const pair = { a: before, b: after, keep };
  const differing = trim(pair, whole(pair));
  if (isEmpty(differing)) return matches;
  const tables = createTables(ids);
  const shared = sharedOf(pair, differing, tables);
  if (!isEmpty(whole(shared))) solve(shared, tables);
  return matches;
}

/** Drops lines that the other side does not have: the rest is a much smaller problem. */
function sharedOf({ a, b, keep }: Pair, box: Box, tables: Tables): Pair {
  const { aPlaces, bPlaces } = tables.shared(a, b, box);
  return {
    a: aPlaces.map((place) => a[place] as number),
    b: bPlaces.map((place) => b[place] as number),
    keep: (first, second) => keep(aPlaces[first] as number, bPlaces[second] as number),
  };
}

function solve(pair: Pair, tables: Tables): void {
  const { a, b, keep } = pair;
  const myers = createMyers(reachOf(pair), keep);
  if (myers.exact(whole(pair), { steps: EXACT_STEPS })) return;
  let aStart = 0;
  let bStart = 0;
  for (const [aEnd, bEnd] of [...tables.anchors(a, b), [a.length, b.length] as const]) {
    const part = trim(pair, { aStart, aEnd, bStart, bEnd });
    if (!isEmpty(part) && !(size(part) <= SMALL && myers.exact(part, { steps: STEPS_A_LINE * size(part) })))
      approach(sharedOf(pair, part, tables));
    if (aEnd < a.length) keep(aEnd, bEnd);
    aStart = aEnd + 1;
    bStart = bEnd + 1;
  }
}

function approach(pair: Pair): void {
  const all = whole(pair);
  const myers = createMyers(reachOf(pair), pair.keep);
  if (!isEmpty(all) && !myers.exact(all, { steps: STEPS_A_LINE * size(all) })) myers.close(all);
}

function reachOf({ a, b }: Pair): Reach {
  return (aStart, bStart, aEnd, bEnd) => {
    let x = aStart;
    for (let y = bStart; x < aEnd && y < bEnd && a[x] === b[y]; y++) x++;
    return x;
  };
}

function whole({ a, b }: Pair): Box {
  return { aStart: 0, aEnd: a.length, bStart: 0, bEnd: b.length };
}

function size({ aStart, aEnd, bStart, bEnd }: Box): number {
  return aEnd - aStart + bEnd - bStart;
}

function isEmpty({ aStart, aEnd, bStart, bEnd }: Box): boolean {
  return aStart === aEnd || bStart === bEnd;
}

/** Keeps what is equal at both ends; returns the box between. */
function trim({ a, b, keep }: Pair, box: Box): Box {
  let { aStart, aEnd, bStart, bEnd } = box;
  const equal = (first: number, second: number) => a[first] === b[second] && a[first] !== -1;
  while (aStart < aEnd && bStart < bEnd && equal(aStart, bStart)) keep(aStart++, bStart++);
  while (aStart < aEnd && bStart < bEnd && equal(aEnd - 1, bEnd - 1)) keep(--aEnd, --bEnd);
  return { aStart, aEnd, bStart, bEnd };
}
