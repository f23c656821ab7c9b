// Which line of a new text comes from which line of the old one: those that have most in common, in order.

import { diffArrays } from "diff";

export type Pair = [before: number, after: number];

// So many comparisons take a few milliseconds; of larger texts only equal lines are paired first.
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

/** From the beginnings on, or from the ends. */
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

/** The longest common subsequence, where lines weigh what they have in common. */
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

/** Nothing where it is less than half of the shorter one; of two that have as much, the nearer one. */
function inCommon(one: string, other: string): number {
  if (one === other) return one.length + 1;
  const most = Math.min(one.length, other.length);
  const start = commonLength(one, other, 1, most);
  const length = start + commonLength(one, other, -1, most - start);
  return length > 0 && length * 2 >= most ? length + length / (one.length + other.length) : 0;
}
