// Which tracked files may have changed: by watchers, and by checking, as watchers miss some changes.

import { statSync as nodeStatSync, watch as nodeWatch, type Stats } from "node:fs";
import { eventsThatWait, nextPhase } from "./burst-watch.ts";
import { createHeartbeat, type Heartbeat, heartbeatOfProcess } from "./heartbeat.ts";
import { createNetworkMounts, lookRemotely, type NetworkMounts, remoteReader } from "./network-mounts.ts";
import type { FileStat } from "./read-outcome.ts";
import type { Reader } from "./reader.ts";
import { firstOf } from "./round-robin.ts";
import {
  createTrackedFiles,
  type TrackedFile,
  type TrackedFiles,
  type TrackedFilesOptions,
} from "./tracked-files.ts";
import type { Watch } from "./watch-directories.ts";

export interface Suspects {
  /** Starts tracking a file; again with other values if it was read, written or leads elsewhere. */
  track(key: string, file: TrackedFile): void;
  untrack(key: string): void;
  /** Keys that may have changed since they were verified. Cheap, as it is called in each turn: it waits only if it must. */
  take(signal?: AbortSignal): Promise<string[]> | string[];
  /**
   * The content that belongs to this stat (undefined: missing) has been handled. If it was read right after its last
   * change, the file becomes a suspect once more.
   */
  verified(key: string, stat: FileStat | undefined): void;
  /** Could not be checked now: it stays a suspect, as does a key that is taken and never verified. */
  keep(key: string): void;
  /** Keys that are suspects now. */
  doubted(): string[];
  close(): void;
}

export interface SuspectsOptions {
  /** For files on network mounts. By default in a separate slot, so that a dead mount does not block other reading. */
  reader?: Pick<Reader, "stat">;
  watch?: Watch | false;
  /** The process ends with the turn: all files are looked at in it, and nothing is begun for the time after it. */
  isBrief?: boolean;
  /** The wall clock, as in the times of files. */
  now?(): number;
  /** A monotonic clock. */
  clock?(): number;
  statSync?(path: string): Stats | undefined;
  /** The text of mountinfo(5). */
  mountTable?(): string | undefined;
}

// A process that runs for a single turn often ends before that, and needs no watcher.
const FIRST_STEP_MS = 50;
const STEP = 150;
const BREATH_MS = 8;
// If turns are closer together than this, the rest of a round had no chance to be checked.
const HURRIED_MS = 20;

/** What it is made of; each as Node has it by default. */
type World = Required<Omit<SuspectsOptions, "mountTable" | "isBrief">>;

// One for all sessions of a process, as nearly all of them have no other.
const nodeWorld: World = {
  reader: remoteReader,
  watch: nodeWatch,
  now: () => Date.now(),
  clock: monotonic,
  statSync: statIfThere,
};

export function createSuspects(options: SuspectsOptions = {}): Suspects {
  return new SuspectFiles(options);
}

// A class, as every session that tracks a file has one.
class SuspectFiles implements Suspects, TrackedFilesOptions {
  readonly watch: World["watch"];
  readonly #world: World;
  readonly #isBrief: boolean;
  readonly #heartbeat: Heartbeat;
  readonly #mounts: NetworkMounts;
  readonly #files: TrackedFiles;
  #isBegun = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #isNewRound = false;
  #taking = 0;
  #isHeld = true;
  #lastTake = Number.NEGATIVE_INFINITY;
  #lastAudit = Number.NEGATIVE_INFINITY;
  #lastRound = Number.NEGATIVE_INFINITY;

  constructor({ mountTable, isBrief = false, ...given }: SuspectsOptions) {
    this.#isBrief = isBrief;
    this.#world = Object.keys(given).length === 0 ? nodeWorld : { ...nodeWorld, ...given };
    const { clock, watch } = this.#world;
    this.watch = watch;
    this.#heartbeat = clock === monotonic ? heartbeatOfProcess() : createHeartbeat(clock);
    this.#mounts = createNetworkMounts({ mountTable });
    this.#files = createTrackedFiles(this);
  }

