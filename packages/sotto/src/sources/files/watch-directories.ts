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
  return new Directories(options);
}

// A class, as every session that tracks a file has one.
class Directories<File> implements WatchDirectories<File> {
  readonly #options: WatchDirectoriesOptions<File>;
  readonly #directories = new Map<string, WatchedDirectory<File>>();
  readonly #waiting = new RoundRobin<WatchedDirectory<File>>();
  readonly #watched = new RoundRobin<WatchedDirectory<File>>();
  readonly #lost = new RoundRobin<WatchedDirectory<File>>();
  readonly #off = new RoundRobin<WatchedDirectory<File>>();
  readonly #doubted = new RoundRobin<WatchedDirectory<File>>();

  constructor(options: WatchDirectoriesOptions<File>) {
    this.#options = options;
  }

  isWatching(): boolean {
    return this.#watched.size > 0;
  }

  add(path: string, file: File): WatchedDirectory<File> {
    const known = this.#directories.get(dirname(path));
    const directory = known ?? this.#create(dirname(path));
    addFile(directory, path, file);
    return directory;
  }

  delete(path: string, file: File): void {
    const directory = this.#directories.get(dirname(path));
    if (directory === undefined) return;
    deleteFile(directory, path, file);
    if (directory.files.size > 0) return;
    this.#directories.delete(directory.path);
    this.#ring(directory.state).delete(directory);
    this.#release(directory);
  }

  *waiting(): Iterable<File> {
    for (const directory of this.#waiting) yield* allFiles(directory);
  }

  doubt(directory: WatchedDirectory<File>): void {
    if (directory.state !== "watched") return;
    this.#doubted.add(directory);
    this.#options.onWork();
  }

  doubtAll(): void {
    for (const directory of this.#watched) this.#doubted.add(directory);
  }

  round(): void {
    for (const directory of this.#lost.some(LOST_A_ROUND)) this.#begin(directory);
    for (const directory of this.#watched.some(DOUBTED_A_ROUND)) this.#doubted.add(directory);
  }

  remount(): void {
    for (const directory of this.#directories.values()) {
      const isRemote = this.#options.isRemote(directory.path);
      if (isRemote === directory.isRemote) continue;
      directory.isRemote = isRemote;
      this.#enter(directory, this.#firstState(isRemote));
      for (const file of allFiles(directory)) this.#options.onMove(file);
    }
  }

  step(): boolean {
    for (const directory of firstOf(this.#waiting, STEP)) this.#begin(directory);
    for (const directory of firstOf(this.#doubted, STEP)) this.#check(directory);
    return this.#waiting.size > 0 || this.#doubted.size > 0;
  }

  close(): void {
    for (const directory of this.#directories.values()) this.#release(directory);
    this.#directories.clear();
  }

  #ring(state: WatchState): RoundRobin<WatchedDirectory<File>> {
    if (state === "waiting") return this.#waiting;
    if (state === "watched") return this.#watched;
    return state === "lost" ? this.#lost : this.#off;
  }

  #enter(directory: WatchedDirectory<File>, state: WatchState): void {
    if (directory.state === state) return;
    this.#ring(directory.state).delete(directory);
    this.#ring(state).add(directory);
    directory.state = state;
    if (state !== "watched") this.#release(directory);
    for (const file of allFiles(directory)) {
      this.#options.onMove(file);
      this.#options.onDoubt(file);
    }
    if (state === "waiting") this.#options.onWork();
  }

  #release(directory: WatchedDirectory<File>): void {
    this.#doubted.delete(directory);
    directory.watcher?.close();
    directory.watcher = undefined;
  }

  #begin(directory: WatchedDirectory<File>): void {
    const { watch } = this.#options;
    const identity = this.#identityOf(directory);
    const isPossible = identity !== undefined && this.#watched.size < MOST_WATCHED;
    if (watch === false || !isPossible) {
      this.#enter(directory, "lost");
      return;
    }
    try {
      const watcher = watch(directory.path, { persistent: false }, (event, name) => {
        if (directory.watcher === watcher) this.#handleEvent(directory, event, name);
      });
      directory.watcher = watcher;
      watcher.on("error", () => {
        if (directory.watcher === watcher) this.#enter(directory, "lost");
      });
    } catch {
      this.#enter(directory, "lost");
      return;
    }
    directory.identity = identity;
    const isSame = this.#identityOf(directory) === identity;
    // Replaced meanwhile: it is unclear which of the two is watched.
    if (!isSame) this.#release(directory);
    this.#enter(directory, isSame ? "watched" : "lost");
  }

  #handleEvent(directory: WatchedDirectory<File>, event: string, name: string | null): void {
    this.#options.onAny();
    if (name !== null) for (const file of filesNamed(directory, name)) this.#options.onEvent(file);
    // Without a name, or with its own, the event is about the directory itself.
    if (name !== null && !isOwnName(directory, name)) return;
    // Gone or moved; another one may already be there.
    if (event === "rename") this.#enter(directory, "waiting");
    else for (const file of allFiles(directory)) this.#options.onDoubt(file);
  }

  #check(directory: WatchedDirectory<File>): void {
    this.#doubted.delete(directory);
    if (this.#identityOf(directory) !== directory.identity) this.#enter(directory, "waiting");
  }

  #identityOf({ path }: WatchedDirectory<File>): string | undefined {
    return identityOf(path, (place) => this.#options.statSync(place));
  }

  #firstState(isRemote: boolean): WatchState {
    return this.#options.watch === false || isRemote ? "off" : "waiting";
  }

  #create(path: string): WatchedDirectory<File> {
    const isRemote = this.#options.isRemote(path);
    const state = this.#firstState(isRemote);
    const directory = createDirectory<File>(path, isRemote, state);
    this.#directories.set(path, directory);
    this.#ring(state).add(directory);
    if (state === "waiting") this.#options.onWork();
    return directory;
  }
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
  const name = fold(basename(path));
  return { path, name, files: new Map(), state, isRemote, watcher: undefined, identity: undefined };
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
