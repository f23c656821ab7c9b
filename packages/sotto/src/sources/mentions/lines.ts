// The lines of a text that are shown: all of them or a range, up to the limits.

import { cutText } from "../cut-text.ts";
import type { LoadLimits } from "./limits.ts";

export interface LineRange {
  /** From 1. */
  first: number;
  /** Included; may be past the end. */
  last: number;
}

export interface ShownLines {
  content: string;
  numLines: number;
  truncated: boolean;
}

type TextLimits = Pick<LoadLimits, "lines" | "characters">;

const NEWLINE = 10;

export function showLines(text: string, range: LineRange | undefined, limits: TextLimits): ShownLines {
  const wanted = range === undefined ? text : linesBetween(text, range);
  // One character more tells that there is more: cutting would go through all the lines to count them.
  const { text: shown, truncated } = cutText(wanted.slice(0, limits.characters + 1), {
    maxLines: limits.lines,
    maxCharacters: limits.characters,
  });
  // A slice would keep the whole text in memory.
  const content = shown.length < text.length ? Buffer.from(shown, "utf16le").toString("utf16le") : shown;
  return { content, numLines: countLines(content), truncated };
}

/** A line break at the end begins no further line. */
export function countLines(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === NEWLINE) lines++;
  return text.length === 0 || text.charCodeAt(text.length - 1) === NEWLINE ? lines : lines + 1;
}

export function firstLines(text: string, lines: number): string {
  return text.slice(0, lineStart(text, { from: 0, lines }));
}

function linesBetween(text: string, { first, last }: LineRange): string {
  const start = lineStart(text, { from: 0, lines: first - 1 });
  return text.slice(start, lineStart(text, { from: start, lines: last - first + 1 }));
}

/** Where a line begins that is so many lines further on. */
function lineStart(text: string, { from, lines }: { from: number; lines: number }): number {
  let at = from;
  for (let left = lines; left > 0 && at < text.length; at++) if (text.charCodeAt(at) === NEWLINE) left--;
  return at;
}
