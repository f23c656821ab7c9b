// A table in plain text: columns as wide as they need, the last one wrapped to the line.

import { stripVTControlCharacters } from "node:util";

const LEAST_LAST_COLUMN = 24;

export interface TableOptions {
  width: number;
  indent?: string;
  /** Right-aligned columns. */
  right?: readonly number[];
}

export function table(
  rows: readonly (readonly string[])[],
  { width, indent = "", right = [] }: TableOptions,
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => visible(row[column] ?? ""))),
  );
  const before = widths.slice(0, -1).reduce((sum, one) => sum + one + 2, indent.length);
  const last = Math.max(LEAST_LAST_COLUMN, width - before);
  const lines = rows.flatMap((row) => {
    const fixed = widths
      .slice(0, -1)
      .map((size, column) => pad(row[column] ?? "", size, right.includes(column)));
    const [first = "", ...more] = lastCell(row[columns - 1] ?? "", {
      last,
      padTo: right.includes(columns - 1) ? (widths.at(-1) ?? 0) : 0,
    });
    return [
      `${indent}${[...fixed, first].join("  ")}`.trimEnd(),
      ...more.map((line) => `${" ".repeat(before)}${line}`),
    ];
  });
  return lines.join("\n");
}

function lastCell(cell: string, { last, padTo }: { last: number; padTo: number }): string[] {
  return padTo > 0 ? [pad(cell, padTo, true)] : wrap(cell, last);
}

/** Breaks between words; a word longer than the line stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && visible(line) + 1 + visible(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - visible(cell)));
  return right ? space + cell : cell + space;
}

function visible(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
