// Makes untrusted content safe inside a reminder: nothing in it can be read as a reserved tag.

import { hasBracket } from "./brackets.ts";
import { clean } from "./clean.ts";
import { besideEscapes, type Cursor, type Reading } from "./cursor.ts";
import { decode, type Entrances, entrancesOf } from "./decode.ts";
import { type Allowance, allowanceFor, createTagFinder, type Place, type TagFinder } from "./find-tags.ts";
import { createHarmlessTest } from "./harmless.ts";
import { hasOtherMarker, knownTags, withoutMarkers } from "./markers.ts";
import { namesOf } from "./tag-names.ts";

export interface Neutraliser {
  /** Readable text in which a forged tag or another marker that models know starts with `[`; ordinary text is unchanged. */
  text(value: string): string;
  /** The same on one line, with a maximum length, escaped for a double-quoted attribute. */
  attribute(value: string): string;
}

export const defaultReservedTags: readonly string[] = [
  "system-reminder",
  "system-notification",
  "new-diagnostics",
  "session-memory",
  "mcp-resource",
  "teammate-message",
  "background-remote-session-status",
  "task-notification",
  "environment_context",
  "user_instructions",
];

/** From this length on it pays to make the expressions that tell quickly that there is nothing to find. */
const long = 50_000;
const longestAttribute = 1000;
/** How much of a value is examined: much of it may be removed before it is cut. */
const longestLook = 16_000;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Creates a neutraliser. `reserved`: additional names, such as tags that were configured earlier. `onWork` gets the
 * number of steps a text took, including one for each of its characters.
 */
export function createNeutraliser(
  options: { reserved?: readonly string[]; onWork?: (steps: number) => void } = {},
): Neutraliser {
  // Made for the first text that has a bracket: the tables take time, and many sessions have no such text.
  const names = once(() => namesOf([...defaultReservedTags, ...knownTags, ...(options.reserved ?? [])]));
  const hasNothing = once(() => createHarmlessTest(names()));
  const finder = once(() => createTagFinder(names()));
  const findTags: TagFinder = (cursor, allowance) =>
    cursor.resolved.count === 0 && !hasBracket(cursor.text) ? [] : finder()(cursor, allowance);

  function isHarmless(value: string): boolean {
    return value.length >= long && hasNothing()(value) && !hasOtherMarker(value);
  }

  function text(value: string): string {
    if (isHarmless(value)) {
      options.onWork?.(value.length);
      return value;
    }
    const cleaned = withoutMarkers(clean(value));
    const entrances = entrancesOf(cleaned);
    const cursor = decode(cleaned, entrances);
    const tags = tagsIn(cursor, entrances);
    options.onWork?.(value.length + cursor.steps);
    if (tags.length === 0) return cleaned;
    const visible = cursor.resolved.escapes ? besideEscapes : "[";
    let neutral = "";
    let copied = 0;
    for (const { start, end } of tags) {
      if (start < copied) continue;
      neutral += cleaned.slice(copied, start) + visible;
      copied = end;
    }
    return neutral + cleaned.slice(copied);
  }

  function tagsIn(cursor: Cursor, entrances: Entrances): readonly Place[] {
    const allowance = allowanceFor(cursor.text);
    const tags = findTags(cursor, allowance);
    const { plain, short } = cursor.resolved.otherwise;
    if (tags !== undefined && !plain && !short) return tags;
    const readings: Reading[] = [...(plain ? ["plain" as const] : []), ...(short ? ["short" as const] : [])];
    const inReading = (reading: Reading, left?: Allowance) => {
      const other = decode(cursor.text, entrances, reading);
      const found = findTags(other, left);
      cursor.steps += other.steps;
      return found;
    };
    let places = tags;
    for (const reading of readings) {
      const more = places && inReading(reading, allowance);
      places = more && places?.concat(more);
    }
    if (places !== undefined) return inOrder(places);
    // A text made to keep us busy is not searched again: whatever could open a tag counts as one.
    return inOrder(["whole" as const, ...readings].flatMap((reading) => inReading(reading) ?? []));
  }

  function attribute(value: string): string {
    const line = text(value.slice(0, longestLook)).replace(/[\n\r\t\u2028\u2029]+/g, " ");
    // Cutting can turn a longer name into a reserved one, so it is neutralised again.
    return text(cut(line)).replace(/[&<>"]/g, (character) => escapes[character] ?? "");
  }

  return { text, attribute };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function inOrder(places: Place[]): Place[] {
  return places.sort((a, b) => a.start - b.start || a.end - b.end);
}

function cut(line: string): string {
  return line.length > longestAttribute ? `${line.slice(0, longestAttribute).toWellFormed()}…` : line;
}
