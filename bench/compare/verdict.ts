// Whether a row got worse from one checkout to another.

import type { Row } from "../bench.ts";
import { isSpeed, median, type Summary, summary } from "../figures.ts";

/** What is within this much of the figure before is no news. */
const MOST_WORSE = 0.15;

export interface Compared {
  suite: string;
  name: string;
  unit: string;
  before: Summary;
  after: Summary;
  /** How many times the cost of before; above 1 it is worse, whatever the unit. */
  ratio: number;
  verdict: "worse" | "better" | "same";
}

export interface Comparison {
  rows: Compared[];
  /** Rows that only one of the two could measure. */
  onlyBefore: string[];
  onlyAfter: string[];
}

export function compareRows(before: readonly Row[], after: readonly Row[]): Comparison {
  const earlier = new Map(before.map((row) => [row.name, row]));
  const later = new Set(after.map(({ name }) => name));
  return {
    rows: after.flatMap((row) => {
      const other = earlier.get(row.name);
      return other === undefined ? [] : [compareRow(other, row)];
    }),
    onlyBefore: before.map(({ name }) => name).filter((name) => !later.has(name)),
    onlyAfter: after.map(({ name }) => name).filter((name) => !earlier.has(name)),
  };
}

function compareRow(before: Row, after: Row): Compared {
  const { suite, name, unit } = after;
  const [was, is] = [costs(before), costs(after)];
  const verdict = isWorse(was, is) ? "worse" : isWorse(is, was) ? "better" : "same";
  const ratio = median(is) / median(was);
  return { suite, name, unit, before: summary(before.ours), after: summary(after.ours), ratio, verdict };
}

/** Figures of which less is better. */
function costs({ ours, unit }: Row): readonly number[] {
  return isSpeed(unit) ? ours.map((speed) => 1 / speed) : ours;
}

function isWorse(before: readonly number[], after: readonly number[]): boolean {
  const [was, is] = [summary(before), summary(after)];
  const isBeyond = is.median - is.spread > was.median + was.spread + MOST_WORSE * was.median;
  // Other work on the machine only ever adds: what is really worse never was as good as before.
  return isBeyond && Math.min(...after) > was.median;
}
