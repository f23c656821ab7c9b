// `npm run test:postgres-faults`: large storms on Postgres, by default with more than 2,000 faults.

import process from "node:process";
import { parseArgs } from "node:util";
import { faultsIn, postgresStorm, providerStorm } from "./postgres-storm.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "300" },
    crashes: { type: "string", default: "50" },
  },
});
const options = {
  seed: Number(values.seed),
  kills: Number(values.kills),
  crashes: Number(values.crashes),
};
const reports = [
  await postgresStorm({ ...options, sessions: ["one", "two", "three"] }),
  await providerStorm(options),
];
console.log(JSON.stringify(reports, undefined, 2));
const problems = reports.flatMap((report) => report.problems);
const faults = reports.reduce((sum, report) => sum + faultsIn(report), 0);
console.log(`${faults} faults, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