  track(key: string, file: TrackedFile): void {
    if (!this.#isClosed) this.#files.track(key, file);
  }

  untrack(key: string): void {
    this.#files.untrack(key);
    if (this.#files.size() === 0) this.#heartbeat.stop();
  }

  take(signal?: AbortSignal): Promise<string[]> | string[] {
    if (this.#isClosed) return [];
    this.#taking++;
    const taken = this.#files.directories.isWatching()
      ? eventsThatWait().then(() => this.#lookAll(signal))
      : this.#lookAll(signal);
    if (taken instanceof Promise) return taken.finally(() => this.#end());
    this.#end();
    return taken;
  }

  verified(key: string, stat: FileStat | undefined): void {
    this.#files.verified(key, stat);
  }

  keep(key: string): void {
    this.#files.keep(key);
  }

  doubted(): string[] {
    return Array.from(this.#files.suspects, ({ key }) => key);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#heartbeat.stop();
    this.#files.close();
  }

  // What the tracked files need.

  now(): number {
    return this.#world.now();
  }

  statSync(path: string): Stats | undefined {
    return this.#world.statSync(path);
  }

  isRemote(path: string): boolean {
    return this.#mounts.covers(path);
  }

  onAny(): void {
    this.#heartbeat.count();
  }

  onWork(): void {
    this.#wake();
  }

  // Between turns.

  /** Runs while there is something to do and something else keeps the process alive. */
  #wake(delayMs = 0): void {
    // A timer, as an unref'd immediate only runs when something else happens.
    if (this.#isBegun && !this.#isClosed) this.#timer ??= setTimeout(() => this.#step(), delayMs).unref();
  }

  #step(): void {
    const { clock } = this.#world;
    const { directories, due, audit } = this.#files;
    this.#timer = undefined;
    // A turn does not wait for it, and wakes it again at its end.
    if (this.#taking > 0) {
      this.#isHeld = true;
      return;
    }
    this.#isHeld = false;
    // What is checked regardless of events costs no more if turns follow each other quickly.
    if (this.#isNewRound && clock() - this.#lastRound >= HURRIED_MS) {
      this.#isNewRound = false;
      this.#lastRound = clock();
      if (this.#mounts.refresh()) directories.remount();
      directories.round();
    }
    const isMore = directories.step();
    const first = firstOf(due, STEP);
    const chosen = [...first, ...audit.step(STEP - first.length)];
    for (const file of chosen) this.#files.look(file);
    if (isMore || chosen.length === STEP) this.#wake();
    else if (this.#isNewRound) this.#wake(HURRIED_MS);
  }

  // In a turn.

  #lookAll(signal: AbortSignal | undefined): Promise<string[]> | string[] {
    const { reader, clock } = this.#world;
    const { remote } = this.#files.audit;
    this.#chooseWhomToLookAt();
    const looking = this.#lookAtDue(signal);
    if (looking === undefined && remote.size === 0) return this.#takeSuspects();
    return (looking ?? Promise.resolve())
      .then(() =>
        lookRemotely(remote, {
          reader,
          clock,
          signal,
          found: (file, stat) => this.#files.judge(file, stat),
        }),
      )
      .then(() => this.#takeSuspects());
  }

  #chooseWhomToLookAt(): void {
    const { directories, due, audit } = this.#files;
    for (const file of directories.waiting()) due.add(file);
    if (this.#heartbeat.mayHaveLost()) {
      for (const file of audit.all()) due.add(file);
      directories.doubtAll();
    }
    for (const file of audit.turn(this.#world.clock() - this.#lastTake < HURRIED_MS)) due.add(file);
  }

  /** Yields every few milliseconds. What is left when time is up is due next time. */
  #lookAtDue(signal: AbortSignal | undefined): Promise<void> | undefined {
    const { clock } = this.#world;
    const from = clock();
    let looks = 0;
    for (const file of this.#files.due) {
      if (signal?.aborted) return undefined;
      this.#files.look(file);
      // The clock costs about as much as a stat.
      if (++looks % 10 === 0 && clock() - from >= BREATH_MS)
        return nextPhase().then(() => this.#lookAtDue(signal));
    }
    return undefined;
  }

  #takeSuspects(): string[] {
    const { suspects, audit } = this.#files;
    if (this.#isClosed || this.#files.size() === 0) return [];
    const at = this.now();
    for (const file of suspects) {
      file.takenAt ??= at;
      file.stirred = false;
    }
    this.#lastTake = this.#world.clock();
    const isHurried = this.#lastTake - this.#lastAudit < HURRIED_MS;
    audit.round(isHurried);
    if (!isHurried) this.#lastAudit = this.#lastTake;
    this.#isNewRound = true;
    if (this.watch !== false && !this.#isBrief) this.#heartbeat.start();
    return this.doubted();
  }

  #end(): void {
    this.#taking--;
    const { audit, due } = this.#files;
    if (this.#files.size() === 0 || this.#isBrief) return;
    const isWork = this.#isHeld || audit.left() > 0 || due.size > 0;
    const delayMs = this.#isBegun ? (isWork ? 0 : HURRIED_MS) : FIRST_STEP_MS;
    this.#isBegun = true;
    this.#wake(delayMs);
  }
}

function monotonic(): number {
  return performance.now();
}

function statIfThere(path: string): Stats | undefined {
  return nodeStatSync(path, { throwIfNoEntry: false });
}
