import { expect, it } from "vitest";
import { type Chart, logScale, sheetOf, spreadOut } from "./chart.ts";
import { growthTable } from "./table.ts";

const chart: Chart = {
  title: "Messages",
  across: "messages",
  up: "ms a turn",
  lines: [
    {
      name: "turn",
      isBaseline: false,
      points: [
        [10, 0.2],
        [1000, 0.3],
      ],
    },
    {
      name: 'parse <"all">',
      isBaseline: true,
      points: [
        [10, 0.1],
        [100, 1],
        [1000, 10],
      ],
    },
  ],
};

it("a logarithmic axis ends at powers of ten and gives each the same room", () => {
  const { powers, at } = logScale([3, 700], [0, 300]);
  expect(powers).toEqual([1, 10, 100, 1000]);
  expect(powers.map(at)).toEqual([0, 100, 200, 300]);
  expect(logScale([5], [0, 10]).powers).toEqual([1, 10]);
});

it("a chart has one path and a name for each line, and a dot for each point", () => {
  const svg = sheetOf([chart, chart]);
  expect(svg.match(/class="line"/gu)).toHaveLength(2);
  expect(svg.match(/class="line baseline"/gu)).toHaveLength(2);
  expect(svg.match(/<circle/gu)).toHaveLength(10);
  expect(svg).toContain(">parse &lt;&quot;all&quot;></text>");
  expect(svg).toContain("prefers-color-scheme: dark");
  expect(svg).not.toContain("NaN");
  // Every element that is opened is closed.
  expect(svg.match(/<(?!\/)[a-z]+[^>]*[^/]>/gu)?.length).toBe(svg.match(/<\/[a-z]+>/gu)?.length);
});

it("names that would overlap are moved apart, in the order of their lines", () => {
  expect(spreadOut([50, 48, 10], 15)).toEqual([63, 48, 10]);
});

it("the table has a column for each size, empty where a line was not measured", () => {
  expect(growthTable([chart]).split("\n").slice(2)).toEqual([
    "| ms a turn, by messages | 10 | 100 | 1,000 |",
    "| --- | --: | --: | --: |",
    "| turn | 0.2 |  | 0.3 |",
    '| *parse <"all">* | 0.1 | 1 | 10 |',
  ]);
});
