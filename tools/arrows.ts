// Checks the dependency arrows, and that there was anything to check at all.

import { execFileSync } from "node:child_process";
import process from "node:process";

const command = [
  "depcruise",
  "packages/sotto/src",
  "packages/agent/src",
  "packages/gateway/src",
  "packages/cli/src",
  "--output-type",
  "json",
];
const output = execFileSync("npx", command, {
  encoding: "utf8",
  maxBuffer: 1 << 28,
  stdio: ["ignore", "pipe", "inherit"],
});
const { summary } = JSON.parse(output) as {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] };
};

for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} → ${to}`);
const enough = summary.totalCruised > 50;
if (!enough) console.error(`only ${summary.totalCruised} modules were seen: the check itself is broken`);
console.log(`arrows: ${summary.totalCruised} modules, ${summary.violations.length} violations`);
process.exitCode = summary.violations.length > 0 || !enough ? 1 : 0;
