// Replaces a passage of a text. Line endings stay as they are: the model never sees which kind a file has.

import { neutral } from "../untrusted-text.ts";
import { folded, keepSpelling, spellingsIn } from "./files/keep-spelling.ts";
import { passagesShownAs, sitesIn, wholePassage } from "./files/shown-text.ts";

export type Replaced =
  | { kind: "replaced"; text: string; count: number /** Line of the first one, from 1. */; line: number }
  | { kind: "missing" }
  | { kind: "ambiguous"; count: number };

export interface Replacement {
  old: string;
  new: string;
  all: boolean;
}

/** The passage is looked for as it was shown; what the new one leaves alone stays as it stands. */
export function replaceText(text: string, replacement: Replacement): Replaced {
  const plain = withLineFeeds(text);
  const old = withLineFeeds(replacement.old);
  const sites = sitesIn(plain);
  const places = passagesShownAs(old, plain, sites);
  const [first] = places;
  if (first === undefined) return { kind: "missing" };
  if (places.length > 1 && !replacement.all) return { kind: "ambiguous", count: places.length };
  const line = plain.slice(0, first.start).split("\n").length;
  const ending = usualEnding(text);
  const fresh = withLineFeeds(replacement.new);
  const spellings = spellingsIn(plain, wholePassage(plain, sites));
  const parts: string[] = [];
  const original = createOriginal(text);
  let done = 0;
  for (const place of places) {
    const start = original(place.start);
    parts.push(text.slice(done, start), keepSpelling(place, fresh, spellings).replaceAll("\n", ending));
    done = original(place.end);
  }
  parts.push(text.slice(done));
  return { kind: "replaced", text: parts.join(""), count: places.length, line };
}

/** A whole text in place of another, by an agent that saw that one as it is shown. */
export function rewriteText(text: string, fresh: string): string {
  const sites = sitesIn(text);
  if (sites.length === 0) return fresh;
  const whole = wholePassage(text, sites);
  // A line can be shown in more than one way: those that were taken over are known by each of them.
  const shown = new Map<string, string>();
  const lines = whole.shown.split("\n");
  for (const view of [neutral(text).split("\n"), text.split("\n").map(neutral)])
    if (view.length === lines.length)
      for (const [index, line] of lines.entries()) shown.set(folded(view[index] ?? ""), line);
  const taken = fresh.split("\n").map((line) => shown.get(folded(line)) ?? line);
  return keepSpelling(whole, taken.join("\n"), spellingsIn(text, whole));
}

function withLineFeeds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function usualEnding(text: string): string {
  const all = text.split("\n").length - 1;
  const pairs = text.split("\r\n").length - 1;
  return pairs * 2 > all ? "\r\n" : "\n";
}

/** Where a place of the text with line feeds is in the text itself; asked in ascending order. */
function createOriginal(text: string): (place: number) => number {
  let pairs = 0;
  let next = text.indexOf("\r\n");
  return (place) => {
    while (next >= 0 && next - pairs < place) {
      pairs += 1;
      next = text.indexOf("\r\n", next + 2);
    }
    return place + pairs;
  };
}
