// Which tracked files have changed: what a turn pays, against a stat of every file every turn.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createMemoryStore, createSession, type Session } from "sotto";
import { type Bench, type Goal, timeOf } from "../bench.ts";
import { median } from "../figures.ts";
import { createChecker, editFiles, plantFiles, type TrackedFiles } from "../inputs/tracked-files.ts";

const SIZES = [100, 1_000, 10_000];
const ROUNDS = 10;
// Whoever tracks 10,000 files has taken many turns, so the code is compiled; a baseline compiles while it walks the files.
const WARM_UP = 2000;
const CHANGED = 5;
const STAT = "statSync of each file";

export async function measure(bench: Bench): Promise<void> {
  for (const size of SIZES) {
    const tracked = plantFiles(size);
    try {
      const isMost = size === SIZES.at(-1);
      await checks(bench, tracked, isMost);
      if (isMost) await turns(bench, tracked);
    } finally {
      tracked.remove();
    }
  }
}

/** The check alone: which may have changed. */
async function checks(bench: Bench, tracked: TrackedFiles, isMost: boolean): Promise<void> {
  const { files, statEach } = tracked;
  const name = `changed files, ${files.length.toLocaleString("en")} tracked`;
  const goal = (timesBetter: number) => (isMost ? { goal: { timesBetter } satisfies Goal } : {});
  const statAll = () => timed(() => statEach(0));
  const watched = await createChecker(files);
  for (let check = 0; check < WARM_UP; check++) await watched.find([]);
  await bench.row({
    name: `${name}, nothing changed`,
    unit: "ms",
    baseline: STAT,
    ...goal(200),
    ours: () => timed(() => watched.find([])),
    theirs: statAll,
  });
  if (isMost)
    await bench.row({
      name: `${name}, nothing changed, beside asking for all at once`,
      unit: "ms",
      baseline: "Promise.all(stat)",
      ours: () => timed(() => watched.find([])),
      theirs: () => timed(() => Promise.all(files.map((file) => stat(file)))),
    });
  const step = Math.floor(files.length / CHANGED);
  const some = files.filter((_, index) => index % step === 0).slice(0, CHANGED);
  await bench.row({
    name: `${name}, ${CHANGED} changed and found`,
    unit: "ms",
    baseline: STAT,
    ours: () =>
      timed(
        () => watched.find(some),
        () => editFiles(some),
      ),
    theirs: () => timed(() => statEach(some.length)),
  });
  watched.close();
  tracked.seen();
  const swept = await createChecker(files, { watch: false });
  for (let check = 0; check < WARM_UP; check++) await swept.find([]);
  await bench.row({
    name: `${name}, nothing changed, watching off`,
    unit: "ms",
    baseline: STAT,
    ...goal(50),
    ours: () => timed(() => swept.find([])),
    theirs: statAll,
  });
  swept.close();
}

/** Whole turns with that many files tracked: nothing to say, and five changes to tell with their lines. */
async function turns(bench: Bench, { root, files, statEach, seen }: TrackedFiles): Promise<void> {
  const session = createSession({
    cwd: root,
    home: join(root, ".home"),
    agent: { kind: "main" },
    store: createMemoryStore(),
  });
  for (const path of files) await session.record({ type: "file_read", path });
  for (let turn = 0; turn < 3; turn++) await answered(session);
  await wait(500);
  const size = files.length.toLocaleString("en");
  const told = (changed: number) => async () => {
    const count = await answered(session);
    if (count !== changed) throw new Error(`${count} changes were told, not ${changed}`);
  };
  await bench.row({
    name: `whole turn, ${size} files tracked, nothing to say`,
    unit: "ms",
    baseline: `${STAT} alone`,
    ours: () => timed(told(0)),
    theirs: () => timed(() => statEach(0)),
  });
  const some = files.slice(100, 100 + CHANGED);
  await bench.row({
    name: `whole turn, ${CHANGED} of ${size} changed, told with their lines`,
    unit: "ms",
    baseline: `${STAT} alone`,
    ours: () => timed(told(CHANGED), () => editFiles(some)),
    theirs: () => timed(() => statEach(CHANGED)),
  });
  seen();
  await session.close();
}

async function answered(session: Session): Promise<number> {
  const turn = await session.turn();
  await turn.commit();
  return turn.reminders.length;
}

async function timed(run: () => unknown, before: () => unknown = () => wait(5)): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await before();
    times.push(await timeOf(run));
  }
  return median(times);
}
