// Small pieces of text that several reminders share.

import type { TodoItem } from "./events.ts";

/** A path as it stands in a sentence: one that holds line breaks or the like is quoted. */
export function pathInText(path: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path;
}

/** A name as it stands in a line. */
export function inLine(name: string): string {
  return name.replace(/\s+/gu, " ").trim();
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

/** The beginning of a text, never through the middle of a surrogate pair. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const code = text.charCodeAt(most - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? most - 1 : most);
}
