// What `sotto init` found and would change, for people.

import type { ShortPaths } from "../../../agent/src/terminal/short-paths.ts";
import type { Style } from "../../../agent/src/terminal/style.ts";
import { indent, printable } from "../../../agent/src/terminal/text.ts";
import type { FoundFramework } from "./frameworks.ts";
import type { FileChange, Proposal } from "./plan.ts";
import { unifiedDiff } from "./unified-diff.ts";

export interface Paper {
  style: Style;
  short: ShortPaths;
}

type Shown = Pick<Proposal, "title" | "words"> &
  Partial<Pick<Proposal, "signs" | "notes" | "change">> & {
    status: string;
  };

export function proposalBlock(
  { title, status, words, signs = [], notes = [], change }: Shown,
  paper: Paper,
): string {
  const { style, short } = paper;
  const found = signs.length === 0 ? "" : style.dim(`  ${signs.map((sign) => short.words(sign)).join(", ")}`);
  const paint = status === "blocked" ? style.bad : status === "wired" ? style.good : (text: string) => text;
  return [
    `${style.bold(title)}${found}`,
    `  ${paint(short.words(words))}`,
    ...(change === undefined ? [] : [indent(diffText(change, paper), "  ")]),
    ...notes.map((note) => `  ${short.words(note)}`),
  ].join("\n");
}

export function frameworkBlock(
  { title, lines, guide, file, package: name }: FoundFramework,
  { style }: Paper,
): string {
  return [
    `${style.bold(title)}${style.dim(`  ${name} in ${file}`)}`,
    `  Your code stays as it is. To bring Sotto in, add lines like these; ${guide} in Sotto's repository says more.`,
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}

function diffText(change: FileChange, { style, short }: Paper): string {
  const lines = printable(unifiedDiff(change, short.path(change.path)))
    .trimEnd()
    .split("\n");
  return lines
    .map((line) => {
      if (line.startsWith("+")) return style.good(line);
      if (line.startsWith("-")) return style.bad(line);
      return line.startsWith("@@") ? style.accent(line) : line;
    })
    .join("\n");
}
