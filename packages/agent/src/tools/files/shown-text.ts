// The model sees text with forged tags and control characters neutralised. This finds the original of a passage by what
// was shown.

import { diffChars } from "diff";
import { neutralise } from "../../untrusted-text.ts";

/** A range of the text that is shown differently. */
export interface Site {
  start: number;
  end: number;
  shown: string;
}

/** A passage of the text, and how it was shown. */
export interface Passage {
  start: number;
  end: number;
  shown: string;
  /** The ranges of `shown` that differ from the original, in order. */
  sites: readonly ShownSite[];
}

export interface ShownSite {
  from: number;
  to: number;
  original: string;
}

// How the bracket of a forged tag is shown; which one depends on the surrounding text.
const BRACKETS = ["[", "⟦"];

/** All sites, in order: as shown line by line, and as shown as a whole, since a tag can span lines. */
export function sitesIn(text: string): Site[] {
  const whole = neutralise(text);
  if (whole === text) return [];
  const sites = new Map<string, Site>();
  const add = (original: string, shown: string, offset: number) => {
    for (const { start, end, other } of differencesBetween(original, shown)) {
      const site = { start: offset + start, end: offset + end, shown: other };
      sites.set(`${site.start} ${site.end} ${site.shown}`, site);
    }
  };
  const lines = text.split("\n");
  const shownLines = whole.split("\n");
  const isEven = lines.length === shownLines.length;
  if (!isEven) add(text, whole, 0);
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    const alone = neutralise(line);
    add(line, alone, offset);
    const together = isEven ? (shownLines[index] ?? "") : alone;
    if (together !== alone) add(line, together, offset);
    offset += line.length + 1;
  }
  return [...sites.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Finds all passages that are shown as `wanted`, without overlaps. */
export function passagesShownAs(wanted: string, text: string, sites: readonly Site[]): Passage[] {
  const found: Passage[] = [];
  let done = 0;
  for (const start of startsOf(wanted, text, sites)) {
    if (start < done) continue;
    const match = matchAt({ wanted, text, sites }, start);
    if (match === undefined) continue;
    found.push({ start, shown: wanted, ...match });
    done = match.end;
  }
  return found;
}

/** The whole text as one passage. */
export function wholePassage(text: string, sites: readonly Site[]): Passage {
  const parts: string[] = [];
  const shownSites: ShownSite[] = [];
  let length = 0;
  let done = 0;
  const push = (part: string) => {
    parts.push(part);
    length += part.length;
  };
  for (const { start, end, shown } of sites) {
    if (start < done) continue;
    push(text.slice(done, start));
    const [form = shown] = formsOf(shown);
    shownSites.push({ from: length, to: length + form.length, original: text.slice(start, end) });
    push(form);
    done = end;
  }
  push(text.slice(done));
  return { start: 0, end: text.length, shown: parts.join(""), sites: shownSites };
}

function formsOf(shown: string): readonly string[] {
  return BRACKETS.includes(shown) ? BRACKETS : [shown];
}

/** Offsets where the first character occurs or is shown, in order. */
function* startsOf(wanted: string, text: string, sites: readonly Site[]): Generator<number> {
  const first = wanted.charAt(0);
  const shown = sites.filter((site) => formsOf(site.shown).some((form) => form.startsWith(first)));
  let index = 0;
  for (let at = text.indexOf(first); at >= 0 || index < shown.length; ) {
    const next = shown[index]?.start ?? Number.POSITIVE_INFINITY;
    if (next <= at || at < 0) {
      yield next;
      index += 1;
    } else {
      yield at;
      at = text.indexOf(first, at + 1);
    }
  }
}

interface Search {
  wanted: string;
  text: string;
  sites: readonly Site[];
}

type Match = Pick<Passage, "end" | "sites">;

/** Matches from an offset on; each site may match as it is or as it is shown. */
function matchAt(search: Search, start: number): Match | undefined {
  const dead = new Set<string>();
  const { wanted, text, sites } = search;
  const taken: ShownSite[] = [];
  const go = (at: number, from: number, next: number): Match | undefined => {
    const key = `${at} ${from} ${next}`;
    if (dead.has(key)) return undefined;
    let index = firstFrom(sites, at, next);
    const until = sites[index]?.start ?? text.length;
    const length = Math.min(until - at, wanted.length - from);
    if (!wanted.startsWith(text.slice(at, at + length), from)) return undefined;
    const here = at + length;
    const reached = from + length;
    if (reached === wanted.length) return { end: here, sites: [...taken] };
    if (here === until) {
      for (; sites[index]?.start === here; index += 1) {
        const { end, shown } = sites[index] as Site;
        for (const form of formsOf(shown)) {
          if (!wanted.startsWith(form, reached)) continue;
          const to = reached + form.length;
          taken.push({ from: reached, to, original: text.slice(here, end) });
          const match = go(end, to, index + 1);
          if (match !== undefined) return match;
          taken.pop();
        }
      }
      if (here < text.length && text[here] === wanted[reached]) {
        const match = go(here + 1, reached + 1, index);
        if (match !== undefined) return match;
      }
    }
    dead.add(key);
    return undefined;
  };
  return go(start, 0, 0);
}

/** The index of the first site that starts at or after `at`, from `next` on. */
function firstFrom(sites: readonly Site[], at: number, next: number): number {
  let low = next;
  let high = sites.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sites[middle] as Site).start < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Differences between two nearly equal texts of any length.

export interface Difference {
  start: number;
  end: number;
  /** The text in the other version. */
  other: string;
}

// This many equal characters mean that both texts are in step again; fewer are tried second.
const IN_STEP = [8, 4] as const;
// Most changes replace or remove a few characters.
const LONGEST_CHANGE = 64;
const WINDOW = 48;
const LARGEST_WINDOW = 4096;

export function differencesBetween(text: string, other: string): Difference[] {
  const found: Difference[] = [];
  let at = 0;
  let there = 0;
  const differ = (length: number, shown: string) => {
    const last = found.at(-1);
    if (last?.end === at) Object.assign(last, { end: at + length, other: last.other + shown });
    else found.push({ start: at, end: at + length, other: shown });
  };
  for (;;) {
    const same = commonLength(text, other, at, there);
    at += same;
    there += same;
    if (at === text.length && there === other.length) return found;
    for (const { gone, come, isSame } of changesFrom(text.slice(at), other.slice(there))) {
      if (!isSame) differ(gone, come);
      at += gone;
      there += come.length;
    }
  }
}

interface Step {
  gone: number;
  come: string;
  isSame: boolean;
}

/** The changes until both texts are in step again. Both start with a difference. */
function changesFrom(text: string, other: string): Step[] {
  for (const much of IN_STEP)
    for (let gone = 1; gone <= Math.min(text.length, LONGEST_CHANGE); gone += 1) {
      const rest = text.slice(gone);
      if (isInStep(rest, other.slice(1), much)) return [{ gone, come: other.charAt(0), isSame: false }];
      if (isInStep(rest, other, much)) return [{ gone, come: "", isSame: false }];
    }
  for (let window = WINDOW; ; window *= 4) {
    const isAll = text.length <= window && other.length <= window;
    if (!isAll && window > LARGEST_WINDOW) return [{ gone: text.length, come: other, isSame: false }];
    const steps: Step[] = [];
    for (const { value, added, removed } of diffChars(text.slice(0, window), other.slice(0, window))) {
      const isSame = !added && !removed;
      if (isSame && value.length >= IN_STEP[0] && steps.length > 0) return steps;
      steps.push({ gone: added ? 0 : value.length, come: removed ? "" : value, isSame });
    }
    if (isAll) return steps;
  }
}

function isInStep(text: string, other: string, much: number): boolean {
  const ahead = other.slice(0, much);
  return ahead.length < much ? text === other : text.startsWith(ahead);
}

function commonLength(text: string, other: string, at: number, there: number): number {
  const most = Math.min(text.length - at, other.length - there);
  let length = 0;
  while (length < most && text.charCodeAt(at + length) === other.charCodeAt(there + length)) length += 1;
  return length;
}
