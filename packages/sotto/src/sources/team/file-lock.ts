// A lock next to a file, as a directory `<file>.lock`: other programs that share such files use the same one.

import type { BigIntStats } from "node:fs";
import { lstat, mkdir, rename, rm, rmdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

export interface FileLock {
  /** Whether we still hold it: a lock held for too long may have been taken over. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Unique names, to take over what a killed process left. */
  unique(): string;
  signal: AbortSignal;
}

// Longer means that its holder has died: a lock is held for one read and one write.
const STALE_MS = 10_000;
const TRIES = 5;
const PAUSE_MS = 10;

/** Undefined if someone else holds it. Rejects if no lock can be created at all, such as on a read-only disk. */
export async function lockFile(path: string, { unique, signal }: LockOptions): Promise<FileLock | undefined> {
  const lock = `${path}.lock`;
  for (let count = 0; count < TRIES && !signal.aborted; count++) {
    if (count > 0) await pause(PAUSE_MS);
    if (await make(lock)) {
      const mine = await lstat(lock, { bigint: true });
      return {
        isHeld: async () => isSameLock(mine, await look(lock)),
        async release() {
          if (isSameLock(mine, await look(lock))) await rmdir(lock).catch(() => undefined);
        },
      };
    }
    await takeAwayStale(lock, `${lock}.${unique()}`);
  }
  return undefined;
}

async function make(lock: string): Promise<boolean> {
  try {
    await mkdir(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Two processes may find the same stale lock: the one that moves the other's new one away puts it back. */
async function takeAwayStale(lock: string, aside: string): Promise<void> {
  const found = await look(lock);
  // A time in the future does not count, either.
  if (found === undefined || Math.abs(Date.now() - Number(found.mtimeMs)) < STALE_MS) return;
  try {
    await rename(lock, aside);
    if (isSameLock(found, await look(aside))) await rm(aside, { recursive: true, force: true });
    else await rename(aside, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function look(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}

/** Inode numbers are reused; the creation time tells them apart. Renaming changes neither. */
function isSameLock(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return (
    other !== undefined && one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs
  );
}
