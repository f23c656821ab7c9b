// The tracked files: which of them are suspects, and which are due for a check.

import { realpathSync, type Stats } from "node:fs";
import type { FileStat } from "./read-outcome.ts";
import { RoundRobin } from "./round-robin.ts";
import { isReplaced, isTooFresh, looksOther, type Tracked } from "./version.ts";
import {
  createWatchDirectories,
  type Watch,
  type WatchDirectories,
  type WatchDirectoriesOptions,
} from "./watch-directories.ts";

export interface TrackedFile {
  /** As given: links are followed on each check. */
  path: string;
  /** The real path at the time. */
  realPath: string;
  /** The stat of the content that was last compared; if unknown, the file is a suspect at once. */
  seen?: FileStat | undefined;
  /** It had changed so shortly before it was read that an equal stat proves nothing. */
  racy?: boolean | undefined;
}

export interface TrackedFilesOptions {
  watch: Watch | false;
  now(): number;
  statSync(path: string): Stats | undefined;
  isRemote(path: string): boolean;
  /** Any event, of any file. */
  onAny(): void;
  /** There is work to do for the directories. */
  onWork(): void;
}

export interface TrackedFiles {
  size(): number;
  readonly suspects: ReadonlySet<Tracked>;
  /** To be checked before the next take ends. */
  readonly due: Set<Tracked>;
  readonly audit: Audit;
  readonly directories: WatchDirectories<Tracked>;
  track(key: string, file: TrackedFile): void;
  untrack(key: string): void;
  verified(key: string, stat: FileStat | undefined): void;
  keep(key: string): void;
  look(file: Tracked): void;
  /** Compares with the current stat. */
  judge(file: Tracked, found: FileStat | undefined): void;
  close(): void;
}

export function createTrackedFiles(options: TrackedFilesOptions): TrackedFiles {
  return new Files(options);
}

class Files implements TrackedFiles, WatchDirectoriesOptions<Tracked> {
  readonly suspects = new Set<Tracked>();
  readonly due = new Set<Tracked>();
  readonly audit: Audit = new FileAudit();
  readonly directories: WatchDirectories<Tracked>;
  readonly #options: TrackedFilesOptions;
  readonly #tracked = new Map<string, Tracked>();

  constructor(options: TrackedFilesOptions) {
    this.#options = options;
    this.directories = createWatchDirectories<Tracked>(this);
  }

  size(): number {
    return this.#tracked.size;
  }

  track(key: string, { path, realPath, seen, racy = false }: TrackedFile): void {
    const known = this.#tracked.get(key);
    const isSame = known?.path === path && known.realPath === realPath;
    // Tracked again unchanged: events since then still count.
    if (isSame && !racy && seen !== undefined && !looksOther(known.seen, seen)) return;
    if (known !== undefined && !isSame) this.#remove(known);
    const file = isSame ? known : this.#create(key, path, realPath);
    file.seen = seen;
    file.takenAt = undefined;
    file.stirred = false;
    if (seen === undefined || racy) this.suspects.add(file);
    else this.suspects.delete(file);
    this.due.add(file);
  }

  untrack(key: string): void {
    const file = this.#tracked.get(key);
    if (file !== undefined) this.#remove(file);
  }

  verified(key: string, stat: FileStat | undefined): void {
    const file = this.#tracked.get(key);
    if (file === undefined) return;
    const now = this.#options.now();
    const isFresh = stat !== undefined && isTooFresh(stat, file.takenAt ?? now, now);
    if (isReplaced(file.seen, stat)) this.#follow(file);
    file.seen = stat ?? "missing";
    file.takenAt = undefined;
    // An event since it was taken may be a change after it was read.
    if (file.stirred || isFresh) this.suspects.add(file);
    else this.suspects.delete(file);
    this.due.add(file);
  }

  keep(key: string): void {
    const file = this.#tracked.get(key);
    if (file === undefined) return;
    file.takenAt = undefined;
    this.suspects.add(file);
  }

  look(file: Tracked): void {
    this.due.delete(file);
    if (file.ring === this.audit.remote || this.suspects.has(file)) return;
    try {
      this.judge(file, this.#options.statSync(file.path));
    } catch {
      // Unknown for now; the audit comes back to it.
    }
  }

  judge(file: Tracked, found: FileStat | undefined): void {
    if (looksOther(file.seen, found)) this.suspects.add(file);
  }

  close(): void {
    this.directories.close();
    for (const file of this.#tracked.values()) this.#remove(file);
  }

  // What the directories need.

  get watch(): Watch | false {
    return this.#options.watch;
  }

  statSync(path: string): Stats | undefined {
    return this.#options.statSync(path);
  }

  isRemote(path: string): boolean {
    return this.#options.isRemote(path);
  }

  onAny(): void {
    this.#options.onAny();
  }

  onWork(): void {
    this.#options.onWork();
  }

  onEvent(file: Tracked): void {
    file.stirred = true;
    this.suspects.add(file);
  }

  onDoubt(file: Tracked): void {
    this.due.add(file);
  }

  onMove(file: Tracked): void {
    this.audit.place(file);
  }

  #create(key: string, path: string, realPath: string): Tracked {
    // Written out: there is one for each file, and objects that are put together take more memory.
    const file: Tracked = {
      key,
      path,
      realPath,
      target: realPath,
      directories: [],
      ring: undefined,
      seen: undefined,
      stirred: false,
      takenAt: undefined,
    };
    this.#tracked.set(key, file);
    this.#settle(file);
    return file;
  }

  #settle(file: Tracked): void {
    const own = this.directories.add(file.path, file);
    const other = file.target === file.path ? own : this.directories.add(file.target, file);
    file.directories = own === other ? [own] : [own, other];
    this.audit.place(file);
  }

