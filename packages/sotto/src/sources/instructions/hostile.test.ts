import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import hostile from "../../../../../test/support/cases/hostile.json" with { type: "json" };
import { startEffort } from "../../../../../test/support/effort.ts";
import { plant, realMemoryFiles } from "../../../../../test/support/memory-files.ts";
import { namesOf } from "../../platform/gitignore.ts";
import { createWorkerPool } from "../../platform/worker-pool.ts";
import { compilePatterns, freshEffort, matchPatterns } from "../path-patterns.ts";
import { createMemory } from "./discover.ts";
import type { MemoryFiles } from "./types.ts";
import { type MemorySettings, memorySettings } from "./types.ts";

const pool = createWorkerPool({ hash: (text) => text });
afterAll(() => pool.close());

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sotto-memory-")));
});
afterEach(() => rm(root, { recursive: true }));

const memoryOf = (changes: Partial<MemorySettings> = {}, files: MemoryFiles = realMemoryFiles()) =>
  createMemory({
    ...memorySettings({ cwd: `${root}/proj`, home: `${root}/home` }, changes),
    files,
    work: pool.run,
  });
const payload = (id: string) => hostile.find((one) => one.id === id)?.payload as string;
/** The best of some tries. */
function quickest(run: () => void): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const effort = startEffort();
    run();
    return effort();
  });
  return Math.min(...times);
}

