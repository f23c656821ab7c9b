import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemory } from "../instructions/discover.ts";
import { createReaderFiles } from "../instructions/reader-files.ts";
import { type MemoryFiles, memorySettings } from "../instructions/types.ts";
import { type BurstWatch, createBurstWatch, eventsThatWait } from "./burst-watch.ts";
import { createPermissions } from "./permissions.ts";
import { createReader } from "./reader.ts";

// Elsewhere events take their time, and nothing is watched.
const onLinux = describe.runIf(process.platform === "linux");

let root: string;
let time: number;
let burst: BurstWatch;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-burst-")));
  time = 0;
  burst = createBurstWatch({ clock: () => time, mounts: { mayBlock: () => false } });
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const at = (path: string) => join(root, path);
const write = (path: string, content: string) => {
  fs.mkdirSync(join(at(path), ".."), { recursive: true });
  fs.writeFileSync(at(path), content);
};
const cover = (...paths: string[]) => burst.cover(paths.map((path) => ({ path: at(path), by: "content" })));

onLinux("a burst of questions", () => {
  beforeEach(async () => {
    write("one/two/a.md", "a");
    // Watchers of one process share what the kernel tells: it is told to those of the test before.
    await eventsThatWait();
    void burst.settle();
    void burst.settle();
  });

  const events: Record<string, () => void> = {
    "an edit": () => write("one/two/a.md", "b"),
    "other rights": () => fs.chmodSync(at("one/two/a.md"), 0o600),
    "a file that is put in its place": () => {
      write("new.md", "new");
      fs.renameSync(at("new.md"), at("one/two/a.md"));
    },
    "a file that was missing": () => write("one/two/missing.md", "new"),
    "a directory that was missing": () => fs.mkdirSync(at("one/none")),
    "another directory further up": () => {
      fs.renameSync(at("one"), at("other"));
      write("one/two/a.md", "a");
    },
    "its end": () => fs.rmSync(at("one"), { recursive: true }),
  };
  for (const [what, happen] of Object.entries(events))
    it(`is disturbed by ${what}`, async () => {
      const mark = cover("one/two/a.md", "one/two/missing.md", "one/none/at/all.md");
      if (mark === undefined) throw new Error("it is not watched");
      await burst.settle();
      expect(burst.isQuiet(mark)).toBe(true);
      happen();
      await burst.settle();
      expect(burst.isQuiet(mark)).toBe(false);
    });

  it("is not disturbed by what happens next to it, and lasts a second at most", async () => {
    const mark = cover("one/two/a.md");
    if (mark === undefined) throw new Error("it is not watched");
    write("one/two/b.md", "b");
    write("one/other/a.md", "b");
    time = 999;
    await burst.settle();
    expect(burst.isQuiet(mark)).toBe(true);
    time = 1000;
    expect(burst.isQuiet(mark)).toBe(false);
  });

  it("does not trust events about links, files with two names, and what may be on a network mount", () => {
    fs.symlinkSync("one", at("link"));
    fs.symlinkSync("two/a.md", at("one/link.md"));
    fs.symlinkSync("nowhere", at("one/dangling.md"));
    write("twice.md", "a");
    fs.linkSync(at("twice.md"), at("again.md"));
    for (const path of ["link/two/a.md", "one/link.md", "one/dangling.md", "twice.md"])
      expect(cover("one/two/a.md", path), path).toBeUndefined();
    burst = createBurstWatch({ mounts: { mayBlock: (path) => path.includes("two") } });
    void burst.settle();
    void burst.settle();
    expect(cover("one/two/a.md")).toBeUndefined();
  });

  it("begins with the second question within a second", async () => {
    time = 5000;
    await burst.settle();
    expect(cover("one/two/a.md")).toBeUndefined();
    time = 5999;
    await burst.settle();
    expect(cover("one/two/a.md")).toBeDefined();
  });
});

it("instructions asked for in quick succession are right after every edit, and unchanged files are left alone", async () => {
  const rules = Array.from({ length: 50 }, (_, index) => `.claude/rules/${index}.md`);
  for (const path of rules) write(path, '---\npaths: "**/*.ts"\n---\nRule.\n');
  const places = { cwd: root, home: at("home") };
  const reader = createReader({ permissions: await createPermissions(places) });
  let checked = 0;
  // Nothing counts as changed just now.
  const now = () => Date.now() + 60_000;
  const open = (changes: Partial<MemoryFiles> = {}) => {
    const files = createReaderFiles({ reader, mounts: [root] });
    const signatures = (paths: readonly string[]) => {
      checked += paths.length;
      return files.signatures(paths);
    };
    return createMemory({
      ...memorySettings(places),
      files: { ...files, signatures, ...changes },
      work: () => Promise.reject(new Error("no worker is needed here")),
      now,
    });
  };
  // Its clock stands still, however slow the machine is.
  const memory = open(process.platform === "linux" ? { burstWatch: burst } : {});
  const ask = async (one = memory) => (await one.nested({ path: at("src/a.ts") })).loaded;
  const edits: (() => void)[] = [
    () => write(".claude/rules/7.md", '---\npaths: "**/*.js"\n---\nNo longer.\n'),
    () => write(".claude/rules/8.md", "Always, now.\n"),
    () => write("src/AGENTS.md", "Here.\n"),
    () => write("src/AGENTS.md", "Here, and more.\n"),
    () => write(".sotto/rules/new.md", '---\npaths: "**/*.ts"\n---\nNew.\n'),
    () => fs.rmSync(at(".claude/rules/9.md")),
    () => fs.renameSync(at(".claude"), at(".claude-off")),
    () => fs.renameSync(at(".claude-off"), at(".claude")),
    () => fs.symlinkSync(at(".claude/rules/10.md"), at("src/CLAUDE.md")),
    () => write(".claude/rules/10.md", '---\npaths: "**/*.ts"\n---\nSeen through a link.\n'),
  ];
  for (let round = 0; round < 3; round++) await ask();
  for (const edit of edits) {
    edit();
    expect(await ask()).toEqual(await ask(open({ burstWatch: undefined as never })));
    for (let round = 0; round < 3; round++) await ask();
  }
  fs.rmSync(at("src/CLAUDE.md"));
  for (let round = 0; round < 3; round++) await ask();
  checked = 0;
  await ask();
  if (process.platform === "linux") expect(checked).toBe(0);
});
