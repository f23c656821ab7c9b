// Applies new text to a passage that the model saw with neutralised tags: unchanged parts keep their original spelling,
// and a tag that the model wrote as it was shown gets the spelling it has in the file.

import { diffArrays } from "diff";
import type { Passage, ShownSite } from "./shown-text.ts";

/** Original spellings of tags by how they are shown; several when that is ambiguous. */
export type Spellings = ReadonlyMap<string, ReadonlySet<string>>;

/** A range of the shown text. */
interface Span {
  from: number;
  to: number;
}

/** A neutralised tag: its bracket and its name, which must stay together. */
interface Tag extends Span {
  original: string;
}

// From a bracket to the end of the first word after it.
const NAME = /[^\p{L}\p{N}\n]{0,40}[\p{L}\p{N}_-]{1,60}/uy;
const BRACKET = /^[[⟦]$/u;

/** Collects the spellings in a whole file. */
export function spellingsIn(text: string, whole: Passage): Spellings {
  const spellings = new Map<string, Set<string>>();
  for (const { from, to, original } of tagsIn(whole))
    for (const bracket of ["[", "⟦"]) {
      const form = bracket + whole.shown.slice(from + 1, to);
      // The file may contain the shown form itself.
      const known = spellings.get(form) ?? new Set(text.includes(form) ? [form] : []);
      spellings.set(form, known.add(original));
    }
  return spellings;
}

/** Throws, with a message for the model, when it is unclear which spelling was meant. */
export function keepSpelling(passage: Passage, fresh: string, spellings: Spellings): string {
  const tags = tagsIn(passage);
  const unclear = unclearIn(passage, fresh, { tags, spellings });
  const old = linesOf(passage.shown);
  const written: string[] = [];
  for (const { before, after } of changedLines(old, fresh)) {
    const [first] = before;
    const last = before.at(-1);
    const text = after.join("\n");
    const isKept = before.length === 1 && folded(first?.text ?? "") === folded(text);
    const form = isKept ? undefined : unclear.find((one) => text.includes(one));
    if (form !== undefined) throw unclearError(form);
    if (first === undefined || last === undefined)
      written.push(...after.map((line) => respell(line, spellings)));
    else if (after.length > 0)
      written.push(changed({ passage, tags, spellings }, { from: first.from, to: last.to }, text));
  }
  return written.join("\n");
}

/** Forms with several spellings in the passage, whose number changes: which one was meant is unclear. */
function unclearIn(
  passage: Passage,
  fresh: string,
  { tags, spellings }: Omit<PassageContext, "passage">,
): string[] {
  return [...spellings.keys()].filter((form) => {
    if (!fresh.includes(form)) return false;
    const pattern = new RegExp(escaped(form), "gu");
    const there = spelled(pattern, { passage, tags, from: 0, to: passage.shown.length });
    return (
      new Set(there.map(({ original }) => original)).size > 1 &&
      there.length !== [...fresh.matchAll(pattern)].length
    );
  });
}

function unclearError(form: string): Error {
  return new Error(
    `${JSON.stringify(form)} has more than one spelling in this passage, and it is unclear which one you mean: change fewer lines at once`,
  );
}

interface PassageContext {
  passage: Passage;
  tags: readonly Tag[];
  spellings: Spellings;
}

/** Keeps the common start and end in their original spelling, without splitting a tag. */
function changed({ passage, tags, spellings }: PassageContext, { from, to }: Span, added: string): string {
  const before = folded(passage.shown.slice(from, to));
  const after = folded(added);
  let start = from + commonLength(before, after, 1, Math.min(before.length, after.length));
  start = tagAround(tags, start)?.from ?? start;
  const most = Math.min(to - start, after.length - (start - from));
  let stop = to - commonLength(before, after, -1, most);
  stop = tagAround(tags, stop)?.to ?? stop;
  const middle = added.slice(start - from, added.length - (to - stop));
  const gone = { passage, tags, from: start, to: stop };
  return (
    originalOf(passage, { from, to: start }) +
    respell(middle, spellings, gone) +
    originalOf(passage, { from: stop, to }, stop === start)
  );
}

/** Spells the tags of new text like those they replace, otherwise like those in the file. */
function respell(
  text: string,
  spellings: Spellings,
  gone?: Span & Pick<PassageContext, "passage" | "tags">,
): string {
  const forms = [...spellings.keys()].filter((form) => text.includes(form));
  if (forms.length === 0) return text;
  const pattern = new RegExp(
    forms
      .sort((a, b) => b.length - a.length)
      .map(escaped)
      .join("|"),
    "gu",
  );
  const before = Map.groupBy(gone === undefined ? [] : spelled(pattern, gone), ({ form }) => form);
  const counts = Map.groupBy(text.matchAll(pattern), ([form]) => form);
  const used = new Map<string, number>();
  return text.replace(pattern, (form) => {
    const originals = (before.get(form) ?? []).map(({ original }) => original);
    const number = used.get(form) ?? 0;
    used.set(form, number + 1);
    if (originals.length === 0) {
      const [only = form, other] = spellings.get(form) ?? [];
      return other === undefined ? only : form;
    }
    if (new Set(originals).size === 1 || originals.length === counts.get(form)?.length)
      return originals[number] ?? originals[0] ?? form;
    throw unclearError(form);
  });
}

/** Matches in the shown text with their originals: tags, and text that really looks like that. */
function spelled(
  pattern: RegExp,
  { passage, tags, from, to }: Span & Pick<PassageContext, "passage" | "tags">,
): { form: string; original: string }[] {
  return [...passage.shown.slice(from, to).matchAll(pattern)].map(({ 0: form, index }) => {
    const tag = tags[firstFrom(tags, from + index)];
    return { form, original: tag?.from === from + index ? tag.original : form };
  });
}

type Line = Span & { text: string };

interface ChangedLines {
  before: Line[];
  after: string[];
}

/** Pairs kept or similar lines one by one, and other lines with their replacement. */
function changedLines(old: readonly Line[], fresh: string): ChangedLines[] {
  const lines = fresh.split("\n");
  const changes: ChangedLines[] = [];
  let at = 0;
  let there = 0;
  const upTo = (end: number, stop: number) => {
    if (end > at || stop > there)
      changes.push({ before: old.slice(at, end), after: lines.slice(there, stop) });
    [at, there] = [end, stop];
  };
  const texts = old.map(({ text }) => folded(text));
  for (const [one, other] of pairLines(texts, lines.map(folded))) {
    upTo(one, other);
    upTo(one + 1, other + 1);
  }
  upTo(old.length, lines.length);
  return changes;
}

function linesOf(text: string): Line[] {
  let from = 0;
  return text.split("\n").map((line) => {
    const span = { text: line, from, to: from + line.length };
    from = span.to + 1;
    return span;
  });
}

function tagsIn(passage: Passage): Tag[] {
  const { shown, sites } = passage;
  const tags: Tag[] = [];
  for (const { from, to } of sites) {
    if (!BRACKET.test(shown.slice(from, to))) continue;
    NAME.lastIndex = to;
    const name = NAME.exec(shown)?.[0];
    // A bracket alone is no tag.
    if (name === undefined || from < (tags.at(-1)?.to ?? 0)) continue;
    const whole = { from, to: to + name.length };
    tags.push({ ...whole, original: originalOf(passage, whole) });
  }
  return tags;
}

/** The original text of a shown range, including hidden characters at both ends. */
function originalOf({ shown, sites }: Passage, { from, to }: Span, withoutFirst = false): string {
  const parts: string[] = [];
  let at = from;
  for (let index = firstFrom(sites, from); index < sites.length; index += 1) {
    const site = sites[index] as ShownSite;
    if (site.to > to) break;
    if (withoutFirst && site.from === from && site.to === from) continue;
    parts.push(shown.slice(at, site.from), site.original);
    at = site.to;
  }
  parts.push(shown.slice(at, to));
  return parts.join("");
}

function tagAround(tags: readonly Tag[], at: number): Tag | undefined {
  const tag = tags[firstFrom(tags, at) - 1];
  return tag !== undefined && at < tag.to ? tag : undefined;
}

/** The index of the first that starts at or after `at`. */
function firstFrom(list: readonly { from: number }[], at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.from ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Treats both shown brackets as equal: which one is used depends on the surrounding text. */
export function folded(text: string): string {
  return text.replaceAll("⟦", "[");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}

// Pairs lines of the old and the new text by similarity, in order.

export type Pair = [before: number, after: number];

// This many comparisons take a few milliseconds; in larger texts, equal lines are paired first.
const MOST_COMPARISONS = 250_000;
const MOST_CHANGES = 20_000;

export function pairLines(before: readonly string[], after: readonly string[]): Pair[] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const middle = pairMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return [
    ...Array.from({ length: start }, (_, index): Pair => [index, index]),
    ...middle.map(([one, other]): Pair => [start + one, start + other]),
    ...Array.from(
      { length: end },
      (_, index): Pair => [before.length - end + index, after.length - end + index],
    ),
  ];
}

/** From the start, or from the end. */
export function commonLength(one: string, other: string, direction: 1 | -1, most: number): number {
  const at = (text: string, index: number) =>
    text.charCodeAt(direction > 0 ? index : text.length - 1 - index);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}

function pairMiddle(before: string[], after: string[]): Pair[] {
  if (before.length * after.length <= MOST_COMPARISONS) return mostInCommon(before, after);
  const parts = diffArrays(before, after, { maxEditLength: MOST_CHANGES }) ?? [];
  const pairs: Pair[] = [];
  const gap: Pair = [0, 0];
  const last: Pair = [0, 0];
  const close = (one: number, other: number) => {
    const [from, start] = gap;
    if ((one - from) * (other - start) <= MOST_COMPARISONS)
      for (const [a, b] of mostInCommon(before.slice(from, one), after.slice(start, other)))
        pairs.push([from + a, start + b]);
  };
  for (const { count, added, removed } of parts) {
    if (!added && !removed) {
      close(last[0], last[1]);
      for (let index = 0; index < count; index += 1) pairs.push([last[0] + index, last[1] + index]);
      gap[0] = last[0] + count;
      gap[1] = last[1] + count;
    }
    if (!added) last[0] += count;
    if (!removed) last[1] += count;
  }
  close(last[0], last[1]);
  return pairs;
}

/** The longest common subsequence, weighted by the similarity of lines. */
function mostInCommon(before: readonly string[], after: readonly string[]): Pair[] {
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const weights = new Float64Array(before.length * after.length);
  for (let one = before.length - 1; one >= 0; one -= 1)
    for (let other = after.length - 1; other >= 0; other -= 1) {
      const weight = inCommon(before[one] ?? "", after[other] ?? "");
      weights[one * after.length + other] = weight;
      const paired = weight === 0 ? 0 : weight + (best[(one + 1) * width + other + 1] ?? 0);
      const skipped = Math.max(best[(one + 1) * width + other] ?? 0, best[one * width + other + 1] ?? 0);
      best[one * width + other] = Math.max(paired, skipped);
    }
  const pairs: Pair[] = [];
  for (let one = 0, other = 0; one < before.length && other < after.length; ) {
    const here = best[one * width + other] ?? 0;
    const weight = weights[one * after.length + other] ?? 0;
    if (weight > 0 && here === weight + (best[(one + 1) * width + other + 1] ?? 0)) {
      pairs.push([one, other]);
      one += 1;
      other += 1;
    } else if (here === best[(one + 1) * width + other]) one += 1;
    else other += 1;
  }
  return pairs;
}

/** 0 when less than half of the shorter line is common; ties go to the closer length. */
function inCommon(one: string, other: string): number {
  if (one === other) return one.length + 1;
  const most = Math.min(one.length, other.length);
  const start = commonLength(one, other, 1, most);
  const length = start + commonLength(one, other, -1, most - start);
  return length > 0 && length * 2 >= most ? length + length / (one.length + other.length) : 0;
}
