// Which lines of one sequence stay in the other: exact where that is cheap, close to it in linear time where it is not.

import { createMyers, type Reach } from "./myers.ts";
import { type Box, createTables, type Tables } from "./diff-tables.ts";

// How much is spent on the exact answer before the sequences are taken apart: some milliseconds.
const EXACT_STEPS = 600_000;
// After that, what a part may spend a line, so that the whole stays linear.
const STEPS_A_LINE = 6;
// Smaller parts are cheaper to compare than to make smaller.
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

/** Lines that the other side does not have cannot be kept: without them the rest is a much smaller question. */
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

/** Keeps what is equal at both ends; gives the box between. */
function trim({ a, b, keep }: Pair, box: Box): Box {
  let { aStart, aEnd, bStart, bEnd } = box;
  const equal = (first: number, second: number) => a[first] === b[second] && a[first] !== -1;
  while (aStart < aEnd && bStart < bEnd && equal(aStart, bStart)) keep(aStart++, bStart++);
  while (aStart < aEnd && bStart < bEnd && equal(aEnd - 1, bEnd - 1)) keep(--aEnd, --bEnd);
  return { aStart, aEnd, bStart, bEnd };
}
