// The tracked files: which of them are suspects, and which are due for a check.

import { realpathSync, type Stats } from "node:fs";
import type { FileStat } from "./read-outcome.ts";
import { RoundRobin } from "./round-robin.ts";
import { isReplaced, isTooFresh, looksOther, type Tracked } from "./version.ts";
import { createWatchDirectories, type Watch, type WatchDirectories } from "./watch-directories.ts";

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
  const { now, statSync } = options;
  const tracked = new Map<string, Tracked>();
  const suspects = new Set<Tracked>();
  const due = new Set<Tracked>();
  const audit = createAudit();
  const directories = createWatchDirectories<Tracked>({
    ...options,
    onEvent(file) {
      file.stirred = true;
      suspects.add(file);
    },
    onDoubt: (file) => void due.add(file),
    onMove: audit.place,
  });

  const create = (key: string, path: string, realPath: string): Tracked => {
    const places = { path, realPath, target: realPath, directories: [], ring: undefined };
    const file: Tracked = { key, ...places, seen: undefined, stirred: false, takenAt: undefined };
    tracked.set(key, file);
    settle(file);
    return file;
  };
  const settle = (file: Tracked) => {
    const own = directories.add(file.path, file);
    const other = file.target === file.path ? own : directories.add(file.target, file);
    file.directories = own === other ? [own] : [own, other];
    audit.place(file);
  };
  const remove = (file: Tracked) => {
    tracked.delete(file.key);
    suspects.delete(file);
    due.delete(file);
    audit.delete(file);
    leave(file);
  };
  const leave = (file: Tracked) => {
    directories.delete(file.path, file);
    directories.delete(file.target, file);
  };
  /**
   * Another file is there, perhaps in another directory, or a link leads elsewhere: check that the right place is
   * watched.
   */
  const follow = (file: Tracked) => {
    if (file.ring === audit.remote) return;
    file.directories.forEach(directories.doubt);
    try {
      const target = realpathSync(file.path);
      if (target === file.target) return;
      leave(file);
      file.target = target;
      settle(file);
    } catch {
      // Gone: it leads nowhere else.
    }
  };
  const judge = (file: Tracked, found: FileStat | undefined) => {
    if (looksOther(file.seen, found)) suspects.add(file);
  };

  return {
    size: () => tracked.size,
    suspects,
    due,
    audit,
    directories,
    judge,
    track(key, { path, realPath, seen, racy = false }) {
      const known = tracked.get(key);
      const isSame = known?.path === path && known.realPath === realPath;
      // Tracked again unchanged: events since then still count.
      if (isSame && !racy && seen !== undefined && !looksOther(known.seen, seen)) return;
      if (known !== undefined && !isSame) remove(known);
      const file = isSame ? known : create(key, path, realPath);
      file.seen = seen;
      file.takenAt = undefined;
      file.stirred = false;
      if (seen === undefined || racy) suspects.add(file);
      else suspects.delete(file);
      due.add(file);
    },
    untrack(key) {
      const file = tracked.get(key);
      if (file !== undefined) remove(file);
    },
    verified(key, stat) {
      const file = tracked.get(key);
      if (file === undefined) return;
      const isFresh = stat !== undefined && isTooFresh(stat, file.takenAt ?? now(), now());
      if (isReplaced(file.seen, stat)) follow(file);
      file.seen = stat ?? "missing";
      file.takenAt = undefined;
      // An event since it was taken may be a change after it was read.
      if (file.stirred || isFresh) suspects.add(file);
      else suspects.delete(file);
      due.add(file);
    },
    keep(key) {
      const file = tracked.get(key);
      if (file === undefined) return;
      file.takenAt = undefined;
      suspects.add(file);
    },
    look(file) {
      due.delete(file);
      if (file.ring === audit.remote || suspects.has(file)) return;
      try {
        judge(file, statSync(file.path));
      } catch {
        // Unknown for now; the audit comes back to it.
      }
    },
    close() {
      directories.close();
      for (const file of tracked.values()) remove(file);
    },
  };
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

export function createAudit(): Audit {
  const watched: Part = { ring: new RoundRobin(), left: 0, owed: 0 };
  const unwatched: Part = { ring: new RoundRobin(), left: 0, owed: 0 };
  const remote = new RoundRobin<Tracked>();

  const local = () => unwatched.ring.size + watched.ring.size;
  const ringOf = ({ directories }: Tracked) => {
    if (directories.some(({ isRemote }) => isRemote)) return remote;
    return directories.every(({ state }) => state === "watched") ? watched.ring : unwatched.ring;
  };

  return {
    remote,
    left: () => unwatched.left + watched.left,
    place(file) {
      const ring = ringOf(file);
      if (ring === file.ring) return;
      file.ring?.delete(file);
      file.ring = ring;
      ring.add(file);
    },
    delete(file) {
      file.ring?.delete(file);
      file.ring = undefined;
    },
    *all() {
      yield* unwatched.ring;
      yield* watched.ring;
    },
    turn(isHurried) {
      // Few enough that all are due at the next turn.
      if (local() <= PROMISED) return [...unwatched.ring, ...watched.ring];
      const left = [...draw(unwatched, unwatched.owed), ...draw(watched, isHurried ? 0 : watched.owed)];
      const first = unwatched.ring.some(TURN);
      return [...left, ...first, ...watched.ring.some(Math.min(WATCHED_TURN, TURN - first.length))];
    },
    round(isHurried) {
      const most = local() <= PROMISED ? 0 : ROUND;
      begin(unwatched, most - Math.min(watched.ring.size, PROMISED, most));
      if (!isHurried) begin(watched, most - unwatched.left);
    },
    step(count) {
      const first = draw(unwatched, count);
      return [...first, ...draw(watched, count - first.length)];
    },
  };
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
