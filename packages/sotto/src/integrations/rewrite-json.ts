// Writes a changed value into the text that it was parsed from. What is still the same object keeps its text, byte for
// byte; only what is new is serialised.

import { isFields } from "../dialects/message-list.ts";
import {
  type Entry,
  endOfValue,
  firstEntry,
  type JsonText,
  nextEntry,
  type Spans,
  scanList,
} from "./json-scan.ts";

/** A value and its text: from `start` to `end` in `text`. */
export interface Written {
  text: JsonText;
  start: number;
  end: number;
  value: unknown;
  /** The places of a list's elements, counted from `start`, if they are known. */
  spans?: Spans;
}

/** A part of the text, or a new one. */
export type Piece = { from: number; to: number } | string;

/** The text of `value` after it has become `after`, in pieces: most of it stays where it is. */
export function rewrite(written: Written, after: unknown, pieces: Piece[] = []): Piece[] {
  const { start, end, value } = written;
  if (value === after) pieces.push({ from: start, to: end });
  else if (!rewriteList(written, after, pieces) && !rewriteObject(written, after, pieces))
    pieces.push(...around(written, after));
  return pieces;
}

/** A single message that became a list of messages is still in there. */
function around({ start, end, value }: Written, after: unknown): Piece[] {
  const whole = serialised(after);
  const own = Array.isArray(value) ? undefined : JSON.stringify(value);
  const at = own === undefined ? -1 : whole.indexOf(own);
  if (own === undefined || at < 0) return [whole];
  return [whole.slice(0, at), { from: start, to: end }, whole.slice(at + own.length)];
}

/**
 * A new element comes right behind the one before it: the next request may continue there with any white space, and still
 * begins with the same bytes. False if elements were removed.
 */
function rewriteList({ text, start, end, value: before, spans }: Written, after: unknown, pieces: Piece[]) {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === 0) return false;
  const changes = changesBetween(before, after);
  if (changes === undefined) return false;
  const places = spans ?? relativeSpans(text, start);
  let copied = start;
  const copyTo = (place: number) => {
    if (place > copied) pieces.push({ from: copied, to: place });
    copied = place;
  };
  const from = (index: number) => start + (places[2 * index] as number);
  const to = (index: number) => start + (places[2 * index + 1] as number);
  for (const { index, isNew, value } of changes)
    if (isNew) {
      copyTo(index === 0 ? from(0) : to(index - 1));
      pieces.push(index === 0 ? `${serialised(value)},` : `,${serialised(value)}`);
    } else {
      copyTo(from(index));
      rewrite({ text, start: from(index), end: to(index), value: before[index] }, value, pieces);
      copied = to(index);
    }
  copyTo(end);
  return true;
}

function relativeSpans(text: JsonText, start: number): Spans {
  return scanList(text, start + 1, true).spans.map((place) => place - start);
}

/** False if it has other fields now. */
function rewriteObject({ text, start, end, value: before }: Written, after: unknown, pieces: Piece[]) {
  if (!isFields(before) || !isFields(after)) return false;
  const keys = Object.keys(before);
  if (!hasKeys(after, keys) || keys.some((key) => after[key] === undefined)) return false;
  let copied = start;
  for (const [key, from] of fieldsAt(text, start)) {
    if (before[key] === after[key]) continue;
    const to = endOfValue(text, from);
    pieces.push({ from: copied, to: from });
    rewrite({ text, start: from, end: to, value: before[key] }, after[key], pieces);
    copied = to;
  }
  pieces.push({ from: copied, to: end });
  return true;
}

/** Where the values begin, in order. If a text has a field twice, the last one counts. */
function fieldsAt(text: JsonText, start: number): Map<string, number> {
  const fields = new Map<string, number>();
  let entry: Entry | undefined = firstEntry(text, start);
  while (entry !== undefined) {
    fields.delete(entry.key);
    fields.set(entry.key, entry.value);
    entry = nextEntry(text, endOfValue(text, entry.value));
  }
  return fields;
}

/** The same fields in the same order. */
export function hasKeys(value: object, keys: readonly string[]): boolean {
  const own = Object.keys(value);
  return own.length === keys.length && own.every((key, index) => key === keys[index]);
}

/** As an element of a list or a field that is there. */
function serialised(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

// How one list became another: elements that stayed, new ones between them, and changed ones.

/** `index`: of the element that became `value`, or before which it is new. */
interface Change {
  index: number;
  isNew: boolean;
  value: unknown;
}

// That many reminders at one place are found without an index of all elements.
const NEAR = 32;

/** In order; undefined if elements were removed. */
function changesBetween(before: readonly unknown[], after: readonly unknown[]): Change[] | undefined {
  const changes: Change[] = [];
  let places: Map<unknown, number> | undefined;
  let [old, next] = [0, 0];
  /** Where both lists go on with the same element. */
  const meeting = (): [number, number] => {
    if (old === before.length) return [old, after.length];
    for (let at = next + 1; at <= next + NEAR; at++) if (after[at] === before[old]) return [old, at];
    places ??= new Map(after.map((value, index) => [value, index]));
    for (let index = old; index < before.length; index++) {
      const at = places.get(before[index]);
      if (at !== undefined && at >= next) return [index, at];
    }
    return [before.length, after.length];
  };
  while (next < after.length || old < before.length) {
    if (next < after.length && old < before.length && after[next] === before[old]) {
      next++;
      old++;
      continue;
    }
    const [oldEnd, nextEnd] = meeting();
    if (nextEnd - next < oldEnd - old) return undefined;
    for (; old < oldEnd; old++) {
      const found = descendantOf(before[old], after.slice(next, nextEnd - (oldEnd - old) + 1));
      for (const end = next + found; next < end; next++)
        changes.push({ index: old, isNew: true, value: after[next] });
      changes.push({ index: old, isNew: false, value: after[next++] });
    }
    for (; next < nextEnd; next++) changes.push({ index: old, isNew: true, value: after[next] });
  }
  return changes;
}

/** Which of them was probably made from the value: one that has the same objects, or the same texts. */
function descendantOf(value: unknown, candidates: readonly unknown[]): number {
  if (candidates.length === 1) return 0;
  const relative = candidates.findIndex((one) => isLike(value, one, isObject));
  return Math.max(0, relative >= 0 ? relative : candidates.findIndex((one) => isLike(value, one, isSaid)));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function isSaid(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

// What a message shares with its blocks is not deeper.
const DEEPEST = 4;
const SHARED_BY_ALL = ["role", "type"];

/** Whether both have the same value in the same field, one that counts. */
function isLike(one: unknown, other: unknown, counts: (value: unknown) => boolean, depth = 0): boolean {
  if (one === other) return counts(one);
  if (depth > DEEPEST) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.some(
      (value, index) =>
        (counts(value) && other.includes(value)) || isLike(value, other[index], counts, depth + 1),
    );
  if (!isFields(one) || !isFields(other)) return false;
  return Object.keys(one).some(
    (key) =>
      !SHARED_BY_ALL.includes(key) &&
      Object.hasOwn(other, key) &&
      isLike(one[key], other[key], counts, depth + 1),
  );
}
