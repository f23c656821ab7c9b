import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, it } from "vitest";
import { plant } from "../../../../../test/support/memory-files.ts";
import { createPermissions } from "../files/permissions.ts";
import { createReader } from "../files/reader.ts";
import { createMemory } from "./discover.ts";
import { createReaderFiles } from "./reader-files.ts";
import { memorySettings } from "./types.ts";

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/sotto-memory-`));
});
afterEach(() => rm(root, { recursive: true }));

it("reads through the safe reader: what is denied, secret or no text is told and not shown", async () => {
  await plant(root, {
    files: {
      "/proj/pkg/AGENTS.md": "@../.env @../image.png @../private/notes.md @../fine.md",
      "/proj/.env": "KEY=canary",
      "/proj/image.png": { base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB" },
      "/proj/private/notes.md": "canary",
      "/proj/fine.md": "\ufefffine",
      "/proj/pkg/CLAUDE.md": "canary",
      "/proj/pkg/.claude/rules/r.md": "---\npaths: '*.ts'\n---\nrule",
    },
  });
  const places = { cwd: `${root}/proj`, home: `${root}/home` };
  const permissions = createPermissions({ ...places, denyRead: ["private/**", "pkg/CLAUDE.md"] });
  const files = createReaderFiles({
    reader: createReader({ permissions }),
    mounts: [places.cwd, places.home],
  });
  const memory = createMemory({
    ...memorySettings(places),
    files,
    work: () => Promise.reject(new Error("no worker is needed here")),
  });
  const { loaded, skipped } = await memory.nested({ path: "pkg/a.ts" });
  expect(loaded.map(({ path, content }) => [path.slice(root.length), content])).toEqual([
    ["/proj/pkg/AGENTS.md", "@../.env @../image.png @../private/notes.md @../fine.md"],
    ["/proj/fine.md", "fine"],
    ["/proj/pkg/.claude/rules/r.md", "rule"],
  ]);
  const by = `(imported by ${root}/proj/pkg/AGENTS.md)`;
  expect(skipped.map(({ path, reason }) => [path.slice(root.length), reason])).toEqual([
    ["/proj/.env", `may contain secrets ${by}`],
    ["/proj/image.png", `is not a text file ${by}`],
    ["/proj/private/notes.md", `may not be read: private/** ${by}`],
    ["/proj/pkg/CLAUDE.md", "may not be read: pkg/CLAUDE.md"],
  ]);
  expect(JSON.stringify([loaded, skipped])).not.toContain("canary");
});

it("does not take a mount that does not answer for an empty one", async () => {
  const permissions = createPermissions({ cwd: root, home: root });
  const reader = {
    ...createReader({ permissions }),
    stat: async () => ({ kind: "unreadable", why: "took longer than 1000 ms" }) as const,
  };
  const memory = createMemory({
    ...memorySettings({ cwd: root, home: root }),
    files: createReaderFiles({ reader, mounts: [root] }),
    work: () => Promise.reject(new Error("no worker is needed here")),
  });
  await expect(memory.nested({ path: "a.ts" })).rejects.toThrow(
    "cannot be read now (took longer than 1000 ms)",
  );
});
