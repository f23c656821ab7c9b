// Which instruction files and rules speak about a path: kept and checked, against reading everything again per read.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import ignore from "ignore";
import { parse } from "yaml";
import { createPermissions } from "../../packages/sotto/src/sources/files/permissions.ts";
import { createReader } from "../../packages/sotto/src/sources/files/reader.ts";
import { createMemory, type Memory } from "../../packages/sotto/src/sources/instructions/discover.ts";
import { createReaderFiles } from "../../packages/sotto/src/sources/instructions/reader-files.ts";
import { memorySettings } from "../../packages/sotto/src/sources/instructions/types.ts";
import type { Bench, Goal } from "../bench.ts";

const PACKAGES = 20;
const PARTS = 10;
const FILES = 5;
const RULES = 40;
// The baseline takes its time: every 23rd read, in all directories and of all endings, stands for the others.
const SAMPLE = 23;
const WHAT = "nested memory, 1,000 reads, 200 directories, 40 rules";

interface Read {
  path: string;
  realPath: string;
  /** What must come, sorted. */
  expected: string;
}

export async function measure(bench: Bench): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-bench-memory-")));
  try {
    const reads = plant(root);
    // The first look at files that changed just now would not trust their times.
    await wait(100);
    const places = { cwd: root, home: join(root, "home") };
    const reader = createReader({ permissions: await createPermissions(places) });
    const fresh = () =>
      createMemory({
        ...memorySettings(places),
        files: createReaderFiles({ reader, mounts: [root] }),
        work: () => Promise.reject(new Error("simple frontmatter needs no worker")),
      });
    const memory = fresh();
    const baseline = createBaseline(root, reads);
    const row = (name: string, goal: Goal, ours: () => Promise<number>) =>
      bench.row({
        name: `${WHAT}, ${name}`,
        unit: "ms",
        baseline: "all instruction files and rules read, parsed and compiled again for each read",
        goal,
        ours,
        theirs: baseline(),
      });
    await row("cold", { timesBetter: 50 }, () => timed(reads, reads.length, ask(fresh())));
    await timed(reads, reads.length, ask(memory));
    await row("warm", { timesBetter: 300 }, () => timed(reads, reads.length, ask(memory)));
    await row("warm, ten reads a turn", { timesBetter: 300 }, () => timed(reads, 10, ask(memory)));
    await row("warm, one read a turn", { timesBetter: 300 }, () => timed(reads, 1, ask(memory)));
    await rightAfterAnEdit(root, memory, reads[0] as Read);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Measured once for each repetition, and the same for all rows. */
function createBaseline(root: string, reads: readonly Read[]) {
  const some = reads.filter((_, index) => index % SAMPLE === 0);
  const figures: number[] = [];
  return () => {
    let repetition = 0;
    return async () => {
      figures[repetition] ??=
        ((await timed(some, 1, (read) => readEverything(root, read.path))) / some.length) * reads.length;
      return figures[repetition++] as number;
    };
  };
}

function ask(memory: Memory): (read: Read) => Promise<string[]> {
  return async ({ path, realPath }) =>
    (await memory.nested({ path, realPath })).loaded.map((one) => one.path);
}

async function timed(
  reads: readonly Read[],
  atOnce: number,
  run: (read: Read) => Promise<string[]>,
): Promise<number> {
  const from = performance.now();
  for (let start = 0; start < reads.length; start += atOnce) {
    const some = reads.slice(start, start + atOnce);
    const found = await Promise.all(some.map(run));
    for (const [index, { expected, path }] of some.entries())
      if (found[index]?.toSorted().join() !== expected) throw new Error(`wrong answer for ${path}`);
  }
  return performance.now() - from;
}

async function rightAfterAnEdit(root: string, memory: Memory, read: Read): Promise<void> {
  const rule = join(root, ".claude/rules/rule-0.md");
  writeFileSync(rule, '---\npaths: "**/no-such-file"\n---\nChanged.\n');
  const { loaded } = await memory.nested({ path: read.path, realPath: read.realPath });
  if (loaded.some(({ path }) => path === rule)) throw new Error("the edit was not seen");
}

/** Each rule is about one ending, for half of the packages; each fourth directory has instructions of its own. */
function plant(root: string): Read[] {
  mkdirSync(join(root, ".git"));
  mkdirSync(join(root, ".claude/rules"), { recursive: true });
  const rules = Array.from({ length: RULES }, (_, index) => {
    const path = join(root, `.claude/rules/rule-${index}.md`);
    const paths = [
      `packages/p*[${index % 2 === 0 ? "02468" : "13579"}]/**/*.{x${index % FILES},y}`,
      `!**/gen-${index}/**`,
    ];
    writeFileSync(
      path,
      `---\npaths:\n${paths.map((one) => `  - "${one}"\n`).join("")}---\n${"Say it.\n".repeat(20)}`,
    );
    return path;
  });
  const reads: Read[] = [];
  for (let one = 0; one < PACKAGES; one++)
    for (let part = 0; part < PARTS; part++) {
      const directory = join(root, `packages/p${one}/part-${part}`);
      mkdirSync(directory, { recursive: true });
      const own = part % 4 === 0 ? [join(directory, "CLAUDE.md")] : [];
      for (const path of own) writeFileSync(path, "Instructions.\n".repeat(20));
      for (let file = 0; file < FILES; file++) {
        const path = join(directory, `file.x${file}`);
        const matching = rules.filter((_, index) => index % FILES === file && index % 2 === one % 2);
        const expected = [...own, ...matching].toSorted().join();
        writeFileSync(path, "");
        reads.push({ path, realPath: path, expected });
      }
    }
  return reads;
}

/** As such systems do it: every candidate file and every rule, for every read. */
async function readEverything(root: string, path: string): Promise<string[]> {
  const found: string[] = [];
  const steps = relative(root, path).split("/").slice(0, -1);
  const nested = steps.map((_, index) => join(root, ...steps.slice(0, index + 1)));
  for (const directory of nested)
    for (const name of ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
      if ((await readFile(join(directory, name), "utf8").catch(() => undefined)) !== undefined)
        found.push(join(directory, name));
  const above = root.split("/").slice(1);
  const levels = above.map((_, index) => `/${above.slice(0, index + 1).join("/")}`);
  for (const base of [...nested, ...levels])
    for (const directory of [join(base, ".claude/rules"), join(base, ".sotto/rules")])
      for (const name of await readdir(directory).catch(() => [])) {
        const text = await readFile(join(directory, name), "utf8");
        const [, block = "", body = text] = /^---\n(.*?)\n---\n(.*)$/su.exec(text) ?? [];
        const { paths = [] } = (parse(block) ?? {}) as { paths?: string[] };
        const lines = paths.flatMap((one) => {
          const [, before, inside, after] = /^(.*)\{(.*)\}(.*)$/u.exec(one) ?? [];
          return inside === undefined ? [one] : inside.split(",").map((part) => before + part + after);
        });
        if (body !== "" && ignore().add(lines).ignores(relative(base, path)))
          found.push(join(directory, name));
      }
  return found;
}
