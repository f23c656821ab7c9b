// A directory, the tracked files in it by their names, and whether it is watched.

import type { FSWatcher, Stats } from "node:fs";
import { basename } from "node:path";

/**
 * `waiting`: to be watched, and not yet. `lost`: could not be watched, or is not there; tried again from time to time.
 * `off`: not to be watched.
 */
export type WatchState = "waiting" | "watched" | "lost" | "off";

export interface WatchedDirectory<File> {
  path: string;
  /** Its own, as events of the directory itself give it. */
  name: string;
  files: Map<string, File[]>;
  state: WatchState;
  /** On a network mount. */
  isRemote: boolean;
  watcher: Pick<FSWatcher, "on" | "close"> | undefined;
  /** Which directory is watched. */
  identity: string | undefined;
}

export function createDirectory<File>(
  path: string,
  isRemote: boolean,
  state: WatchState,
): WatchedDirectory<File> {
  const unwatched = { watcher: undefined, identity: undefined };
  return { path, name: fold(basename(path)), files: new Map(), state, isRemote, ...unwatched };
}

export function addFile<File>({ files }: WatchedDirectory<File>, path: string, file: File) {
  const name = fold(basename(path));
  const same = files.get(name);
  if (same === undefined) files.set(name, [file]);
  else if (!same.includes(file)) same.push(file);
}

export function deleteFile<File>({ files }: WatchedDirectory<File>, path: string, file: File) {
  const name = fold(basename(path));
  const others = files.get(name)?.filter((other) => other !== file) ?? [];
  if (others.length > 0) files.set(name, others);
  else files.delete(name);
}

export function filesNamed<File>(directory: WatchedDirectory<File>, name: string): readonly File[] {
  return directory.files.get(fold(name)) ?? [];
}

export function* allFiles<File>(directory: WatchedDirectory<File>): Iterable<File> {
  for (const files of directory.files.values()) yield* files;
}

export function isOwnName<File>(directory: WatchedDirectory<File>, name: string): boolean {
  return fold(name) === directory.name;
}

/** Undefined where there is no directory. */
export function identityOf(path: string, statSync: (path: string) => Stats | undefined): string | undefined {
  try {
    const stats = statSync(path);
    // Numbers are given again soon after a directory is removed, so they do not tell enough.
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

/** Some disks spell a name otherwise than it was asked for. One file too many only costs a look. */
function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
