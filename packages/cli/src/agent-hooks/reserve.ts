// A file that only holds space: given back when the disk is full, so that a few more lines can be written.

import { rmSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectorySync } from "sotto/internal";

// At most what `getRandomValues` fills in one call.
const BYTES = 64 * 1024;
const BLOCK = 4096;
// With less free space, what there is belongs to the store.
const SPARE = 3 * BYTES;

/** Makes it, or fills it again. Never throws: without space to spare there is none. */
export function fillReserve(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === BYTES) return;
  try {
    makeDirectorySync(dirname(path));
    const { bavail, bsize } = statfsSync(dirname(path));
    if (bavail * bsize < SPARE) return;
    // Random, as a file system that compresses would hold no space for anything else.
    writeFileSync(path, crypto.getRandomValues(new Uint8Array(BYTES)), { mode: 0o600 });
  } catch (error) {
    if (isFull(error)) rmSync(path, { force: true });
  }
}

/** Does work that writes `bytes`; while the disk is full, with space of the reserve. */
export function withReserve(path: string | undefined, bytes: number, work: () => void): void {
  for (;;)
    try {
      work();
      return;
    } catch (error) {
      if (path === undefined || !isFull(error) || !release(path, bytes)) throw error;
    }
}

export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** No more than is needed, as others may take it; false if that is not there. */
function release(path: string, bytes: number): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined || size < bytes) return false;
  const left = size - Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK;
  if (left > 0) truncateSync(path, left);
  else rmSync(path, { force: true });
  return true;
}
