// Results as a table, as JSON, and on the page.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import type { Goal, Results, Row } from "./bench.ts";
import { digits, figureText, isSpeed, summary, timesBetter, timesText } from "./figures.ts";

const page = new URL("README.md", import.meta.url);

export function tableOf({ rows }: Pick<Results, "rows">): string {
  return [
    `${machine()}.`,
    "",
    "| what | ours | baseline | ours is | goal | the baseline |",
    "|---|---|---|---|---|---|",
    ...rows.map(tableLine),
  ].join("\n");
}

function tableLine(row: Row): string {
  const { name, note, unit, baseline } = row;
  const { ours, theirs, better, goal } = conclusion(row);
  const cells = [
    note === undefined ? name : `${name} (${note})`,
    figureText(ours, unit),
    theirs === undefined ? "" : figureText(theirs, unit),
    better === undefined ? "" : timesText(better),
    goal?.isMet === undefined ? "" : `${goal.text}: ${goal.isMet ? "met" : "**missed**"}`,
    baseline,
  ];
  return `| ${cells.join(" | ")} |`;
}

export function jsonOf({ rows, failures }: Results): string {
  const full = rows.map((row) => {
    const { ours, theirs, better, goal } = conclusion(row);
    return {
      ...row,
      ours: { ...ours, samples: row.ours },
      ...(theirs === undefined ? {} : { theirs: { ...theirs, samples: row.theirs } }),
      ...(better === undefined ? {} : { better }),
      ...(goal === undefined ? {} : { goal }),
    };
  });
  return JSON.stringify({ machine: machine(), rows: full, failures }, null, 2);
}

export function conclusion({ ours: oursAll, theirs: theirsAll, unit, goal }: Row) {
  const ours = summary(oursAll);
  const theirs = theirsAll.length === 0 ? undefined : summary(theirsAll);
  const better = theirs === undefined ? undefined : timesBetter(ours.median, theirs.median, unit);
  const isMet = goal === undefined ? undefined : meets(goal, { ours: ours.median, better, unit });
  return { ours, theirs, better, goal: goal && { text: goalText(goal, unit), isMet } };
}

function meets(
  goal: Goal,
  { ours, better, unit }: { ours: number; better: number | undefined; unit: string },
): boolean | undefined {
  if ("figure" in goal) return isSpeed(unit) ? ours >= goal.figure : ours <= goal.figure;
  if (better === undefined) return undefined;
  return "timesBetter" in goal ? better >= goal.timesBetter : 1 / better <= goal.timesWorse;
}

function goalText(goal: Goal, unit: string): string {
  if ("figure" in goal)
    return `${isSpeed(unit) ? "≥" : "≤"} ${digits(goal.figure)}${unit === "%" ? "" : " "}${unit}`;
  return "timesBetter" in goal ? `≥ ${goal.timesBetter}× better` : `≤ ${goal.timesWorse}× worse`;
}

export function machine(): string {
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${new Date().toISOString().slice(0, 10)}`;
}

/** Replaces what is between the two markers of that name. */
export function writePage(name: string, text: string): void {
  writeFileSync(page, withSection(readFileSync(page, "utf8"), name, text));
}

export function withSection(markdown: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const from = markdown.indexOf(start);
  const to = markdown.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the page has no section ${name}`);
  return `${markdown.slice(0, from + start.length)}\n${text}\n${markdown.slice(to)}`;
}
