// Opens a path and says what was really opened: whoever swaps files in between gets nothing read that was not checked.

import { constants, type Stats } from "node:fs";
import type { FileHandle, lstat, open, opendir, readlink, realpath, stat, statfs } from "node:fs/promises";
import { absolutePath } from "../../platform/paths.ts";
import { type Refusal, specialKind } from "./read-outcome.ts";

export interface FileSystem {
  open: typeof open;
  stat: typeof stat;
  lstat: typeof lstat;
  statfs: typeof statfs;
  readlink: typeof readlink;
  realpath: typeof realpath;
  opendir: typeof opendir;
}

export interface Opened {
  kind: "opened";
  handle: FileHandle;
  stats: Stats;
  realPath: string;
  /** A path that leads to what was opened, even if its name leads elsewhere by now. */
  link: string;
}

export interface OpenOptions {
  fileSystem: FileSystem;
  /** Where the kernel shows what a descriptor stands for; false where it does not. */
  descriptors: string | false;
}

// Not waiting for a writer of a FIFO or for a lease, not becoming the owner of a terminal. Absent on Windows.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
// A file that is saved by renaming can go away under us; thrice in a row is someone playing.
const ATTEMPTS = 3;
const ROUNDS = 3;
const DELETED = " (deleted)";

export async function openPath(path: string, options: OpenOptions): Promise<Opened | Refusal> {
  // Looked at first: only opening a device can already do something.
  const special = specialKind(await options.fileSystem.stat(path));
  if (special !== undefined) return { kind: "special", what: special };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const opened = await openOnce(path, options);
    if (opened !== undefined) return opened;
  }
  return { kind: "unreadable", why: "replaced while being opened" };
}

async function openOnce(path: string, options: OpenOptions): Promise<Opened | Refusal | undefined> {
  const { fileSystem, descriptors } = options;
  const name = descriptors === false ? await fileSystem.realpath(path) : path;
  const handle = await fileSystem.open(name, descriptors === false ? FLAGS | NO_FOLLOW : FLAGS);
  let kept = false;
  try {
    const stats = await handle.stat();
    const special = specialKind(stats);
    if (special !== undefined) return { kind: "special", what: special };
    const link = descriptors === false ? name : `${descriptors}/${handle.fd}`;
    const realPath =
      descriptors === false
        ? await stillAt(name, stats, fileSystem)
        : await pathOf(link, stats, fileSystem).catch(() => false as const);
    if (realPath === undefined) return undefined;
    // No procfs here (some sandboxes).
    if (realPath === false) return openOnce(path, { fileSystem, descriptors: false });
    kept = true;
    return { kind: "opened", handle, stats, realPath: absolutePath(realPath, "/"), link };
  } finally {
    if (!kept) await handle.close().catch(() => {});
  }
}

/** What the kernel says the descriptor is called; nothing if it has no name any more. */
async function pathOf(link: string, stats: Stats, fileSystem: FileSystem): Promise<string | undefined> {
  const path = await fileSystem.readlink(link);
  if (!path.startsWith("/")) return undefined;
  if (!path.endsWith(DELETED)) return path;
  // The kernel's mark, or really its name.
  const named = await fileSystem.lstat(path).catch(() => undefined);
  return named !== undefined && isSame(named, stats) ? path : undefined;
}

/**
 * Where the kernel does not say: the real path was opened without following a link, and must still be the real path
 * of the same file. Directories above could be swapped to and fro between the calls; asking several times makes that
 * unlikely, not impossible.
 */
async function stillAt(path: string, stats: Stats, fileSystem: FileSystem): Promise<string | undefined> {
  for (let round = 0; round < ROUNDS; round++) {
    if ((await fileSystem.realpath(path)) !== path) return undefined;
    if (!isSame(await fileSystem.lstat(path), stats)) return undefined;
  }
  return path;
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
