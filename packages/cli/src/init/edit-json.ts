// Puts a part into a JSON text, or takes one out, in the text's own style; every other byte stays.

import type { JsonNode } from "./json-tree.ts";

export interface JsonStyle {
  /** One step of indentation. */
  unit: string;
  lineEnd: string;
  /** Behind a colon, and behind a comma on one line. */
  space: string;
  /** The whole text is one line. */
  oneLine: boolean;
}

/** What a text is written with where there is nothing to go by. */
export const USUAL_STYLE: JsonStyle = { unit: "  ", lineEnd: "\n", space: " ", oneLine: false };

interface Span {
  start: number;
  end: number;
}

export function styleOf(text: string, root: JsonNode): JsonStyle {
  const first = spansOf(root)[0];
  if (first === undefined) return { ...USUAL_STYLE, lineEnd: lineEndOf(text) };
  const oneLine = !text.slice(root.start, root.end).includes("\n");
  const unit = startsLine(text, first.start) ? lineIndent(text, first.start) : "";
  return {
    unit: unit === "" ? USUAL_STYLE.unit : unit,
    lineEnd: lineEndOf(text),
    space: /":\S/u.test(text) && !/":[ \t]/u.test(text) ? "" : " ",
    oneLine,
  };
}

interface Appending {
  container: JsonNode;
  /** For an object. */
  key?: string;
  value: unknown;
  style: JsonStyle;
  /** How many levels of the value have a line for each part; the rest is on one line. */
  levels?: number;
}

/** Behind all that is in the container. */
export function append(text: string, { container, key, value, style, levels = 0 }: Appending): string {
  const name = key === undefined ? "" : `${JSON.stringify(key)}:${style.space}`;
  const last = spansOf(container).at(-1);
  const lines = (indent: string) =>
    `${style.lineEnd}${indent}${name}${write(value, style, { indent, levels })}`;
  const line = () => name + write(value, style);
  if (last === undefined) {
    const base = lineIndent(text, container.start);
    const inner = style.oneLine ? line() : `${lines(base + style.unit)}${style.lineEnd}${base}`;
    return splice(text, { start: container.start + 1, end: container.end - 1 }, inner);
  }
  const added = startsLine(text, last.start)
    ? lines(lineIndent(text, last.start))
    : `${style.space}${line()}`;
  return splice(text, { start: last.end, end: last.end }, `,${added}`);
}

export function removeAt(text: string, container: JsonNode, index: number): string {
  const spans = spansOf(container);
  const [before, own, after] = [spans[index - 1], spans[index], spans[index + 1]];
  if (own === undefined) return text;
  if (before !== undefined) return splice(text, { start: before.end, end: own.end }, "");
  if (after !== undefined) return splice(text, { start: own.start, end: after.start }, "");
  return splice(text, { start: container.start + 1, end: container.end - 1 }, "");
}

/** A value in a style, its first line without indentation. */
export function write(
  value: unknown,
  style: JsonStyle,
  { indent = "", levels = 0 }: { indent?: string; levels?: number } = {},
): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const deeper = { indent: indent + style.unit, levels: levels - 1 };
  const parts = isList
    ? value.map((item) => write(item, style, deeper))
    : Object.entries(value).map(
        ([key, part]) => `${JSON.stringify(key)}:${style.space}${write(part, style, deeper)}`,
      );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const inside = isList ? "" : style.space;
  if (levels <= 0 || style.oneLine) return open + inside + parts.join(`,${style.space}`) + inside + close;
  const inner = parts.map((part) => `${style.lineEnd}${deeper.indent}${part}`).join(",");
  return `${open}${inner}${style.lineEnd}${indent}${close}`;
}

function spansOf({ members, items }: JsonNode): Span[] {
  return items ?? members?.map(({ start, value }) => ({ start, end: value.end })) ?? [];
}

function splice(text: string, { start, end }: Span, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function lineIndent(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^[ \t]*/u.exec(text.slice(start, at))?.[0] ?? "";
}

function startsLine(text: string, at: number): boolean {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return start > 0 && text.slice(start, at).trim() === "";
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
