// The long storm: node --conditions=sotto-source test/faults/campaign.ts --kills 10000 [--seed 1] [--session 17]

import { parseArgs } from "node:util";
import { type StormReport, storm } from "./storm.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "10000" },
    seed: { type: "string" },
    session: { type: "string" },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const started = performance.now();
console.log(`seed ${seed}: ${kills} kills`);

const only = values.session === undefined ? undefined : Number(values.session);
const report = await storm({ seed, kills, only, progress: (soFar) => console.log(line(soFar)) });
for (const [point, count] of Object.entries(report.kills))
  console.log(`${String(count).padStart(6)}  ${point}`);
for (const [fault, count] of Object.entries(report.faults).sort())
  console.log(`${String(count).padStart(6)}  ${fault}`);
for (const problem of report.problems) console.log(`PROBLEM ${problem}`);
for (const directory of report.kept) console.log(`kept: ${directory}`);
console.log(`${report.problems.length === 0 ? "fine" : "FAILED"}: seed ${seed}, ${line(report)}`);
process.exitCode = report.problems.length === 0 ? 0 : 1;

function line({ sessions, kills: byPoint, faults, found, problems }: StormReport): string {
  const killed = sum(byPoint);
  const { requests, delivered, unsure, continued, degraded } = found;
  return [
    `${killed} kills (each point at least ${Math.min(...Object.values(byPoint))} times)`,
    `${sum(faults)} other faults`,
    `${sessions} sessions`,
    `${requests} requests (${continued} continue another, ${degraded} as they were given)`,
    `${delivered} one-shots said once (${unsure} of them unacknowledged)`,
    `${problems.length} problems`,
    `${Math.round((performance.now() - started) / 1000)} s`,
  ].join(", ");
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, one) => total + one, 0);
}
