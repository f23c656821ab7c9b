import { expect, it } from "vitest";
import type { Row } from "./bench.ts";
import { jsonOf, tableOf, withSection } from "./report.ts";

const row: Row = {
  suite: "turn",
  name: "turn",
  unit: "ms",
  baseline: "JSON.parse",
  ours: [3, 4, 5],
  theirs: [2, 2, 2],
  goal: { timesWorse: 1.5 },
  note: "short",
};

it("a row shows both figures with their spread, their ratio, and whether the goal is met", () => {
  const rows: Row[] = [
    row,
    { ...row, name: "speed", unit: "MB/s", goal: { figure: 4 } },
    { ...row, name: "alone", theirs: [] },
  ];
  expect(tableOf({ rows }).split("\n").slice(4)).toEqual([
    "| turn (short) | 4 ±0.5 ms | 2 ±0 ms | 2× worse | ≤ 1.5× worse: **missed** | JSON.parse |",
    "| speed (short) | 4 ±0.5 MB/s | 2 ±0 MB/s | 2× better | ≥ 4 MB/s: met | JSON.parse |",
    "| alone (short) | 4 ±0.5 ms |  |  |  | JSON.parse |",
  ]);
});

it("JSON has the figure of each repetition", () => {
  const { rows, failures } = JSON.parse(jsonOf({ rows: [row], failures: [] }));
  expect(failures).toEqual([]);
  expect(rows).toEqual([
    {
      ...row,
      ours: { median: 4, spread: 0.5, samples: [3, 4, 5] },
      theirs: { median: 2, spread: 0, samples: [2, 2, 2] },
      better: 0.5,
      goal: { text: "≤ 1.5× worse", isMet: false },
    },
  ]);
});

it("a section of the page is replaced between its markers, and nothing else", () => {
  const page = "Above\n<!-- rows -->\nold\n<!-- end of rows -->\nBelow\n";
  expect(withSection(page, "rows", "new")).toBe("Above\n<!-- rows -->\nnew\n<!-- end of rows -->\nBelow\n");
  expect(() => withSection(page, "growth", "new")).toThrow("the page has no section growth");
});
