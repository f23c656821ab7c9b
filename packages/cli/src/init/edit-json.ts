// Adds parts to a JSON text, or removes them, in the text's own style; all other bytes stay the same.

import { findJsonProblem, type JsonProblem } from "../input/json.ts";

export interface JsonStyle {
  /** One step of indentation. */
  unit: string;
  lineEnd: string;
  /** After a colon, and after a comma on one line. */
  space: string;
  /** The whole text is one line. */
  oneLine: boolean;
}

/** For texts that show no style. */
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
  /** How many levels of the value are spread over lines. */
  levels?: number;
}

/** Adds a value at the end of the container. */
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

export interface Member {
  key: string;
  start: number;
  value: JsonNode;
}

export interface JsonNode {
  start: number;
  end: number;
  /** As JavaScript reads it. */
  value: unknown;
  /** Of an object, in the order of the text. */
  members?: Member[];
  /** Of an array. */
  items?: JsonNode[];
}

export type ParsedTree = { root: JsonNode } | { problem: JsonProblem };

export function parseTree(text: string): ParsedTree {
  const problem = findJsonProblem(text);
  if (problem !== undefined) return { problem };
  try {
    return { root: readNode(text, skipSpace(text, 0)) };
  } catch (error) {
    // Nested too deeply for real settings.
    return { problem: { line: 1, column: 1, words: `it cannot be taken apart: ${String(error)}` } };
  }
}

/** Of duplicate keys, the last one counts. */
export function memberOf(node: JsonNode | undefined, key: string): Member | undefined {
  return node?.members?.findLast((member) => member.key === key);
}

function readNode(text: string, start: number): JsonNode {
  if (text[start] === "{") return readObject(text, start);
  if (text[start] === "[") return readArray(text, start);
  const end = text[start] === '"' ? endOfString(text, start) : endOfScalar(text, start);
  return { start, end, value: JSON.parse(text.slice(start, end)) };
}

function readObject(text: string, start: number): JsonNode {
  const members: Member[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "}") {
    if (text[at] === ",") at = skipSpace(text, at + 1);
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const colon = skipSpace(text, keyEnd);
    const value = readNode(text, skipSpace(text, colon + 1));
    members.push({ key, start: at, value });
    at = skipSpace(text, value.end);
  }
  const value = Object.fromEntries(members.map((member) => [member.key, member.value.value]));
  return { start, end: at + 1, value, members };
}

function readArray(text: string, start: number): JsonNode {
  const items: JsonNode[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== "]") {
    if (text[at] === ",") at = skipSpace(text, at + 1);
    const item = readNode(text, at);
    items.push(item);
    at = skipSpace(text, item.end);
  }
  return { start, end: at + 1, value: items.map(({ value }) => value), items };
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (" \t\n\r".includes(text[next] ?? "x")) next++;
  return next;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (/[^\s,\]}]/u.test(text[at] ?? " ")) at++;
  return at;
}
