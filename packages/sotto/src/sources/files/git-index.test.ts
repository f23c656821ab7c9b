// Which files git tracks, in repositories that git itself has made.

import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitIndexOf, trackedAmong } from "./git-index.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-git-index-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const LONG = `${"long/".repeat(200)}${"x".repeat(200)}/`.repeat(4);
const TRACKED = ["CLAUDE.local.md", "a/b/CLAUDE.local.md", "a/c.ts", "zu/Füße.md", "x y.md"];
const UNTRACKED = ["own.md", "a/own.md", "a/CLAUDE.local.md", "b/CLAUDE.local.md", "UDE.local.md"];

function git(cwd: string, ...args: string[]): string {
  const settings = ["user.name=a", "user.email=a@b", "protocol.file.allow=always", "core.longpaths=true"];
  return execFileSync("git", [...settings.flatMap((one) => ["-c", one]), ...args], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
}

function write(directory: string, names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), `${name}\n`);
  }
}

/** With files that are tracked, and others that are not. */
function repository(name: string, ...init: string[]): string {
  const directory = join(root, name);
  mkdirSync(directory, { recursive: true });
  git(directory, "init", ...init);
  write(directory, TRACKED);
  git(directory, "add", ".");
  git(directory, "commit", "-m", "x");
  write(directory, UNTRACKED);
  return directory;
}

async function tracked(directory: string): Promise<string[]> {
  const names = [...TRACKED, ...UNTRACKED];
  const found = await trackedAmong(names.map((name) => join(directory, name)));
  return names.filter((name) => found.has(join(directory, name)));
}

const versionOf = (directory: string) => readFileSync(join(directory, ".git/index")).readUInt32BE(4);

