// Makes a directory and its parents; only their owner can access them, unless `mode` says otherwise. Not by Node's
// recursive `mkdir`: that one loops forever below directories like `/proc` that accept no entries and report ENOENT.

import { existsSync, mkdirSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

export async function makeDirectory(path: string, mode = 0o700): Promise<void> {
  if (await madeOrThere(path, mode)) return;
  await makeDirectory(dirname(path), mode);
  // If there is nothing above it now either, this place takes no directories.
  if (!(await madeOrThere(path, mode))) await mkdir(path, { mode });
}

/** Whether what is above it is there. */
async function madeOrThere(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(path) !== path) return false;
    // A root, or a file system that is read only, has other words for what is there.
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return true;
    throw error;
  }
}

/** For a process that does nothing else meanwhile. */
export function makeDirectorySync(path: string, mode = 0o700): void {
  if (existsSync(path)) return;
  makeDirectorySync(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    // Another process may have been faster.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}
