// Whether a row got worse from one checkout to another.

import type { Row } from "../bench.ts";
import { isSpeed, type Summary, summary } from "../figures.ts";

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
  const ratio = is.median / was.median;
  return { suite, name, unit, before: summary(before.ours), after: summary(after.ours), ratio, verdict };
}

/** Figures of which less is better. */
function costs({ ours, unit }: Row): Summary {
  return summary(isSpeed(unit) ? ours.map((speed) => 1 / speed) : ours);
}

function isWorse(was: Summary, is: Summary): boolean {
  return is.median - is.spread > was.median + was.spread + MOST_WORSE * was.median;
}
