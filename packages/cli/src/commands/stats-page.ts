// The cost ledger for people: a row for each type, session or day, the sum, and what the words mean.

import type { LedgerLine } from "sotto";
import { createStyle, lineWidth, type Style } from "../../../agent/src/terminal/style.ts";
import { table } from "../output/table.ts";
import { count, grouped } from "../../../agent/src/terminal/text.ts";

export type Amounts = Omit<LedgerLine, "session" | "day" | "type">;
export type StatsRow = Amounts & { name: string };

export interface StatsPage {
  where: string;
  by: string;
  rows: readonly StatsRow[];
  total: Amounts;
  /** Empty: from the beginning. */
  since: string;
}

export function statsPage({ where, by, rows, total, since }: StatsPage): string {
  const style = createStyle();
  const from = since === "" ? "" : ` since ${since}`;
  if (rows.length === 0) return `Nothing was said${from}.\n${style.dim(where)}\n`;
  const heading = `${style.bold(`${count(total.tokens, "token")} in ${count(total.said, "reminder")}${from}`)}`;
  const columns = [by, "said", "tokens", "share", "after compaction", "not repeated", "tokens spared"];
  const body = table(
    [
      columns.map((name) => style.bold(name)),
      ...rows.map((row) => cells(row.name, row, { total, style })),
      cells("all", total, { total, style }),
    ],
    { width: lineWidth(), indent: "  ", right: [1, 2, 3, 4, 5, 6] },
  );
  const notes = [
    "after compaction: said before, and again because a summary had taken it out of view",
    "not repeated: due, but in view or said a short while ago; spared: what it took when it was said, as far as known",
    ...(total.abandoned === 0
      ? []
      : [
          `besides, ${count(total.abandoned, "reminder was", "reminders were")} given up before the model heard it`,
        ]),
  ];
  return `${heading}\n${style.dim(where)}\n\n${body}\n\n${notes.map((line) => style.dim(`  ${line}`)).join("\n")}\n`;
}

function cells(name: string, row: Amounts, { total, style }: { total: Amounts; style: Style }): string[] {
  const share = total.tokens === 0 ? 0 : Math.round((100 * row.tokens) / total.tokens);
  return [
    style.accent(name),
    grouped(row.said),
    grouped(row.tokens),
    `${share} %`,
    grouped(row.saidAgain),
    grouped(row.spared),
    row.spared === 0 ? "0" : `~${grouped(row.sparedTokens)}`,
  ];
}
