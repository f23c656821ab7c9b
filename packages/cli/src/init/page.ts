// What `sotto init` found and would change, as text.

import { createTwoFilesPatch } from "diff";
import type { Style } from "sotto-agent/terminal";
import { indent, printable, type ShortPaths } from "sotto-agent/terminal";
import type { FoundFramework } from "./frameworks.ts";
import type { FileChange, Proposal } from "./plan.ts";

export interface PageStyle {
  style: Style;
  short: ShortPaths;
}

type Shown = Pick<Proposal, "title" | "words"> &
  Partial<Pick<Proposal, "signs" | "notes" | "change">> & {
    status: string;
  };

export function proposalBlock(
  { title, status, words, signs = [], notes = [], change }: Shown,
  pageStyle: PageStyle,
): string {
  const { style, short } = pageStyle;
  const found = signs.length === 0 ? "" : style.dim(`  ${signs.map((sign) => short.words(sign)).join(", ")}`);
  const paint = status === "blocked" ? style.bad : status === "wired" ? style.good : (text: string) => text;
  return [
    `${style.bold(title)}${found}`,
    `  ${paint(short.words(words))}`,
    ...(change === undefined ? [] : [indent(diffText(change, pageStyle), "  ")]),
    ...notes.map((note) => `  ${short.words(note)}`),
  ].join("\n");
}

export function frameworkBlock(
  { title, lines, guide, file, package: name }: FoundFramework,
  { style }: PageStyle,
): string {
  return [
    `${style.bold(title)}${style.dim(`  ${name} in ${file}`)}`,
    `  To use Sotto here, add lines like these (see ${guide} in Sotto's repository):`,
    ...lines.map((line) => `    ${line}`),
  ].join("\n");
}

function diffText(change: FileChange, { style, short }: PageStyle): string {
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

export function unifiedDiff({ before, after }: FileChange, name: string): string {
  const patch = createTwoFilesPatch(
    before === undefined ? "/dev/null" : `a/${name}`,
    after === undefined ? "/dev/null" : `b/${name}`,
    before ?? "",
    after ?? "",
    undefined,
    undefined,
    { context: 3 },
  );
  // Without the line of equal signs above it.
  return patch.slice(patch.indexOf("---"));
}
