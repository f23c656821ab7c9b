// Measures Sotto beside baselines: `npm run bench -- --help`.

import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type BenchOptions, createBench, type Results } from "./bench.ts";
import { help, readCommand } from "./command.ts";
import { jsonOf, tableOf, writePage } from "./report.ts";
import { loadSuite, type SuiteAbout } from "./suites.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  process.exitCode = await run();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}

async function run(): Promise<number> {
  const command = readCommand(process.argv.slice(2));
  if (command.do === "help") {
    console.log(help);
    return 0;
  }
  // Loaded on demand: the rows of an older commit are measured without them.
  if (command.do === "compare") return (await import("./compare/compare.ts")).compareWith(command);
  if (command.do === "growth") return (await import("./growth/growth.ts")).growthReport(command);
  const results = await measureAll(command.suites, command);
  console.log(command.json ? jsonOf(results) : tableOf(results));
  for (const { suite, name, problem } of results.failures)
    process.stderr.write(`failed: ${suite}, ${name}: ${problem}\n`);
  if (results.failures.length > 0) return 1;
  if (command.write) writePage("rows", tableOf(results));
  return 0;
}

async function measureAll(suites: readonly SuiteAbout[], options: BenchOptions): Promise<Results> {
  const missing = ["packages/sotto/dist/index-node.js", "packages/cli/dist/hook.cjs"].find(
    (file) => !existsSync(`${root}${file}`),
  );
  if (missing !== undefined && suites.some(({ needsBuild }) => needsBuild === true))
    throw new Error(`${missing} is missing: run \`npm run build\` first`);
  const all: Results = { rows: [], failures: [] };
  for (const { name } of suites) {
    process.stderr.write(`${name} …\n`);
    const bench = createBench(name, options);
    const { rows, failures } = await bench.run(async (one) => (await loadSuite(name))(one));
    all.rows.push(...rows);
    all.failures.push(...failures);
  }
  return all;
}
