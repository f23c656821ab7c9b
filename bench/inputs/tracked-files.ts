// A directory with many small files that are tracked, and the check which of them have changed.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileStat } from "../../packages/sotto/src/sources/files/read-outcome.ts";
import { createSuspects } from "../../packages/sotto/src/sources/files/suspects.ts";

const PER_DIRECTORY = 20;

export interface TrackedFiles {
  root: string;
  files: readonly string[];
  /** What a host without a watcher does: a stat of each file. It throws if another number of them changed. */
  statEach(changed: number): void;
  /** They are as they should be now. */
  seen(): void;
  remove(): void;
}

export function plantFiles(size: number): TrackedFiles {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-bench-files-")));
  const files = Array.from({ length: size }, (_, index) => {
    const directory = join(root, `d${Math.floor(index / PER_DIRECTORY)}`);
    if (index % PER_DIRECTORY === 0) mkdirSync(directory);
    const file = join(directory, `f${index}.ts`);
    writeFileSync(file, `export const value${index} = ${index};\n`);
    return file;
  });
  let times: number[] = [];
  const seen = () => {
    times = files.map((file) => statSync(file).mtimeMs);
  };
  seen();
  return {
    root,
    files,
    seen,
    statEach(expected) {
      let changed = 0;
      for (let index = 0; index < files.length; index++)
        if (statSync(files[index] as string).mtimeMs !== times[index]) changed++;
      if (changed !== expected) throw new Error(`${changed} files changed, not ${expected}`);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export interface Checker {
  /** Throws if exactly these files are not found. */
  find(changed: readonly string[]): Promise<void>;
  close(): void;
}

/** Our check alone. It comes back when all are tracked and watched, and their times no longer too fresh to trust. */
export async function createChecker(
  files: readonly string[],
  options: { watch?: false } = {},
): Promise<Checker> {
  const suspects = createSuspects(options);
  for (const file of files)
    suspects.track(file, { path: file, realPath: file, seen: fileStat(statSync(file)) });
  const take = async () => {
    const found = await suspects.take();
    for (const key of found) suspects.verified(key, fileStat(statSync(key)));
    return found;
  };
  for (let round = 0; round < 5; round++) {
    await take();
    await wait(200);
  }
  return {
    async find(changed) {
      const found = new Set(await take());
      for (const file of changed) if (!found.has(file)) throw new Error(`${file} was missed`);
      if (found.size !== changed.length) throw new Error(`${found.size} files found, not ${changed.length}`);
    },
    close: () => suspects.close(),
  };
}

let edits = 0;

export async function editFiles(files: readonly string[]): Promise<void> {
  edits += 1;
  for (const file of files)
    writeFileSync(file, `export const value = ${"9".repeat((edits % 50) + 1)};\n// ${edits}\n`);
  // The event has to arrive; how long that takes is the kernel's.
  await wait(20);
}
