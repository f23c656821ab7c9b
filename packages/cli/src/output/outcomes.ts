// The silent types of a turn as a table: what became of each, and why.

import type { Outcome } from "sotto";
import type { Style } from "./style.ts";
import { table } from "./table.ts";
import { printable } from "./text.ts";

const SPOKEN = new Set(["sent", "cut"]);

export interface TypeOutcome extends Outcome {
  type: string;
}

export function silent(outcomes: readonly TypeOutcome[]): TypeOutcome[] {
  return outcomes.filter(({ outcome }) => !SPOKEN.has(outcome));
}

export function outcomeTable(
  outcomes: readonly TypeOutcome[],
  { style, width, indent }: { style: Style; width: number; indent: string },
): string {
  const paint = (outcome: string) => {
    if (outcome === "failed" || outcome === "timed out" || outcome === "resting") return style.bad(outcome);
    return outcome === "nothing" || outcome === "off" ? style.dim(outcome) : style.warn(outcome);
  };
  const rows = outcomes.map(({ type, outcome, reason }) => [
    printable(type),
    paint(outcome),
    printable(reason),
  ]);
  return table(rows, { width, indent });
}
