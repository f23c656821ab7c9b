// Which tracked files have changed: what a turn pays, against a stat of every file every turn.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createMemoryStore, createSession, type Session } from "sotto";
import { fileStat } from "../packages/sotto/src/sources/files/read-outcome.ts";
import { createSuspects, type Suspects } from "../packages/sotto/src/sources/files/suspects.ts";
import { type BenchRow, median } from "./row.ts";

const SIZES = [100, 1000, 10_000];
const PER_DIRECTORY = 20;
const ROUNDS = 30;
const CHANGED = 5;

export async function rows(): Promise<BenchRow[]> {
  const found: BenchRow[] = [];
  for (const size of SIZES) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-bench-changes-")));
    try {
      const files = plant(root, size);
      await wait(100);
      found.push(...(await checks(files)), ...(size === SIZES.at(-1) ? await turns(root, files) : []));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }
  return found;
}

/** The check alone: who may have changed. */
async function checks(files: readonly string[]): Promise<BenchRow[]> {
  const times = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const theirs = await timed(() => statEach(files, times));
  const together = await timed(() => statTogether(files, times), 5);
  const result: BenchRow[] = [];
  for (const watched of [true, false]) {
    const suspects = createSuspects(watched ? {} : { watch: false });
    try {
      await settle(suspects, files);
      const ours = await timed(async () => expectNone(await suspects.take()));
      const name = `changed files, ${files.length.toLocaleString("en")} tracked, nothing changed${watched ? "" : ", watching off"}`;
      result.push(
        { name, baseline: "statSync of each file", ours, theirs, unit: "ms" },
        ...(watched
          ? [{ name, baseline: "Promise.all(stat)", ours, theirs: together, unit: "ms" as const }]
          : []),
      );
      if (watched) {
        const some = files
          .filter((_, index) => index % Math.floor(files.length / CHANGED) === 0)
          .slice(0, CHANGED);
        result.push({
          name: `changed files, ${CHANGED} of ${files.length.toLocaleString("en")} found`,
          baseline: "statSync of each file",
          ours: await timed(
            () => findAll(suspects, some),
            10,
            () => edit(some),
          ),
          theirs: await timed(() => statEach(files, times, some.length), 10),
          unit: "ms",
        });
      }
    } finally {
      suspects.close();
    }
  }
  return result;
}

/** Whole turns with that many files tracked: nothing to say, and five changes to tell with their lines. */
async function turns(root: string, files: readonly string[]): Promise<BenchRow[]> {
  const session = createSession({
    cwd: root,
    home: join(root, ".home"),
    agent: { kind: "main" },
    store: createMemoryStore(),
  });
  for (const path of files) await session.record({ type: "file_read", path });
  for (let turn = 0; turn < 3; turn++) await answered(session);
  await wait(500);
  const times = new Map(files.map((file) => [file, statSync(file).mtimeMs]));
  const theirs = await timed(() => statEach(files, times));
  const quiet = await timed(async () => {
    if ((await answered(session)) !== 0) throw new Error("something was said");
  });
  const some = files.slice(100, 100 + CHANGED);
  const told = await timed(
    async () => {
      if ((await answered(session)) !== CHANGED) throw new Error("a change was missed");
    },
    10,
    () => edit(some),
  );
  await session.close();
  const size = files.length.toLocaleString("en");
  return [
    {
      name: `whole turn, ${size} files tracked, nothing to say`,
      baseline: "statSync of each file alone",
      ours: quiet,
      theirs,
      unit: "ms",
    },
    {
      name: `whole turn, ${CHANGED} of ${size} changed, told with their lines`,
      baseline: "statSync of each file alone",
      ours: told,
      theirs,
      unit: "ms",
    },
  ];
}

async function answered(session: Session): Promise<number> {
  const turn = await session.turn();
  await turn.commit();
  return turn.reminders.length;
}

function plant(root: string, size: number): string[] {
  return Array.from({ length: size }, (_, index) => {
    const directory = join(root, `d${Math.floor(index / PER_DIRECTORY)}`);
    if (index % PER_DIRECTORY === 0) mkdirSync(directory);
    const file = join(directory, `f${index}.ts`);
    writeFileSync(file, `export const value${index} = ${index};\n`);
    return file;
  });
}

let edits = 0;
function edit(files: readonly string[]): Promise<void> {
  edits += 1;
  for (const file of files)
    writeFileSync(file, `export const value = ${"9".repeat((edits % 50) + 1)};\n// ${edits}\n`);
  // The event has to arrive; how long that takes is the kernel's.
  return wait(20);
}

/** Tracked, swept and watched, and the clocks no longer too fresh to trust. */
async function settle(suspects: Suspects, files: readonly string[]): Promise<void> {
  for (const file of files)
    suspects.track(file, { path: file, realPath: file, seen: fileStat(statSync(file)) });
  for (let round = 0; round < 5; round++) {
    for (const key of await suspects.take()) suspects.verified(key, fileStat(statSync(key)));
    await wait(200);
  }
}

async function findAll(suspects: Suspects, files: readonly string[]): Promise<void> {
  const found = await suspects.take();
  for (const key of found) suspects.verified(key, fileStat(statSync(key)));
  for (const file of files) if (!found.includes(file)) throw new Error(`${file} was missed`);
}

function expectNone(found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${found.length} files are suspected, none has changed`);
}

function statEach(files: readonly string[], times: ReadonlyMap<string, number>, most = 0): void {
  let changed = 0;
  for (const file of files) if (statSync(file).mtimeMs !== times.get(file)) changed += 1;
  if (changed > most && most === 0) throw new Error("a file changed");
}

async function statTogether(files: readonly string[], times: ReadonlyMap<string, number>): Promise<void> {
  const stats = await Promise.all(files.map((file) => stat(file)));
  if (stats.some(({ mtimeMs }, index) => mtimeMs !== times.get(files[index] as string)))
    throw new Error("a file changed");
}

async function timed(
  run: () => unknown,
  rounds = ROUNDS,
  before: () => unknown = () => wait(5),
): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await before();
    const from = performance.now();
    await run();
    times.push(performance.now() - from);
  }
  return median(times);
}
