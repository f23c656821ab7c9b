// The cases of rules.json and imports.json through what the library and the CLI say about them.

import { type InstructionsReport, instructionsFor } from "sotto/inspect";
import { describe, expect, test } from "vitest";
import { runSotto } from "../../packages/cli/test/run-sotto.ts";
import {
  type ImportCase,
  importCases,
  type RuleCase,
  ruleCases,
  temporaryRoot,
} from "../support/file-cases.ts";
import { plant, type Tree } from "../support/memory-files.ts";

interface Question {
  cwd: string;
  home: string;
  paths?: string[];
  managedDir?: string;
  allowExternal?: boolean;
}

type Ask = (question: Question) => Promise<InstructionsReport>;

const library: Ask = ({ cwd, home, paths, managedDir, allowExternal = false }) =>
  instructionsFor({
    cwd,
    home,
    ...(paths && { paths }),
    config: { memory: { managed_dir: managedDir, allow_external_imports: allowExternal } },
  });

const program: Ask = async ({ cwd, home, paths = [], managedDir, allowExternal }) => {
  const options = [
    ...(managedDir === undefined ? [] : ["--managed-dir", managedDir]),
    ...(allowExternal ? ["--allow-external-imports"] : []),
  ];
  const { code, stdout } = await runSotto(["memory", "--cwd", cwd, "--json", ...options, ...paths], {
    env: { HOME: home },
  });
  expect(code).toBe(0);
  return JSON.parse(stdout) as InstructionsReport;
};

/** Those that need a worker, a link as working directory, a managed directory, a second read. */
const RULES_BY_PROGRAM = ["R047", "R068", "R079", "R090"];
/** Deep ones, a nested root, an import from outside. */
const IMPORTS_BY_PROGRAM = ["I007", "I018", "I043"];

async function checkRules(given: RuleCase, ask: Ask): Promise<void> {
  const root = temporaryRoot();
  await plant(root, { ...given, dirs: [given.home, ...(given.symlinks?.[given.cwd] ? [] : [given.cwd])] });
  const readings = [given, ...(given.then ?? [])];
  const report = await ask({
    cwd: root + given.cwd,
    home: root + given.home,
    managedDir: root + given.managedDir,
    paths: readings.map(({ readPath }) => root + readPath),
  });
  for (const { readPath, expectIncluded, expectExcluded } of readings) {
    const with_ = <Entry extends { for: string; path: string }>(entries: Entry[]) =>
      entries.filter((one) => one.for === root + readPath).map(({ path }) => path.slice(root.length));
    const accepted = [expectIncluded, ...(given.alsoAccept ?? []).map(({ included }) => included)];
    const loaded = with_(report.loaded);
    expect(accepted).toContainEqual(loaded);
    const told = new Set([...loaded, ...with_(report.skipped)]);
    expect(expectExcluded.filter((path) => path.endsWith(".md") && !told.has(path))).toEqual([]);
  }
}

async function checkImports(given: ImportCase, ask: Ask): Promise<void> {
  const root = temporaryRoot();
  await plant(root, {
    ...given,
    files: mapped(root, given.files),
    dirs: [given.cwd, given.home, ...(given.dirs ?? [])],
  });
  const directory = given.root.slice(0, given.root.lastIndexOf("/"));
  const report = await ask({
    cwd: root + given.cwd,
    home: root + given.home,
    allowExternal: given.includeExternal,
    ...(directory !== given.cwd && { paths: [`${root}${directory}/x.ts`] }),
  });
  const loaded = report.loaded
    .map(({ path }) => path.slice(root.length))
    .filter((path) => !given.alreadyProcessed?.includes(path));
  expect([given.expectOrder, ...(given.alsoAccept ?? [])]).toContainEqual(loaded);
  const cut = report.loaded.flatMap(({ path, truncated }) => (truncated ? [path.slice(root.length)] : []));
  const { fullLength = {}, maybeTruncated = [] } = given.contentCheck ?? {};
  expect(cut.filter((path) => path in fullLength)).toEqual([]);
  expect(cut.filter((path) => !maybeTruncated.includes(path))).toEqual([]);
}

/** Absolute imports, too, lead to where the tree was put. */
function mapped(root: string, files: Tree["files"] = {}): NonNullable<Tree["files"]> {
  const entries = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === "string" ? content.replaceAll("@/", `@${root}/`) : content,
  ]);
  return Object.fromEntries(entries);
}

describe("rules.json", () => {
  test.each(ruleCases)("$id $topic", (given) => checkRules(given, library));
  test.each(ruleCases.filter(({ id }) => RULES_BY_PROGRAM.includes(id)))(
    "$id $topic, by the program",
    (given) => checkRules(given, program),
  );
});

describe("imports.json", () => {
  test.each(importCases)("$id $topic", (given) => checkImports(given, library));
  test.each(importCases.filter(({ id }) => IMPORTS_BY_PROGRAM.includes(id)))(
    "$id $topic, by the program",
    (given) => checkImports(given, program),
  );
});