describe("hostile memory", () => {
  it("M05 never shows a file from outside that is swapped in after the check", async () => {
    await plant(root, {
      files: { "/proj/CLAUDE.md": "@notes.md", "/proj/notes.md": "fine", "/outside/canary.txt": "CANARY" },
    });
    const swap = `
      const { renameSync, symlinkSync, writeFileSync } = require("node:fs");
      for (;;) {
        symlinkSync("${root}/outside/canary.txt", "${root}/proj/link");
        renameSync("${root}/proj/link", "${root}/proj/notes.md");
        writeFileSync("${root}/proj/file", "fine");
        renameSync("${root}/proj/file", "${root}/proj/notes.md");
      }`;
    const swapper = spawn(process.execPath, ["-e", swap], { stdio: "ignore" });
    try {
      const memory = memoryOf();
      const seen = { fine: 0, refused: 0, leaked: 0 };
      const until = performance.now() + 10_000;
      for (let round = 0; round < 10_000 && performance.now() < until; round++) {
        const { loaded } = await memory.session();
        if (loaded.some(({ content }) => content.includes("CANARY"))) seen.leaked++;
        else if (loaded.length === 2) seen.fine++;
        else seen.refused++;
      }
      expect(seen.leaked).toBe(0);
      expect(Math.min(seen.fine, seen.refused)).toBeGreaterThan(0);
    } finally {
      swapper.kill("SIGKILL");
      await new Promise((resolve) => swapper.once("close", resolve));
    }
  });

  it("M09 stops at a number of files where each imports ten others", async () => {
    const files = realMemoryFiles();
    let reads = 0;
    const fanOut: MemoryFiles = {
      ...files,
      signatures: async (paths) =>
        paths.map((path) =>
          /\/proj\/(?:CLAUDE|i[\d-]*)\.md$/u.test(path)
            ? {
                kind: "file",
                dev: 1,
                ino: Number(path.replaceAll(/\D/gu, "")),
                ctimeMs: 1,
                size: 1,
                uid: 0,
                mode: 0,
              }
            : undefined,
        ),
      read: async (path) => {
        reads++;
        const name = path.endsWith("CLAUDE.md") ? "i" : path.slice(path.lastIndexOf("/") + 1, -3);
        const text = Array.from({ length: 10 }, (_, index) => `@${name}-${index}.md`).join(" ");
        return { kind: "text", text, realPath: path, hash: path };
      },
    };
    const effort = startEffort();
    const { loaded, skipped } = await memoryOf({}, fanOut).session();
    expect(effort()).toBeLessThan(1000);
    expect(loaded).toHaveLength(201);
    expect(reads).toBeLessThan(300);
    expect(skipped.filter(({ reason }) => reason.includes("too much is imported"))).toHaveLength(1);
  });

  it("M10 does not import what stands in code", async () => {
    await plant(root, { files: { "/proj/CLAUDE.md": payload("M10") } });
    const { loaded, skipped } = await memoryOf({ allowExternalImports: true }).session();
    expect([loaded.length, skipped]).toEqual([1, []]);
  });

  it("M12 matches or refuses in no time", async () => {
    await plant(root, { files: { "/proj/.claude/rules/r.md": `${payload("M12")}\nBody` } });
    const { loaded, skipped } = await memoryOf().nested({ path: "a/b/c" });
    expect([loaded, skipped]).toEqual([
      [],
      [
        {
          path: `${root}/proj/.claude/rules/r.md`,
          reason: "a/b/c does not match *(*(*(a|b))), **/**/**/**/**/**/**/**/**/**/**/x",
        },
      ],
    ]);
  });

  const long = namesOf(`${`${"a".repeat(60)}/`.repeat(60)}b`);
  it.each([
    ["stars", [`${"a*".repeat(900)}b`]],
    [
      "stars in every alternative",
      [`{${"*a*a*a*a*a*a*a*a*a*a*b,".repeat(80)}x}`, "{1,2,3}{1,2,3}{1,2,3}{1,2,3}{1,2,3}*"],
    ],
    ["globstars", [`${"**/a*/".repeat(300)}b`]],
    ["globstars and stars", [`${"**/*a*a*a*c/".repeat(150)}b`]],
    ["extglobs", ["*(*(*(a|b)))", "+(a|aa)+(a|aa)+(a|aa)b", "@(a|b)", "!(a)"]],
    ["brackets", [`${"[a-z]*".repeat(300)}b`, `${"[[:".repeat(600)}]`]],
    ["R08", ["{a,b}".repeat(25), "{a,b}".repeat(200_000), "{".repeat(1900), "{,".repeat(900)]],
  ])("%s cost no more than some milliseconds", (_name, sources) => {
    const time = quickest(() => void matchPatterns(compilePatterns(sources), long, freshEffort()));
    expect(time).toBeLessThan(50);
  });

  it("a greedy rule is refused and named, and leaves the others alone", async () => {
    const digits = "{0,1,2,3,4,5,6,7,8,9}";
    const greedy = `---\npaths: ["*a*a*a*${digits}${digits}{0,1,2,3,4,5,6,7}"]\n---\ngreedy`;
    await plant(root, {
      files: {
        "/proj/.claude/rules/a.md": greedy,
        "/proj/.claude/rules/b.md": "---\npaths: '*'\n---\nfrugal",
      },
    });
    const { loaded, skipped, problems } = await memoryOf().nested({
      path: `${`${"a".repeat(200)}/`.repeat(15)}b`,
    });
    expect(loaded.map(({ content }) => content)).toEqual(["frugal"]);
    expect(skipped[0]?.reason).toContain("its patterns take too long to match");
    expect(problems.map(({ path }) => path)).toEqual([`${root}/proj/.claude/rules/a.md`]);
  });

  it("YAML that would take for ever is ended, reported, and the rule loaded always", async () => {
    const deep = `---\npaths: ${"[".repeat(60_000)}\n---\ndeep`;
    await plant(root, {
      files: { "/proj/pkg/.claude/rules/a.md": deep, "/proj/pkg/.claude/rules/b.md": "fine" },
    });
    const { loaded, problems } = await memoryOf().nested({ path: "pkg/a.ts" });
    expect(loaded.map(({ content }) => content)).toEqual(["deep", "fine"]);
    expect(problems).toEqual([
      { path: `${root}/proj/pkg/.claude/rules/a.md`, problem: expect.stringContaining("cannot be read") },
    ]);
  });

  it("F08 skips a socket", async () => {
    await plant(root, { dirs: ["/proj/pkg"], files: { "/proj/pkg/CLAUDE.md": "fine" } });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${root}/proj/pkg/AGENTS.md`, resolve));
    const { loaded, skipped } = await memoryOf().nested({ path: "pkg/a.ts" });
    expect([loaded.length, skipped[0]?.reason]).toEqual([1, "is not a regular file"]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("many rules with many patterns do not hold the thread", async () => {
    const braces = "{a,b,c,d,e}".repeat(4);
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `/proj/.claude/rules/${index}.md`,
        `---\npaths: "${braces}${index}"\n---\nx`,
      ]),
    );
    await plant(root, { files });
    // In time of the processor, and the best of some: others use this machine and this process, too. Without breaks it
    // would be most of a second each time.
    const used = () => {
      const { user, system } = process.threadCpuUsage();
      return (user + system) / 1000;
    };
    let longest = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 10 && longest >= 200; tries++) {
      longest = 0;
      let last = used();
      const timer = setInterval(() => {
        longest = Math.max(longest, used() - last);
        last = used();
      }, 1);
      const { skipped } = await memoryOf().nested({ path: "pkg/a.ts" });
      clearInterval(timer);
      expect(skipped).toHaveLength(300);
    }
    expect(longest).toBeLessThan(200);
  });
});
