// Changes of line endings, told in words: as lines of a diff they would look like nothing.

import type { Comparison } from "./diff.ts";
import { commonPrefix, countLines, lineEnding } from "./lines.ts";

/** A sentence when two different texts differ in nothing but their line endings. */
export function endingsOnly(before: string, after: string): string | undefined {
  const changed = changedEndings(before, after);
  if (changed === undefined) return undefined;
  const last = lastNewline(before, after);
  if (changed === 0) return last === undefined ? undefined : `Only the ${last}`;
  const lines = Math.max(countLines(before), countLines(after));
  const where = changed === lines ? "" : ` on ${changed} of ${lines} lines`;
  const sentence = otherEndings(before, after, where);
  return last === undefined ? sentence : `${sentence} The ${last}`;
}

export function otherEndings(before: string, after: string, where = ""): string {
  return `Only line endings changed${where}: ${style(before)} before, ${style(after)} now.`;
}

/** What to say of line endings beside a diff that passes over them. */
export function endingNotes({ before, after, matches }: Comparison): string[] {
  const notes: string[] = [];
  let changed = 0;
  if (before.text.includes("\r") || after.text.includes("\r"))
    for (const [index, match] of matches.entries())
      if (match !== -1 && differ(lineEnding(before, index), lineEnding(after, match))) changed++;
  if (changed > 0) {
    const lines = changed === 1 ? "1 more line" : `${changed} more lines`;
    notes.push(`Line endings changed on ${lines}: ${style(before.text)} before, ${style(after.text)} now.`);
  }
  const last = before.text === "" ? undefined : lastNewline(before.text, after.text);
  return last === undefined ? notes : [...notes, `The ${last}`];
}

function lastNewline(before: string, after: string): string | undefined {
  const [had, has] = [/[\r\n]$/.test(before), /[\r\n]$/.test(after)];
  return had === has ? undefined : `newline at the end of the file was ${has ? "added" : "removed"}.`;
}

/** How many lines have another ending; undefined when more than endings differ. */
function changedEndings(before: string, after: string): number | undefined {
  if (before === "" || after === "") return undefined;
  const [oldBreak, newBreak] = [lineBreak(before), lineBreak(after)];
  let old = commonPrefix(before, after);
  old = old === 0 ? 0 : before.lastIndexOf(oldBreak, old - 1) + 1;
  let now = old;
  let changed = 0;
  while (old < before.length && now < after.length) {
    const [oldEnd, oldNext] = lineAt(before, old, oldBreak);
    const [newEnd, newNext] = lineAt(after, now, newBreak);
    if (oldEnd - old !== newEnd - now || before.slice(old, oldEnd) !== after.slice(now, newEnd))
      return undefined;
    if (differ(before.slice(oldEnd, oldNext), after.slice(newEnd, newNext))) changed++;
    [old, now] = [oldNext, newNext];
  }
  return old === before.length && now === after.length ? changed : undefined;
}

// A missing newline at the end is told by itself.
function differ(first: string, second: string): boolean {
  return first !== second && first !== "" && second !== "";
}

// Files of old Macs have nothing but returns.
function lineBreak(text: string): string {
  return text.includes("\n") ? "\n" : "\r";
}

/** Where the text of the line ends and where the next line starts. */
function lineAt(text: string, start: number, mark: string): [number, number] {
  const found = text.indexOf(mark, start);
  if (found === -1) return [text.length, text.length];
  const twoMarks = mark === "\n" && found > start && text.charAt(found - 1) === "\r";
  return [twoMarks ? found - 1 : found, found + 1];
}

function style(text: string): string {
  const lines = text.split("\n").length - 1;
  const both = text.split("\r\n").length - 1;
  if (lines === 0) return text.includes("\r") ? "CR" : "none";
  return both === 0 ? "LF" : both === lines ? "CRLF" : "mixed";
}
