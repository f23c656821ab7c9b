// A mentioned text file: whole, or the lines of a range, or what is wrong with the range.

import type { Shown } from "./content.ts";
import type { LoadLimits } from "./limits.ts";
import { countLines, type LineRange, showLines } from "./lines.ts";
import type { MentionedFile } from "./resolve.ts";

export function showText(
  file: MentionedFile,
  found: { text: string; truncated: boolean },
  limits: LoadLimits,
): Shown & { kind: "content" } {
  const { text, truncated: goesOn } = found;
  const range = rangeOf(file);
  const totalLines = countLines(text);
  const startLine = Math.max(1, range?.first ?? 1);
  const about = { type: "text" as const, filePath: file.path, startLine, totalLines };
  const note = range === undefined ? undefined : rangeProblem(file, range, { totalLines, goesOn });
  if (note !== undefined)
    return { kind: "content", content: { ...about, content: "", numLines: 0 }, truncated: false, note };
  const { truncated, ...lines } = showLines(text, range, limits);
  const endsHere = range !== undefined && range.last < totalLines;
  return { kind: "content", content: { ...about, ...lines }, truncated: truncated || (goesOn && !endsHere) };
}

export function rangeOf({ lineStart, lineEnd = lineStart, note }: MentionedFile): LineRange | undefined {
  if (lineStart === undefined || lineEnd === undefined)
    return note === undefined ? undefined : { first: 1, last: 1 };
  return { first: lineStart, last: lineEnd };
}

/** What to say in place of the lines. */
function rangeProblem(
  { note }: MentionedFile,
  { first, last }: LineRange,
  { totalLines, goesOn }: { totalLines: number; goesOn: boolean },
): string | undefined {
  const lines = totalLines === 1 ? "1 line" : `${totalLines} lines`;
  const has = goesOn ? `Of this large file the first ${lines} can be shown.` : `The file has ${lines}.`;
  if (note !== undefined) return `${note} ${has}`;
  if (first <= totalLines) return undefined;
  return first === last
    ? `There is no line ${first} to show. ${has}`
    : `There are no lines ${first}-${last} to show. ${has}`;
}