  #remove(file: Tracked): void {
    this.#tracked.delete(file.key);
    this.suspects.delete(file);
    this.due.delete(file);
    this.audit.delete(file);
    this.#leave(file);
  }

  #leave(file: Tracked): void {
    this.directories.delete(file.path, file);
    this.directories.delete(file.target, file);
  }

  /**
   * Another file is there, perhaps in another directory, or a link leads elsewhere: check that the right place is
   * watched.
   */
  #follow(file: Tracked): void {
    if (file.ring === this.audit.remote) return;
    for (const directory of file.directories) this.directories.doubt(directory);
    try {
      const target = realpathSync(file.path);
      if (target === file.target) return;
      this.#leave(file);
      file.target = target;
      this.#settle(file);
    } catch {
      // Gone: it leads nowhere else.
    }
  }
}

// Which files to check without an event: a few in each turn, more between turns, round-robin. So a change without an
// event is found within ⌈tracked / 300⌉ turns.

export interface Audit {
  /** Files on network mounts, kept apart from the rest. */
  readonly remote: RoundRobin<Tracked>;
  /** How many are left of the rounds between turns. */
  left(): number;
  /** Adds a file, or moves it to where it belongs by now. */
  place(file: Tracked): void;
  delete(file: Tracked): void;
  all(): Iterable<Tracked>;
  /**
   * The files for this turn. What is left of the last round is due now, to keep the promise; but turns in quick
   * succession, with nothing running between them, may leave it to the events, if there are any.
   */
  turn(isHurried: boolean): Tracked[];
  /** Starts a new round between turns; of watched files only if the last one was not just now. */
  round(isHurried: boolean): void;
  /** The files for one step between turns. */
  step(count: number): Tracked[];
}

const TURN = 32;
// Of these an event tells.
const WATCHED_TURN = 8;
const WATCHED_HURRIED = 2;
const ROUND = 600;
// Per turn, for unwatched and watched files alike.
const PROMISED = 300;

interface Part {
  ring: RoundRobin<Tracked>;
  /** How many are left of this round. */
  left: number;
  /** How many of them the next turn must check itself, to keep the promise. */
  owed: number;
}

class FileAudit implements Audit {
  readonly remote = new RoundRobin<Tracked>();
  readonly #watched: Part = { ring: new RoundRobin(), left: 0, owed: 0 };
  readonly #unwatched: Part = { ring: new RoundRobin(), left: 0, owed: 0 };

  left(): number {
    return this.#unwatched.left + this.#watched.left;
  }

  place(file: Tracked): void {
    const ring = this.#ringOf(file);
    if (ring === file.ring) return;
    file.ring?.delete(file);
    file.ring = ring;
    ring.add(file);
  }

  delete(file: Tracked): void {
    file.ring?.delete(file);
    file.ring = undefined;
  }

  *all(): Iterable<Tracked> {
    yield* this.#unwatched.ring;
    yield* this.#watched.ring;
  }

  turn(isHurried: boolean): Tracked[] {
    const [watched, unwatched] = [this.#watched, this.#unwatched];
    // Few enough that all are due at the next turn.
    if (this.#local() <= PROMISED) return [...unwatched.ring, ...watched.ring];
    const left = [...draw(unwatched, unwatched.owed), ...draw(watched, isHurried ? 0 : watched.owed)];
    const first = unwatched.ring.some(TURN);
    const more = Math.min(isHurried ? WATCHED_HURRIED : WATCHED_TURN, TURN - first.length);
    return [...left, ...first, ...watched.ring.some(more)];
  }

  round(isHurried: boolean): void {
    const most = this.#local() <= PROMISED ? 0 : ROUND;
    begin(this.#unwatched, most - Math.min(this.#watched.ring.size, PROMISED, most));
    if (!isHurried) begin(this.#watched, most - this.#unwatched.left);
  }

  step(count: number): Tracked[] {
    const first = draw(this.#unwatched, count);
    return [...first, ...draw(this.#watched, count - first.length)];
  }

  #local(): number {
    return this.#unwatched.ring.size + this.#watched.ring.size;
  }

  #ringOf({ directories }: Tracked): RoundRobin<Tracked> {
    if (directories.some(({ isRemote }) => isRemote)) return this.remote;
    return directories.every(({ state }) => state === "watched") ? this.#watched.ring : this.#unwatched.ring;
  }
}

function begin(part: Part, most: number): void {
  part.left = Math.min(part.ring.size, most);
  part.owed = Math.min(part.left, PROMISED);
}

function draw(part: Part, most: number): Tracked[] {
  const left = Math.min(part.left, part.ring.size);
  const files = part.ring.some(Math.min(most, left));
  part.left = left - files.length;
  part.owed = Math.max(0, part.owed - files.length);
  return files;
}
