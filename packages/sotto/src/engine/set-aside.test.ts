import fc from "fast-check";
import { expect, it } from "vitest";
import { runs } from "../../../../test/support/runs.ts";
import { findFailing } from "./set-aside.ts";

const boom = (covers?: readonly string[]) => ({
  reason: "boom",
  tooLarge: false,
  ...(covers === undefined ? {} : { covers }),
});
const ids = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);

it("finds each of a few among many, whoever else is there", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 400 }),
      fc.uniqueArray(fc.nat(399), { maxLength: 3 }),
      (count, at) => {
        const pending = ids(count);
        const wrong = new Set(at.flatMap((index) => pending[index] ?? []));
        const fails = (some: readonly string[]) => (some.some((id) => wrong.has(id)) ? boom() : undefined);
        const sifted = findFailing(pending, [boom()], fails);
        expect([...(sifted?.aside.keys() ?? [])].sort()).toEqual([...wrong].sort());
        expect(sifted?.left).toEqual([]);
      },
    ),
    runs(300),
  );
});

it("looks only among those it was told of", () => {
  const asked: number[] = [];
  const pending = ids(1000);
  const sifted = findFailing(pending, [boom(["e7", "e8"])], (some) => {
    asked.push(some.length);
    return some.includes("e8") ? boom() : undefined;
  });
  expect([...(sifted?.aside.keys() ?? [])]).toEqual(["e8"]);
  expect(asked).toEqual([998, 2, 1, 1, 999]);
});

it("what is only too much together comes in parts", () => {
  const fails = (some: readonly string[]) => (some.length > 3 ? boom() : undefined);
  expect(findFailing(ids(10), [boom()], fails)).toEqual({
    aside: new Map(),
    left: ["e5", "e6", "e7", "e8", "e9", "e2", "e3", "e4"],
  });
});

it("blames none where it fails without them, too", () => {
  expect(findFailing(ids(10), [boom()], () => boom())).toBeUndefined();
});

it("ends, however many are bad", () => {
  let asked = 0;
  const sifted = findFailing(ids(10_000), [boom()], (some) => {
    asked += 1;
    return some.length > 0 ? boom() : undefined;
  });
  expect(asked).toBeLessThan(100);
  expect((sifted?.aside.size ?? 0) + (sifted?.left.length ?? 0)).toBe(10_000);
});
