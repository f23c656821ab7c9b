// `npm run test:postgres-faults`: a large storm on Postgres, by default with 2,000 faults and more.

import process from "node:process";
import { parseArgs } from "node:util";
import { postgresStorm } from "./postgres-storm.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    kills: { type: "string", default: "700" },
    crashes: { type: "string", default: "100" },
  },
});
const report = await postgresStorm({
  seed: Number(values.seed),
  kills: Number(values.kills),
  crashes: Number(values.crashes),
  processes: 8,
  sessions: ["one", "two", "three"],
});
console.log(JSON.stringify(report, undefined, 2));
process.exit(report.problems.length === 0 ? 0 : 1);
