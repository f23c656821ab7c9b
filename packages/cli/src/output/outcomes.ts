// The silent types of a turn as a table: what became of each, and why.

import type { Outcome } from "sotto";
import type { Style } from "../../../agent/src/terminal/style.ts";
import { table } from "./table.ts";
import { printable } from "../../../agent/src/terminal/text.ts";

const SPOKEN = new Set(["sent", "cut"]);

export interface TypeOutcome extends Outcome {
  type: string;
}

export function isSpoken({ outcome }: Outcome): boolean {
  return SPOKEN.has(outcome);
}

export function silent<T extends Outcome>(outcomes: readonly T[]): T[] {
  return outcomes.filter((one) => !isSpoken(one));
}

export function paintOutcome(outcome: string, style: Style): string {
  if (outcome === "failed" || outcome === "timed out" || outcome === "resting") return style.bad(outcome);
  if (SPOKEN.has(outcome)) return style.accent(outcome);
  return outcome === "nothing" || outcome === "off" ? style.dim(outcome) : style.warn(outcome);
}

export function outcomeTable(
  outcomes: readonly TypeOutcome[],
  { style, width, indent }: { style: Style; width: number; indent: string },
): string {
  const rows = outcomes.map(({ type, outcome, reason }) => [
    printable(type),
    paintOutcome(outcome, style),
    printable(reason),
  ]);
  return table(rows, { width, indent });
}
