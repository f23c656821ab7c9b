// The last lines of what a task wrote, as one short line.

import { stripVTControlCharacters } from "node:util";

const BLANK = /[\s\u0000-\u001f\u007f-\u009f]+/gu;
// Lines that are drawn over: only what was drawn last is left of them.
const OVERDRAWN = /[^\n]*\r(?!\n)/gu;

export function lastLines(text: string, { count, most }: { count: number; most: number }): string {
  const lines = stripVTControlCharacters(text)
    .replace(OVERDRAWN, "")
    .split("\n")
    .map((line) => line.replace(BLANK, " ").trim())
    .filter((line) => line !== "");
  const joined = lines.slice(-count).join("; ");
  return joined.length <= most ? joined : `…${joined.slice(-most).toWellFormed()}`;
}
