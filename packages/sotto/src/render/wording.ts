// Text helpers that several reminders share.

import type { TodoItem } from "../facts/event-parts.ts";
import { cutText } from "../platform/text.ts";

// The maximum length of a trace line.
const REASONS = 5;
const LONGEST_REASON = 400;
const NAMES = 3;
// Every character that may start a new line for some reader; JSON leaves some of them unescaped.
// Control characters and the separators of lines and paragraphs, by number: the names of classes take time to look up.
const BREAKING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u;
const EACH_BREAKING = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/gu;
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** A path within a sentence: quoted if it has line breaks or the like. */
export function pathInText(path: string): string {
  return BREAKING.test(path) ? jsonInText(path) : path;
}

/** JSON on one line for every reader. */
export function jsonInText(value: unknown): string {
  return JSON.stringify(value).replace(EACH_BREAKING, escaped);
}

/** Text of several lines after a label of ours: only its first line is at the margin. */
export function indented(text: string): string {
  return text.split(LINE_END).join("\n  ");
}

/** A name within a line. */
export function inLine(name: string): string {
  return name.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** Who changed a file, to follow "was modified" and the like. */
export function doneBy({
  cause,
  unsure,
}: {
  cause?: string | undefined;
  unsure?: boolean | undefined;
}): string {
  if (cause === undefined) return " outside this conversation";
  return `${unsure ? ", possibly" : ""} by ${inLine(cause)}`;
}

/** What the agent should do: leave other people's changes alone, treat its own commands' changes as its own, or both if unsure. */
export function buildOn(
  { cause, unsure }: { cause?: string | undefined; unsure?: boolean | undefined },
  it = "it",
) {
  const [is, one] = it === "it" ? ["is", "it"] : ["are", "them"];
  if (cause === undefined)
    return `Build on ${one} as ${it} ${is} now, and do not undo ${one} unless you are asked to.`;
  const careful = unsure ? "; do not undo what is not yours" : "";
  return `Go on from ${one} as ${it} ${is} now${careful}.`;
}

/** Text from an untrusted project file: every line is marked as a quotation. */
export function projectSays(path: string, content: string): string {
  const lines = content.trim().split(LINE_END);
  return `${pathInText(path)}, a file of this project, says:\n\n${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}`;
}

export function todoLines(items: readonly TodoItem[]): string {
  const lines = items.map(({ status, content }, index) => `${index + 1}. [${status}] ${inLine(content)}`);
  return `[${lines.join("\n")}]`;
}

/** Each line with its number, as editors show it. */
export function numberLines(text: string, first = 1): string {
  const lines = text.replace(/\r?\n$/u, "").split(/\r?\n/u);
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n");
}

/** A notebook, cell by cell, each with its output. */
export function notebookText(
  cells: readonly { type: string; source: string; outputs: readonly string[] }[],
): string {
  const texts = cells.map(({ type, source, outputs }, index) => {
    const output = outputs.length === 0 ? "" : `\nOutput:\n${outputs.join("\n")}`;
    return `Cell ${index + 1} (${inLine(type)}):\n${source}${output}`;
  });
  return texts.join("\n\n");
}

export function pdfText(pages: readonly { page: number; text: string }[], totalPages: number): string {
  return pages.map(({ page, text }) => `Page ${page} of ${totalPages}:\n${text}`).join("\n\n");
}

/** For automatic messages: they are not from the user, and not consent. */
export const NOBODY = "no person has said or approved anything here";

/** Reasons for one trace line: the first few, each once, and how many more there are. */
export function reasonsInLine(reasons: readonly string[], further = 0): string {
  const all = [...new Set(reasons)];
  const shown = all
    .slice(0, REASONS)
    .map((one) => (one.length > LONGEST_REASON ? `${cutText(one, LONGEST_REASON)}…` : one));
  const left = all.length - shown.length + further;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("; ");
}

interface LeftOut {
  name: string;
  reason: string;
}

/**
 * How many things are not sent and why, for the trace; empty if there are none. Things with the same reason are
 * grouped. `further`: how many more there are than are listed.
 */
export function leftOut(what: string, list: readonly LeftOut[], further = 0): string | undefined {
  if (list.length === 0) return undefined;
  const groups = [...Map.groupBy(list, ({ reason }) => reason).values()];
  const shown = groups.slice(0, REASONS);
  const left = list.length - shown.flat().length + further;
  return `${list.length + further} ${what}: ${reasonsInLine(shown.map(withReason), left)}`;
}

/** A reason that starts with the thing's name already names it. */
function withReason(group: readonly LeftOut[]): string {
  const { reason = "" } = group[0] ?? {};
  const names = [...new Set(group.map(({ name }) => name))];
  if (names.length === 1 && reason.startsWith(names[0] as string)) return reason;
  const left = names.length - NAMES;
  return `${names.slice(0, NAMES).join(", ")}${left > 0 ? ` and ${left} more` : ""}: ${reason}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
