// Charts as tables: a line for each curve, a column for each size.

import { digits } from "../figures.ts";
import { machine } from "../report.ts";
import type { Chart } from "./chart.ts";

export function growthTable(charts: readonly Chart[]): string {
  return [`${machine()}.`, ...charts.flatMap((chart) => ["", ...tableOf(chart)])].join("\n");
}

function tableOf({ across, up, lines }: Chart): string[] {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(([size]) => size)))].sort(
    (a, b) => a - b,
  );
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    row([`${up}, by ${across}`, ...sizes.map((size) => size.toLocaleString("en"))]),
    row(["---", ...sizes.map(() => "--:")]),
    ...lines.map(({ name, isBaseline, points }) => {
      const figures = new Map(points);
      const cells = sizes.map((size) => {
        const figure = figures.get(size);
        return figure === undefined ? "" : digits(figure);
      });
      return row([isBaseline ? `*${name}*` : name, ...cells]);
    }),
  ];
}
