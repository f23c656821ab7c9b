// Whether a store and the files beside it can be written by this user: found out by writing a file, which is removed
// again.

import { accessSync, constants, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFull } from "../agent-hooks/reserve.ts";
import type { Finding } from "./finding.ts";

export type Unwritable = Required<Pick<Finding, "words" | "fix">>;

// Less than one hook call writes.
const BYTES = 16 * 1024;
const ELSEWHERE = "set XDG_STATE_HOME, or use --store";

/** Undefined if it can be written. */
export function whyNotWritten(path: string): Unwritable | undefined {
  for (const file of [path, `${path}-wal`, `${path}-shm`])
    if (isThere(file) && !isAccessible(file))
      return { words: `this user cannot write ${file}`, fix: `chmod u+w ${file} as its owner, ${ELSEWHERE}` };
  return whyNoFiles(dirname(path));
}

/** Why no files can be made in a directory, which may not exist yet. Undefined if they can. */
export function whyNoFiles(directory: string): Unwritable | undefined {
  const place = existing(directory);
  const file = join(place, `.sotto-${crypto.randomUUID()}`);
  try {
    writeAndRemove(file);
    return undefined;
  } catch (error) {
    if (isFull(error))
      return { words: `the disk of ${place} is full (less than 16 kB free)`, fix: "free some space" };
    const words = `this user cannot create files in ${place} (${(error as NodeJS.ErrnoException).code})`;
    const isDirectory = statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const made = isDirectory ? `make ${place} writable` : `replace ${place} by a directory`;
    return { words, fix: `${made}, ${ELSEWHERE}` };
  }
}

function writeAndRemove(file: string): void {
  // Nothing to remove unless this could be made.
  writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  try {
    writeFileSync(file, new Uint8Array(BYTES));
  } finally {
    rmSync(file, { force: true });
  }
}

function existing(path: string): string {
  return isThere(path) || dirname(path) === path ? path : existing(dirname(path));
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // In a directory that this user may not enter.
    return false;
  }
}

function isAccessible(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
