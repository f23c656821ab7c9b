import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../../../../test/support/runs.ts";
import { seeded } from "../../../../../../test/support/seeded.ts";
import { matchLines } from "./diff.ts";

/** How many entries are kept, after a look that they are equal and rise. */
function kept(a: readonly number[], b: readonly number[], ids: number): number {
  let last = -1;
  let count = 0;
  for (const [index, match] of matchLines(Int32Array.from(a), Int32Array.from(b), ids).entries()) {
    if (match === -1) continue;
    if (match <= last || a[index] !== b[match]) throw new Error(`${index} is not ${match}`);
    last = match;
    count++;
  }
  return count;
}

/** The length of a longest common subsequence, by the book. */
function longest(a: readonly number[], b: readonly number[]): number {
  let previous = new Int32Array(b.length + 1);
  for (const one of a) {
    const current = new Int32Array(b.length + 1);
    for (let index = 1; index <= b.length; index++)
      current[index] =
        one === b[index - 1] && one >= 0
          ? (previous[index - 1] as number) + 1
          : Math.max(previous[index] as number, current[index - 1] as number);
    previous = current;
  }
  return previous[b.length] as number;
}

test("as much is kept as can be", () => {
  const sequence = (kinds: number) => fc.array(fc.integer({ min: 0, max: kinds }), { maxLength: 80 });
  const pair = fc.integer({ min: 1, max: 30 }).chain((kinds) => fc.tuple(sequence(kinds), sequence(kinds)));
  fc.assert(
    fc.property(pair, ([a, b]) => {
      expect(kept(a, b, 31)).toBe(longest(a, b));
    }),
    runs(500),
  );
});

test("what is in one only equals nothing", () => {
  expect([...matchLines(Int32Array.of(0, -1, 1), Int32Array.of(0, -1, 1), 2)]).toEqual([0, -1, 2]);
});

const { below, chance } = seeded(24);
const many = (count: number, make: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => make(index));

test.each<[string, number[], number[], number]>([
  ["noise of two kinds", many(4000, () => below(2)), many(4000, () => below(2)), 0.9],
  ["noise of twenty kinds", many(4000, () => below(20)), many(4000, () => below(20)), 0.6],
  [
    "noise between landmarks",
    many(4000, (index) => (index % 50 === 0 ? 10 + index : below(10))),
    many(4000, (index) => (index % 50 === 0 ? 10 + index : below(10))),
    0.8,
  ],
  [
    "a third replaced by what stands elsewhere",
    many(4000, (index) => index),
    many(4000, (index) => (chance(0.3) ? below(4000) : index)),
    0.95,
  ],
  ["two halves changed over", many(4000, (index) => index), many(4000, (index) => (index + 2000) % 4000), 1],
])("where the exact answer is too dear, a close one is found: %s", (_, a, b, share) => {
  expect(kept(a, b, 4010)).toBeGreaterThanOrEqual(longest(a, b) * share);
});
