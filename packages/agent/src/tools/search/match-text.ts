// Finds the lines that match a regular expression. Runs in the search worker, since it may never end.

import type { FileHits, GrepQuestion, HitLine } from "./run-search.ts";

/** The most lines of one file. */
const MOST_LINES = 2000;

/** Throws when the pattern is invalid. */
export function toExpression({ pattern, ignoreCase, multiline }: GrepQuestion): RegExp {
  // The inline flag of other engines.
  const [inline] = /^\(\?i\)/u.exec(pattern) ?? [""];
  const source = pattern.slice(inline.length);
  const flags = `g${ignoreCase || inline !== "" ? "i" : ""}${multiline ? "ms" : ""}`;
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // With `u`, needless escapes are errors; accept them without it.
    return new RegExp(source, flags);
  }
}

export function matchText(text: string, expression: RegExp, question: GrepQuestion): Omit<FileHits, "path"> {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const matches = question.multiline
    ? acrossLines(text, expression)
    : lineByLine(lines, expression, question);
  const numbers = [...matches.keys()].slice(0, MOST_LINES);
  return { count: matches.size, lines: withSurroundings(lines, numbers, matches, question) };
}

/** Line numbers from 0, each with the column of its first match. */
type Matches = Map<number, number>;

function lineByLine(lines: string[], expression: RegExp, { firstOnly }: GrepQuestion): Matches {
  const matches: Matches = new Map();
  for (const [number, line] of lines.entries()) {
    expression.lastIndex = 0;
    const match = expression.exec(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (match === null) continue;
    matches.set(number, match.index);
    if (firstOnly) break;
  }
  return matches;
}

function acrossLines(text: string, expression: RegExp): Matches {
  const matches: Matches = new Map();
  let number = 0;
  let start = 0;
  for (const { 0: found, index } of text.matchAll(expression)) {
    for (let end = text.indexOf("\n", start); end >= 0 && end < index; end = text.indexOf("\n", start)) {
      number += 1;
      start = end + 1;
    }
    const span = found.replace(/\n$/u, "").split("\n").length;
    for (let line = 0; line < span; line++)
      if (!matches.has(number + line)) matches.set(number + line, line === 0 ? index - start : 0);
  }
  return matches;
}

function withSurroundings(
  lines: string[],
  numbers: number[],
  matches: Matches,
  { before, after }: GrepQuestion,
): HitLine[] {
  const shown: HitLine[] = [];
  let next = 0;
  for (const match of numbers) {
    const to = Math.min(lines.length - 1, match + after);
    for (let number = Math.max(next, match - before); number <= to; number++) {
      const at = matches.get(number);
      shown.push({ number: number + 1, text: hitText(lines[number] ?? "", at), isMatch: at !== undefined });
    }
    next = Math.max(next, to + 1);
  }
  return shown;
}

// A result line: cut to a limit around the match.

const LONGEST = 400;
const LEAD = 80;

/** `at`: the column of the match. */
export function hitText(line: string, at = 0): string {
  const text = line.replace(/\r$/u, "");
  if (text.length <= LONGEST) return text;
  const from = at + LEAD < LONGEST ? 0 : at - LEAD;
  const part = text.slice(from, from + LONGEST).toWellFormed();
  return `${from > 0 ? "…" : ""}${part}${from + LONGEST < text.length ? "…" : ""}`;
}
