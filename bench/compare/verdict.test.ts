import { expect, it } from "vitest";
import type { Row } from "../bench.ts";
import { compareRows } from "./verdict.ts";

const row = (name: string, ours: number[], unit = "ms"): Row => ({
  suite: "turn",
  name,
  unit,
  baseline: "none",
  ours,
  theirs: [],
});

const verdictOf = (before: number[], after: number[], unit?: string) =>
  compareRows([row("one", before, unit)], [row("one", after, unit)]).rows[0]?.verdict;

it("15% more is the same, more than that is worse", () => {
  expect(verdictOf([100, 100, 100], [115, 115, 115])).toBe("same");
  expect(verdictOf([100, 100, 100], [116, 116, 116])).toBe("worse");
  expect(verdictOf([116, 116, 116], [100, 100, 100])).toBe("better");
});

it("the spreads of both come on top", () => {
  expect(verdictOf([80, 90, 100, 110, 120], [130, 130, 130])).toBe("worse");
  expect(verdictOf([80, 90, 100, 110, 120], [124, 124, 124])).toBe("same");
  expect(verdictOf([80, 90, 100, 110, 120], [110, 120, 130, 140, 150])).toBe("same");
});

it("a row that was as good as before at least once had bad luck", () => {
  expect(verdictOf([100, 100, 100, 100, 100], [130, 130, 130, 130, 101])).toBe("worse");
  expect(verdictOf([100, 100, 100, 100, 100], [130, 130, 130, 130, 100])).toBe("same");
});

it("a speed is worse if it is lower, and its ratio is one of costs", () => {
  expect(verdictOf([200, 200, 200], [100, 100, 100], "MB/s")).toBe("worse");
  expect(verdictOf([100, 100, 100], [200, 200, 200], "MB/s")).toBe("better");
  const { rows } = compareRows([row("one", [200], "MB/s")], [row("one", [100], "MB/s")]);
  expect(rows).toEqual([
    {
      suite: "turn",
      name: "one",
      unit: "MB/s",
      before: { median: 200, spread: 0 },
      after: { median: 100, spread: 0 },
      ratio: 2,
      verdict: "worse",
    },
  ]);
});

it("a row that only one checkout has is named, and no verdict", () => {
  expect(compareRows([row("old", [1])], [row("new", [100])])).toEqual({
    rows: [],
    onlyBefore: ["old"],
    onlyAfter: ["new"],
  });
});
