// Runs every benchmark with its baseline and prints one table. `npm run bench -- turn` runs those whose file name matches.

import process from "node:process";
import type { BenchRow } from "./row.ts";

const files = [
  "turn",
  "throttle",
  "neutraliser",
  "import-time",
  "hook-call",
  "open-session",
  "store",
  "diff",
  "nested-memory",
  "changed-files",
  "tokens",
  "budget",
  "prompt-cache",
];
const wanted = process.argv.slice(2);

const rows: BenchRow[] = [];
for (const file of files.filter(
  (name) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
)) {
  process.stderr.write(`${file} …\n`);
  const { rows: run } = (await import(`./${file}.ts`)) as { rows(): Promise<BenchRow[]> };
  rows.push(...(await run()));
}

console.log(
  `Node ${process.version}, ${process.platform} ${process.arch}. Ratios are what counts; absolute times are this machine's.\n`,
);
console.log("| what | ours | baseline | ratio | baseline is |");
console.log("|---|---|---|---|---|");
for (const row of rows) console.log(tableLine(row));

function tableLine({ name, baseline, ours, theirs, unit, note }: BenchRow): string {
  const ratio = unit.endsWith("/s") ? ours / theirs : theirs / ours;
  const words = ratio >= 1 ? `${number(ratio)}× better` : `${number(1 / ratio)}× worse`;
  return `| ${name}${note === undefined ? "" : ` (${note})`} | ${number(ours)} ${unit} | ${number(theirs)} ${unit} | ${words} | ${baseline} |`;
}

function number(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
