import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realMemoryFiles } from "../../../../../test/support/memory-files.ts";
import { runs } from "../../../../../test/support/runs.ts";
import { createMemory } from "./discover.ts";
import type { InstructionsResult, MemoryFiles } from "./types.ts";
import { memorySettings } from "./types.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(`${tmpdir()}/sotto-memory-`));
});
afterEach(() => rmSync(root, { recursive: true }));

const memoryOf = (files: MemoryFiles, now?: () => number) =>
  createMemory({
    ...memorySettings({ cwd: `${root}/proj`, home: `${root}/home` }, { managedDir: `${root}/managed` }),
    files,
    work: () => Promise.reject(new Error("no worker is needed here")),
    ...(now && { now }),
  });

const write = (path: string, content: string) => {
  mkdirSync(dirname(root + path), { recursive: true });
  writeFileSync(root + path, content);
};
const contents = ({ loaded }: InstructionsResult) => loaded.map(({ content }) => content);
/** Whatever of it is possible: links may lead in circles. */
const change = (kind: string, path: string, value: string) => {
  const at = root + path;
  try {
    if (kind === "write") write(path, value);
    if (kind === "clear") rmSync(dirname(at) === root ? at : dirname(at), { recursive: true });
    if (kind === "remove") rmSync(at);
    if (kind === "replace") {
      mkdirSync(dirname(at), { recursive: true });
      write("/new", value);
      renameSync(`${root}/new`, at);
    }
    if (kind === "link") {
      mkdirSync(dirname(at), { recursive: true });
      rmSync(at, { force: true });
      symlinkSync(root + value, at);
    }
  } catch {}
};
/** A file system whose times never hide a change, so that everything rests on signatures. */
const sharp = (files: MemoryFiles): MemoryFiles => ({
  ...files,
  async signatures(paths) {
    const signatures = await files.signatures(paths);
    return signatures.map((one, index) => {
      const path = paths[index] as string;
      if (one === undefined || one.kind === "other") return one;
      const content = one.kind === "file" ? readFileSync(path) : readdirSync(path).join("\n");
      return { ...one, ctimeMs: createHash("sha256").update(content).digest().readUInt32BE() + 0.5 };
    });
  },
});
/** So long ago that no change can hide behind a clock tick. */
const later = () => Date.now() + 60_000;

describe("right after an edit", () => {
  it("the answer is new, though size and time may look the same", async () => {
    write("/proj/.claude/rules/r.md", "---\npaths: '*.ts'\n---\nold");
    write("/proj/pkg/CLAUDE.md", "one @../x.txt");
    write("/proj/x.txt", "x1");
    const memory = memoryOf(realMemoryFiles());
    const ask = async () => contents(await memory.nested({ path: "pkg/a.ts" }));
    expect(await ask()).toEqual(["one @../x.txt", "x1", "old"]);
    for (let round = 0; round < 50; round++) {
      write("/proj/.claude/rules/r.md", `---\npaths: '*.ts'\n---\n${round + 100}`);
      expect(await ask()).toEqual(["one @../x.txt", "x1", `${round + 100}`]);
    }
    write("/proj/x.txt", "x2");
    expect(await ask()).toEqual(["one @../x.txt", "x2", "149"]);
    write("/proj/.claude/rules/r.md", "---\npaths: '*.py'\n---\nnew");
    expect(await ask()).toEqual(["one @../x.txt", "x2"]);
    write("/proj/.claude/rules/deep/down/s.md", "---\npaths: '*.ts'\n---\nadded");
    expect(await ask()).toEqual(["one @../x.txt", "x2", "added"]);
    write("/proj/pkg/.claude/rules/t.md", "first rule here");
    expect(await ask()).toEqual(["one @../x.txt", "x2", "first rule here", "added"]);
    rmSync(`${root}/proj/.claude/rules/deep/down/s.md`);
    rmSync(`${root}/proj/pkg/CLAUDE.md`);
    expect(await ask()).toEqual(["first rule here"]);
  });

  it("the time of the last write does not matter", async () => {
    write("/proj/pkg/CLAUDE.md", "one");
    const memory = memoryOf(realMemoryFiles());
    const ask = async () => contents(await memory.nested({ path: "pkg/a.ts" }));
    utimesSync(`${root}/proj/pkg/CLAUDE.md`, 1000, 1000);
    expect(await ask()).toEqual(["one"]);
    write("/proj/pkg/CLAUDE.md", "two");
    utimesSync(`${root}/proj/pkg/CLAUDE.md`, 1000, 1000);
    expect(await ask()).toEqual(["two"]);
  });

  it("the answer is that of one who has never looked before", async () => {
    const paths = [
      "/proj/.claude/rules/a.md",
      "/proj/.claude/rules/sub/b.md",
      "/proj/pkg/CLAUDE.md",
      "/proj/pkg/AGENTS.md",
    ]
      .concat([
        "/proj/pkg/.claude/rules/c.md",
        "/proj/pkg/deep/CLAUDE.local.md",
        "/proj/pkg/x.md",
        "/home/.claude/rules/u.md",
      ])
      .concat(["/managed/m.md", "/proj/.git/HEAD", "/.git/HEAD", "/CLAUDE.md"]);
    const texts = [
      "",
      "A",
      "B",
      "@x.md",
      "@../x.md @../pkg/CLAUDE.md",
      "---\npaths: '*.ts'\n---\nC",
      "---\npaths: 'pkg/*'\n---\nD",
    ];
    const operation = fc.record({
      kind: fc.constantFrom("write", "write", "write", "remove", "replace", "link", "clear"),
      path: fc.constantFrom(...paths),
      other: fc.constantFrom(...paths),
      text: fc.constantFrom(...texts),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(operation, { minLength: 1, maxLength: 12 }),
        async (isSharp, operations) => {
          rmSync(root, { recursive: true, force: true });
          mkdirSync(`${root}/proj/pkg/deep`, { recursive: true });
          const files = realMemoryFiles();
          const memory = isSharp ? memoryOf(sharp(files), later) : memoryOf(files);
          for (const { kind, path, other, text } of operations) {
            change(kind, path, kind === "link" ? other : text);
            const fresh = memoryOf(files);
            const touch = { path: "pkg/deep/a.ts" };
            const plain = (results: InstructionsResult[]) =>
              results.map(({ loaded, skipped }) => ({ loaded, skipped }));
            expect(plain([await memory.nested(touch), await memory.session()])).toEqual(
              plain([await fresh.nested(touch), await fresh.session()]),
            );
          }
        },
      ),
      runs(80),
    );
  });
});

