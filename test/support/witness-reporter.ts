// The table type → source → process → test, at the end of a run; the whole suite fails where a type has no witness.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import type { Witness } from "./witness.ts";

type Row = Witness & { test: string };

const TABLE = join("node_modules", ".cache", "sotto", "witnesses.md");

export function createWitnessReporter(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(context) {
      vitest = context;
    },
    async onTestRunEnd(modules, _errors, reason) {
      if (vitest === undefined) return;
      const { root } = vitest.config;
      const rows = modules.flatMap((one) => rowsOf(one, root)).sort((a, b) => (a.type < b.type ? -1 : 1));
      if (rows.length === 0) return;
      const path = join(root, TABLE);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, tableOf(rows));
      if (!(await isWhole(vitest, modules, reason))) return;
      vitest.logger.log(`\n${tableOf(rows)}\n${rows.length} witnesses, kept in ${TABLE}`);
      const missing = missingIn(modules, rows);
      if (missing.length === 0) return;
      vitest.logger.error(`\nNo test showed these types from their real source: ${missing.join(", ")}`);
      process.exitCode = 1;
    },
  };
}

/** What failed has shown nothing. */
function rowsOf(module: TestModule, root: string): Row[] {
  return [...module.children.allTests("passed")].flatMap((test) =>
    (test.meta().witnesses ?? []).map((one) => ({
      ...one,
      test: `${relative(root, module.moduleId)}: ${test.fullName}`,
    })),
  );
}

function missingIn(modules: readonly TestModule[], rows: readonly Witness[]): string[] {
  const awaited = modules.flatMap((one) =>
    [...one.children.allTests()].flatMap((test) => test.meta().awaited ?? []),
  );
  return awaited.filter((type) => !rows.some((row) => row.type === type));
}

/** A part of the suite shows a part of the types: nothing is wrong with that. */
async function isWhole(
  vitest: Vitest,
  modules: readonly TestModule[],
  reason: TestRunEndReason,
): Promise<boolean> {
  const { testNamePattern, shard } = vitest.config;
  if (reason === "interrupted" || testNamePattern !== undefined || shard !== undefined) return false;
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId));
}

function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ type, source, process: by, test }) => [type, source, by, test]);
  const lines = [["type", "source", "process", "test"], ["---", "---", "---", "---"], ...cells];
  return lines.map((line) => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}
