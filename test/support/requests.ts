// Looking at requests as a provider gets them: where they differ, what they say of what had to be said.

import { isReminder } from "sotto";
import { listOf, type Wire, type WireBody } from "./agent-wire.ts";
import { blocksOf, prefixOf } from "./prefix.ts";

/** Nothing where a request starts with all of the one before, else the place where they part. */
export function partingOf(wire: Wire, before: WireBody | undefined, now: WireBody): string | undefined {
  if (before === undefined) return undefined;
  const [earlier, later] = [prefixOf(wire.name, before), prefixOf(wire.name, now)];
  if (later.startsWith(earlier)) return undefined;
  let at = 0;
  while (earlier[at] === later[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 200), at + 300);
  return `was: ${around(earlier)}\nis: ${around(later)}`;
}

/** The same block by block, for clients that merge messages. */
export function blockParting(wire: Wire, before: WireBody | undefined, now: WireBody): string | undefined {
  if (before === undefined) return undefined;
  const [earlier, later] = [blocksOf(wire.name, before), blocksOf(wire.name, now)];
  const at = earlier.findIndex((block, index) => block !== later[index]);
  return at < 0 ? undefined : `block ${at}\nwas: ${earlier[at]}\nis: ${later[at]}`;
}

/** How often each mark stands in a request. */
export function countMarks(body: unknown, marks: readonly string[]): Map<string, number> {
  const known = new Set(marks);
  const counts = new Map<string, number>();
  for (const [word] of JSON.stringify(body).matchAll(/[A-Z]+\d+X/gu))
    if (known.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export function saidTwice(body: unknown, marks: readonly string[]): string[] {
  return [...countMarks(body, marks)].filter(([, count]) => count > 1).map(([mark]) => mark);
}

export function unsaid(body: unknown, marks: readonly string[]): string[] {
  const counts = countMarks(body, marks);
  return marks.filter((mark) => !counts.has(mark));
}

/** Texts of a request's reminders, in order. */
export function remindersIn(wire: Wire, body: WireBody): string[] {
  return listOf(wire, body)
    .filter((message) => isReminder(wire.dialect, message))
    .map((message) => textIn(message));
}

export function textIn({ content, parts }: { content?: unknown; parts?: unknown }): string {
  if (typeof content === "string") return content;
  return ((content ?? parts ?? []) as { text?: string }[]).map(({ text }) => text ?? "").join("");
}