describe("what was read before", () => {
  it("is not read again, and questions asked at once share one check", async () => {
    for (let index = 0; index < 40; index++)
      write(`/proj/.claude/rules/${index}.md`, `---\npaths: '*.${index}'\n---\n${index}`);
    for (const name of ["a", "b", "c"]) write(`/proj/${name}/CLAUDE.md`, name);
    const files = realMemoryFiles();
    const memory = memoryOf(files, later);
    const touches = ["a/x.1", "a/x.2", "b/x.1", "c/x.3"].map((path) => ({
      path,
      realPath: `${root}/proj/${path}`,
    }));
    const ask = async () => (await Promise.all(touches.map(memory.nested))).map(contents);
    const first = await ask();
    expect(first).toEqual([
      ["a", "1"],
      ["a", "2"],
      ["b", "1"],
      ["c", "3"],
    ]);
    const before = { ...files.counts };
    expect(await ask()).toEqual(first);
    const { read, list, realPath } = files.counts;
    expect({ read, list, realPath }).toEqual({
      read: before.read,
      list: before.list,
      realPath: before.realPath,
    });
    const perBatch = files.counts.stat - before.stat;
    await memory.nested(touches[0] as { path: string });
    expect(files.counts.stat - before.stat).toBeLessThan(perBatch * 2);
    expect(perBatch).toBeLessThan(120);
  });

  it("touched but equal, is the same answer", async () => {
    write("/proj/pkg/CLAUDE.md", "one");
    const memory = memoryOf(realMemoryFiles(), later);
    const before = await memory.nested({ path: "pkg/a.ts" });
    utimesSync(`${root}/proj/pkg/CLAUDE.md`, 1000, 1000);
    expect((await memory.nested({ path: "pkg/a.ts" })).loaded).toEqual(before.loaded);
  });

  it("what could not be read or listed is tried again, though nothing changed", async () => {
    write("/proj/pkg/CLAUDE.md", "one");
    write("/proj/.claude/rules/r.md", "---\npaths: '*'\n---\nrule");
    const files = realMemoryFiles();
    let fails = true;
    const slow: MemoryFiles = {
      ...files,
      read: async (path) => (fails ? { kind: "unreadable", why: "took too long" } : files.read(path)),
      list: async (path) => (fails ? "cannot be listed" : files.list(path)),
    };
    const memory = memoryOf(slow, later);
    const { skipped } = await memory.nested({ path: "pkg/a.ts" });
    expect(skipped.map(({ reason }) => reason)).toEqual(["took too long", "cannot be listed"]);
    fails = false;
    expect(contents(await memory.nested({ path: "pkg/a.ts" }))).toEqual(["one", "rule"]);
  });

  it("a file system that fails once does not stay failed", async () => {
    write("/proj/pkg/CLAUDE.md", "one");
    const files = realMemoryFiles();
    let fails = true;
    const broken: MemoryFiles = {
      ...files,
      read: (path) => (fails ? Promise.reject(new Error("stale handle")) : files.read(path)),
    };
    const memory = memoryOf(broken);
    await expect(memory.nested({ path: "pkg/a.ts" })).rejects.toThrow("stale handle");
    fails = false;
    expect(contents(await memory.nested({ path: "pkg/a.ts" }))).toEqual(["one"]);
  });
});