describe("the files that git tracks", () => {
  it.each([
    ["version 2", 2, () => {}],
    ["version 3", 3, (at: string) => void git(at, "add", "--intent-to-add", "later.md")],
    ["version 4", 4, (at: string) => void git(at, "update-index", "--index-version", "4")],
  ])("are those in an index of %s", async (_, version, change) => {
    const directory = repository("repo");
    write(directory, ["later.md"]);
    change(directory);
    expect(versionOf(directory)).toBe(version);
    expect(await tracked(directory)).toEqual(TRACKED);
    const added = join(directory, "later.md");
    expect((await trackedAmong([added])).has(added)).toBe(version === 3);
  });

  it.each([2, 4])("are found in a repository with SHA-256, version %i", async (version) => {
    const directory = repository("repo", "--object-format=sha256");
    git(directory, "update-index", "--index-version", String(version));
    expect(versionOf(directory)).toBe(version);
    expect(await tracked(directory)).toEqual(TRACKED);
  });

  it.each([2, 4])("are found among many, behind very long names, version %i", async (version) => {
    const directory = repository("repo");
    const hash = git(directory, "hash-object", "-w", "a/c.ts").trim();
    const names = Array.from(
      { length: 12_000 },
      // A few of them: a file of many megabytes is not read in time on a busy machine.
      (_, index) => `${index % 7}/${LONG.slice(0, index % 100 === 0 ? index : index % 50)}x${index}`,
    );
    execFileSync("git", ["update-index", "--index-info"], {
      cwd: directory,
      input: names.map((name) => `100644 ${hash}\t${name}\n`).join(""),
    });
    git(directory, "update-index", "--index-version", String(version));
    expect(await tracked(directory)).toEqual(TRACKED);
    const [some, none] = [join(directory, names.at(-1) as string), join(directory, "6/none")];
    expect(await trackedAmong([some, none])).toEqual(new Set([some]));
  });

  it.each([2, 4])("are found in both parts of a split index, version %i", async (version) => {
    const directory = repository("repo");
    git(directory, "update-index", "--index-version", String(version));
    git(directory, "config", "splitIndex.maxPercentChange", "100");
    git(directory, "update-index", "--split-index");
    write(directory, ["later.md", "a/c.ts"]);
    writeFileSync(join(directory, "a/c.ts"), "changed\n");
    git(directory, "add", "later.md", "a/c.ts");
    const parts = readdirSync(join(directory, ".git")).filter((name) => name.startsWith("sharedindex."));
    expect(parts.length).toBeGreaterThan(0);
    expect(await tracked(directory)).toEqual(TRACKED);
    const later = join(directory, "later.md");
    expect(await trackedAmong([later])).toEqual(new Set([later]));
    for (const part of parts) rmSync(join(directory, ".git", part));
    write(directory, ["other.md"]);
    const other = join(directory, "other.md");
    expect(await trackedAmong([other])).toEqual(new Set([other]));
  });

  it("are those of a linked worktree in a worktree, and of a submodule in a submodule", async () => {
    const main = repository("main");
    const tree = join(root, "tree");
    git(main, "worktree", "add", tree);
    write(tree, [...UNTRACKED, "only-here.md"]);
    git(tree, "add", "only-here.md");
    expect(await tracked(tree)).toEqual(TRACKED);
    const [here, there] = [join(tree, "only-here.md"), join(main, "only-here.md")];
    expect(await trackedAmong([here, there])).toEqual(new Set([here]));
    const outer = join(root, "outer");
    write(outer, ["CLAUDE.local.md"]);
    git(outer, "init");
    git(outer, "submodule", "add", main, "deep/inner");
    const inner = join(outer, "deep/inner");
    write(inner, UNTRACKED);
    expect(await tracked(inner)).toEqual(TRACKED);
    expect(await trackedAmong([join(outer, "CLAUDE.local.md")])).toEqual(new Set());
  });

  it("are found through links to directories, and by what a link in the repository leads to", async () => {
    const directory = repository("repo");
    symlinkSync(directory, join(root, "way"));
    expect(await tracked(join(root, "way"))).toEqual(TRACKED);
    symlinkSync("a/c.ts", join(directory, "link.md"));
    symlinkSync("own.md", join(directory, "free.md"));
    symlinkSync("../elsewhere.md", join(directory, "kept.md"));
    git(directory, "add", "kept.md");
    const [link, free, kept] = ["link.md", "free.md", "kept.md"].map((name) => join(directory, name));
    expect(await trackedAmong([link, free, kept] as string[])).toEqual(new Set([link, kept]));
    // A link of the user's to a file in a repository of theirs.
    const mine = repository("mine");
    symlinkSync(join(mine, "CLAUDE.local.md"), join(directory, "mine.md"));
    expect(await trackedAmong([join(directory, "mine.md")])).toEqual(new Set());
  });

  it("have the same name in another case, or with accents written otherwise", async () => {
    const directory = repository("repo");
    const others = ["claude.LOCAL.md", "A/B/Claude.local.md", "zu/Fu\u0308ße.md"].map((name) =>
      join(directory, name),
    );
    expect(await trackedAmong(others)).toEqual(new Set(others));
  });

  it("are all in a directory that a sparse index has as one entry", async () => {
    const directory = repository("repo");
    for (const name of UNTRACKED) rmSync(join(directory, name));
    git(directory, "sparse-checkout", "set", "--cone", "--sparse-index", "zu");
    expect(git(directory, "ls-files", "--sparse")).toContain("a/\n");
    write(directory, ["a/b/CLAUDE.local.md", "zu/own.md"]);
    const [inside, beside] = [join(directory, "a/b/CLAUDE.local.md"), join(directory, "zu/own.md")];
    expect(await trackedAmong([inside, beside])).toEqual(new Set([inside]));
  });

  it("are other ones after git has changed the index", async () => {
    const directory = repository("repo");
    const own = join(directory, "own.md");
    expect(await trackedAmong([own])).toEqual(new Set());
    git(directory, "add", "own.md");
    expect(await trackedAmong([own])).toEqual(new Set([own]));
    git(directory, "rm", "--cached", "own.md");
    expect(await trackedAmong([own])).toEqual(new Set());
  });

  it("are none without a repository, or before anything was added", async () => {
    write(root, ["own.md"]);
    expect(await trackedAmong([join(root, "own.md")])).toEqual(new Set());
    expect((await gitIndexOf(root)).index).toBeUndefined();
    git(root, "init");
    expect(await trackedAmong([join(root, "own.md")])).toEqual(new Set());
  });

  it("a repository inside that tracks nothing does not hide the one around it", async () => {
    const directory = repository("repo");
    git(join(directory, "a"), "init");
    expect(await tracked(directory)).toEqual(TRACKED);
  });

  it.each<[string, (index: string) => void]>([
    ["is cut", (index) => truncateSync(index, 100)],
    ["has another version", (index) => writeFileSync(index, "DIRC\0\0\0\x09\0\0\0\0")],
    ["is empty", (index) => writeFileSync(index, "")],
    [
      "is a directory",
      (index) => {
        rmSync(index);
        mkdirSync(index);
      },
    ],
    ["has an extension that must be known", (index) => withExtension(index, "zzzz")],
    ["is its own shared part", (index) => linkedToItself(index)],
    [
      "is in a directory that is gone",
      (index) => {
        renameSync(dirname(index), join(root, "elsewhere"));
        writeFileSync(dirname(index), `gitdir: ${join(root, "nowhere")}\n`);
      },
    ],
    [
      "has no place",
      (index) => {
        renameSync(dirname(index), join(root, "elsewhere"));
        writeFileSync(dirname(index), "nonsense\n");
      },
    ],
  ])("are all where the index %s", async (_, spoil) => {
    const directory = repository("repo");
    spoil(join(directory, ".git/index"));
    expect(await tracked(directory)).toEqual([...TRACKED, ...UNTRACKED]);
  });

  it("an extension that may be left out is", async () => {
    const directory = repository("repo");
    withExtension(join(directory, ".git/index"), "ZZZZ");
    expect(await tracked(directory)).toEqual(TRACKED);
  });
});

const SHA1_BYTES = 20;

function withExtension(index: string, name: string, content = Buffer.alloc(0)): void {
  const bytes = readFileSync(index);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  const end = bytes.length - SHA1_BYTES;
  writeFileSync(
    index,
    Buffer.concat([bytes.subarray(0, end), Buffer.from(name), size, content, bytes.subarray(end)]),
  );
}

function linkedToItself(index: string): void {
  const hash = Buffer.alloc(SHA1_BYTES, 7);
  withExtension(index, "link", hash);
  writeFileSync(join(dirname(index), `sharedindex.${hash.toString("hex")}`), readFileSync(index));
}
