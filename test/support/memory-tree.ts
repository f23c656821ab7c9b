// A temporary tree of files for each test, with memory discovery looking at it.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { createMemory, type Memory } from "../../packages/sotto/src/sources/instructions/discover.ts";
import type {
  InstructionsResult,
  MemoryOptions,
} from "../../packages/sotto/src/sources/instructions/types.ts";
import { type MemorySettings, memorySettings } from "../../packages/sotto/src/sources/instructions/types.ts";
import { plant, realMemoryFiles, type Tree } from "./memory-files.ts";

export interface MemoryTree {
  /** Under which all absolute paths lie. */
  readonly root: string;
  plant(tree: Tree): Promise<void>;
  memoryAt(cwd: string, changes?: Partial<MemorySettings>, more?: Partial<MemoryOptions>): Memory;
  /** What came and what did not, as a person sees it. */
  told(result: InstructionsResult): string;
}

export function useMemoryTree(): MemoryTree {
  let root = "";
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "sotto-memory-")));
  });
  afterEach(() => rm(root, { recursive: true }));
  return {
    get root() {
      return root;
    },
    plant: (tree) => plant(root, tree),
    memoryAt(cwd, changes = {}, more = {}) {
      const home = `${root}/home/dev`;
      const places = { cwd: root + cwd, home, configDirectory: `${home}/.config/sotto` };
      const settings = memorySettings(places, { managedDir: `${root}/managed`, ...changes });
      const work = () => Promise.reject(new Error("no worker is needed here"));
      return createMemory({ ...settings, files: realMemoryFiles(), work, ...more });
    },
    told({ loaded, skipped }) {
      const lines = [
        ...loaded.map(({ path, kind, reason }) => `+ ${path} [${kind}] ${reason}`),
        ...skipped.map(({ path, reason }) => `- ${path}: ${reason}`),
      ];
      return `\n${lines.join("\n").replaceAll(root, "")}\n`;
    },
  };
}

export function ruleFor(paths: string, body: string): string {
  return `---\npaths: "${paths}"\n---\n${body}\n`;
}
