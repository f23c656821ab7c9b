import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import importCases from "../../../../../test/support/cases/imports.json" with { type: "json" };
import ruleCases from "../../../../../test/support/cases/rules.json" with { type: "json" };
import { startEffort } from "../../../../../test/support/effort.ts";
import { plant, realMemoryFiles, type Tree } from "../../../../../test/support/memory-files.ts";
import { createWorkerPool } from "../../platform/worker-pool.ts";
import { createMemory } from "./discover.ts";
import type { InstructionsResult, LoadedInstructionFile } from "./types.ts";
import { memorySettings } from "./types.ts";

interface Reading {
  readPath: string;
  expectIncluded: string[];
  expectExcluded: string[];
}

interface RuleCase extends Tree, Reading {
  id: string;
  topic: string;
  cwd: string;
  home: string;
  managedDir: string;
  then?: Reading[];
  alsoAccept?: { included: string[] }[];
  timeLimitMs?: number;
}

interface ImportCase extends Tree {
  id: string;
  topic: string;
  root: string;
  cwd: string;
  home: string;
  type: string;
  includeExternal: boolean;
  expectOrder: string[];
  expectExcluded: string[];
  alsoAccept?: string[][];
  alreadyProcessed?: string[];
  contentCheck?: { fullLength?: Record<string, number>; maybeTruncated?: string[] };
}

const pool = createWorkerPool({ hash: (text) => text });
afterAll(() => pool.close());

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/sotto-memory-`));
});
afterEach(() => rm(root, { recursive: true }));

const virtual = (loaded: readonly LoadedInstructionFile[]) =>
  loaded.map(({ path }) => path.slice(root.length));

describe("rules.json", () => {
  it.each((ruleCases.cases as unknown as RuleCase[]).map((one) => [one.id, one.topic, one] as const))(
    "%s: %s",
    async (_id, _topic, given) => {
      await plant(root, given);
      const memory = createMemory({
        ...memorySettings(
          { cwd: root + given.cwd, home: root + given.home },
          { managedDir: root + given.managedDir },
        ),
        files: realMemoryFiles(),
        work: pool.run,
      });
      const said = new Set<string>();
      const effort = startEffort();
      for (const reading of [given, ...(given.then ?? [])]) {
        const result = await memory.nested({ path: root + reading.readPath });
        const fresh = result.loaded.filter(({ key, hash }) => !said.has(key + hash));
        for (const { key, hash } of fresh) said.add(key + hash);
        const accepted = [
          reading.expectIncluded,
          ...(given.alsoAccept ?? []).map(({ included }) => included),
        ];
        expect(accepted).toContainEqual(virtual(fresh));
        for (const path of reading.expectExcluded.filter((one) => one.endsWith(".md")))
          expect(virtual(result.loaded).includes(path) ? "said before" : whyNot(result, path)).toBeDefined();
      }
      expect(effort()).toBeLessThan(given.timeLimitMs ?? 5000);
    },
  );
});

describe("imports.json", () => {
  it.each((importCases.cases as unknown as ImportCase[]).map((one) => [one.id, one.topic, one] as const))(
    "%s: %s",
    async (_id, _topic, given) => {
      await plant(root, { ...given, files: mapped(given.files) });
      const isUser = given.type === "User";
      const places = { cwd: root + given.cwd, home: root + given.home };
      const memory = createMemory({
        ...memorySettings(places, {
          allowExternalImports: given.includeExternal,
          ...(isUser && { userFiles: [root + given.root] }),
        }),
        files: realMemoryFiles(),
        work: pool.run,
      });
      const inCwd = given.root.slice(0, given.root.lastIndexOf("/")) === given.cwd;
      const result =
        isUser || inCwd
          ? await memory.session()
          : await memory.nested({ path: `${root}${given.root.replace(/[^/]*$/u, "")}x.ts` });
      const fresh = result.loaded.filter(
        ({ path }) => !given.alreadyProcessed?.includes(path.slice(root.length)),
      );
      expect([given.expectOrder, ...(given.alsoAccept ?? [])]).toContainEqual(virtual(fresh));
      for (const [path, length] of Object.entries(given.contentCheck?.fullLength ?? {}))
        expect(result.loaded.find((one) => one.path === root + path)?.content).toHaveLength(length);
    },
  );
});

function whyNot({ skipped }: InstructionsResult, path: string): string | undefined {
  return skipped.find((one) => one.path === root + path)?.reason;
}

/** Absolute imports, too, lead to where the tree was put. */
function mapped(files: Tree["files"] = {}): NonNullable<Tree["files"]> {
  const entries = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === "string" ? content.replaceAll("@/", `@${root}/`) : content,
  ]);
  return Object.fromEntries(entries);
}
