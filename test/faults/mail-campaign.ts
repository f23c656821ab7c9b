// The long mail storm: node --conditions=sotto-source test/faults/mail-campaign.ts [--letters 10000] [--seed 1]

import process from "node:process";
import { parseArgs } from "node:util";
import { mailStorm } from "./mail-storm.ts";

const { values } = parseArgs({
  options: { letters: { type: "string", default: "10000" }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
console.log(`seed ${seed}: ${values.letters} letters of 8 writers`);
let told = 0;
const { problems, ...report } = await mailStorm({
  seed,
  writers: 8,
  letters: Number(values.letters),
  progress(line) {
    told += 1;
    if (told % 40 === 0) console.log(line);
  },
});
for (const problem of problems.slice(0, 50)) console.log(`PROBLEM ${problem}`);
console.log(`${problems.length === 0 ? "fine" : "FAILED"}: seed ${seed}, ${JSON.stringify(report)}`);
process.exitCode = problems.length === 0 ? 0 : 1;
