// One watcher per directory, however many files it has. An event is a hint; no event proves nothing.

import type { FSWatcher, Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { firstOf, RoundRobin } from "./round-robin.ts";

export type Watch = (
  path: string,
  options: { persistent: false },
  listener: (event: string, name: string | null) => void,
) => NonNullable<WatchedDirectory<unknown>["watcher"]>;

export interface WatchDirectoriesOptions<File> {
  watch: Watch | false;
  statSync(path: string): Stats | undefined;
  isRemote(path: string): boolean;
  /** An event named this file. */
  onEvent(file: File): void;
  /** What is known about this file may be outdated. */
  onDoubt(file: File): void;
  /** Whether this file is watched may have changed. */
  onMove(file: File): void;
  /** Any event, of any file. */
  onAny(): void;
  /** There is work for `step`. */
  onWork(): void;
}

export interface WatchDirectories<File> {
  isWatching(): boolean;
  add(path: string, file: File): WatchedDirectory<File>;
  delete(path: string, file: File): void;
  /** Files that are not watched yet: until then they must be checked. */
  waiting(): Iterable<File>;
  /** Checks in a later step whether it is still the same directory. */
  doubt(directory: WatchedDirectory<File>): void;
  doubtAll(): void;
  /** Once per turn: retries some of the lost directories, and checks some of the watched ones. */
  round(): void;
  /** The mounts have changed. */
  remount(): void;
  /** Does a little of the work; returns whether there is more. */
  step(): boolean;
  close(): void;
}

const STEP = 50;
const LOST_A_ROUND = 20;
const DOUBTED_A_ROUND = 50;
// The system's limit is for all programs of the user, and on older systems it is 8,192.
const MOST_WATCHED = 4000;

export function createWatchDirectories<File>(options: WatchDirectoriesOptions<File>): WatchDirectories<File> {
  const { watch, statSync, onEvent, onDoubt, onMove } = options;
  type Directory = WatchedDirectory<File>;
  const directories = new Map<string, Directory>();
  const states = {
    waiting: new RoundRobin<Directory>(),
    watched: new RoundRobin<Directory>(),
    lost: new RoundRobin<Directory>(),
    off: new RoundRobin<Directory>(),
  };
  const doubted = new Set<Directory>();

  const enter = (directory: Directory, state: WatchState) => {
    if (directory.state === state) return;
    states[directory.state].delete(directory);
    states[state].add(directory);
    directory.state = state;
    if (state !== "watched") release(directory);
    for (const file of allFiles(directory)) {
      onMove(file);
      onDoubt(file);
    }
    if (state === "waiting") options.onWork();
  };

  const release = (directory: Directory) => {
    doubted.delete(directory);
    directory.watcher?.close();
    directory.watcher = undefined;
  };

  const begin = (directory: Directory) => {
    const identity = identityOf(directory.path, statSync);
    const isPossible = identity !== undefined && states.watched.size < MOST_WATCHED;
    if (watch === false || !isPossible) return enter(directory, "lost");
    try {
      const watcher = watch(directory.path, { persistent: false }, (event, name) => {
        if (directory.watcher === watcher) handleEvent(directory, event, name);
      });
      directory.watcher = watcher;
      watcher.on("error", () => {
        if (directory.watcher === watcher) enter(directory, "lost");
      });
    } catch {
      return enter(directory, "lost");
    }
    directory.identity = identity;
    if (identityOf(directory.path, statSync) === identity) return enter(directory, "watched");
    // Replaced meanwhile: it is unclear which of the two is watched.
    release(directory);
    enter(directory, "lost");
  };

  const handleEvent = (directory: Directory, event: string, name: string | null) => {
    options.onAny();
    if (name !== null) for (const file of filesNamed(directory, name)) onEvent(file);
    // Without a name, or with its own, the event is about the directory itself.
    if (name !== null && !isOwnName(directory, name)) return;
    // Gone or moved; another one may already be there.
    if (event === "rename") enter(directory, "waiting");
    else for (const file of allFiles(directory)) onDoubt(file);
  };

  const check = (directory: Directory) => {
    doubted.delete(directory);
    if (identityOf(directory.path, statSync) !== directory.identity) enter(directory, "waiting");
  };

  const firstState = (isRemote: boolean) => (watch === false || isRemote ? "off" : "waiting");

  const create = (path: string): Directory => {
    const isRemote = options.isRemote(path);
    const state = firstState(isRemote);
    const directory = createDirectory<File>(path, isRemote, state);
    directories.set(path, directory);
    states[state].add(directory);
    if (state === "waiting") options.onWork();
    return directory;
  };

  return {
    isWatching: () => states.watched.size > 0,
    add(path, file) {
      const known = directories.get(dirname(path));
      const directory = known ?? create(dirname(path));
      addFile(directory, path, file);
      return directory;
    },
    delete(path, file) {
      const directory = directories.get(dirname(path));
      if (directory === undefined) return;
      deleteFile(directory, path, file);
      if (directory.files.size > 0) return;
      directories.delete(directory.path);
      states[directory.state].delete(directory);
      release(directory);
    },
    *waiting() {
      for (const directory of states.waiting) yield* allFiles(directory);
    },
    doubt(directory) {
      if (directory.state !== "watched") return;
      doubted.add(directory);
      options.onWork();
    },
    doubtAll() {
      for (const directory of states.watched) doubted.add(directory);
    },
    round() {
      for (const directory of states.lost.some(LOST_A_ROUND)) begin(directory);
      for (const directory of states.watched.some(DOUBTED_A_ROUND)) doubted.add(directory);
    },
    remount() {
      for (const directory of directories.values()) {
        const isRemote = options.isRemote(directory.path);
        if (isRemote === directory.isRemote) continue;
        directory.isRemote = isRemote;
        enter(directory, firstState(isRemote));
        for (const file of allFiles(directory)) onMove(file);
      }
    },
    step() {
      for (const directory of firstOf(states.waiting, STEP)) begin(directory);
      for (const directory of firstOf(doubted, STEP)) check(directory);
      return states.waiting.size > 0 || doubted.size > 0;
    },
    close() {
      for (const directory of directories.values()) release(directory);
      directories.clear();
    },
  };
}

// A directory, the tracked files in it by name, and whether it is watched.

/**
 * `waiting`: not watched yet. `lost`: could not be watched, or does not exist; retried from time to time. `off`: not
 * to be watched.
 */
export type WatchState = "waiting" | "watched" | "lost" | "off";

export interface WatchedDirectory<File> {
  path: string;
  /** As in events about the directory itself. */
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

/** Undefined if there is no directory. */
export function identityOf(path: string, statSync: (path: string) => Stats | undefined): string | undefined {
  try {
    const stats = statSync(path);
    // Inode numbers are reused soon after a directory is removed, so they are not enough.
    return stats?.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
  } catch {
    return undefined;
  }
}

/** Some disks return names in another spelling. One file too many only costs a check. */
function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
