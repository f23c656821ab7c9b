// `npm run bench -- growth`: measures how things grow, as a table and as charts.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { machine, writePage } from "../report.ts";
import { sheetOf } from "./chart.ts";
import { measureGrowth } from "./series.ts";
import { growthTable } from "./table.ts";

const picture = new URL("../growth.svg", import.meta.url);

export async function growthReport({
  repetitions,
  json,
  write,
}: {
  repetitions: number;
  json: boolean;
  write: boolean;
}): Promise<number> {
  const progress = (what: string) => process.stderr.write(`${what} …\n`);
  const charts = await measureGrowth({ repetitions, progress });
  console.log(json ? JSON.stringify({ machine: machine(), charts }, null, 2) : growthTable(charts));
  if (write) {
    writeFileSync(picture, sheetOf(charts));
    writePage("growth", growthTable(charts));
  }
  return 0;
}
