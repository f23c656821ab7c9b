// JSON with the places of its parts, so that a text can be changed in one place and stay as it is in all others.

import { findJsonProblem, type JsonProblem } from "../input/json-problem.ts";

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
    // Deeper than the stack: nobody's settings, and nothing to be changed by us.
    return { problem: { line: 1, column: 1, words: `it cannot be taken apart: ${String(error)}` } };
  }
}

/** The last one of that name is the one that counts. */
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
