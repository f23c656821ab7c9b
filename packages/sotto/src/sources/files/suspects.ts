// Which tracked files may have changed: by watchers, and by checking, as watchers miss some changes.

import { statSync as nodeStatSync, watch as nodeWatch, type Stats } from "node:fs";
import { eventsThatWait, nextPhase } from "./burst-watch.ts";
import { createHeartbeat, heartbeatOfProcess } from "./heartbeat.ts";
import { createNetworkMounts, lookRemotely, remoteReader } from "./network-mounts.ts";
import type { FileStat } from "./read-outcome.ts";
import type { Reader } from "./reader.ts";
import { firstOf } from "./round-robin.ts";
import { createTrackedFiles, type TrackedFile } from "./tracked-files.ts";
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
  /** The wall clock, as in the times of files. */
  now?(): number;
  /** A monotonic clock. */
  clock?(): number;
  statSync?(path: string): Stats | undefined;
  /** The text of mountinfo(5). */
  mountTable?(): string | undefined;
}

// A process that runs for a single call ends before that, and needs no watcher.
const FIRST_STEP_MS = 50;
const STEP = 150;
const BREATH_MS = 8;
// If turns are closer together than this, the rest of a round had no chance to be checked.
const HURRIED_MS = 20;

export function createSuspects(options: SuspectsOptions = {}): Suspects {
  const { reader = remoteReader, watch = nodeWatch, now = Date.now } = options;
  const { clock = monotonic, statSync = statIfThere } = options;
  const heartbeat = clock === monotonic ? heartbeatOfProcess() : createHeartbeat(clock);
  const mounts = createNetworkMounts({ mountTable: options.mountTable });
  let isBegun = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let isNewRound = false;
  let taking = 0;
  let isHeld = true;
  let lastTake = Number.NEGATIVE_INFINITY;
  let lastAudit = Number.NEGATIVE_INFINITY;
  let lastRound = Number.NEGATIVE_INFINITY;

  /** Runs between turns while there is something to do and something else keeps the process alive. */
  const wake = (delayMs = 0) => {
    // A timer, as an unref'd immediate only runs when something else happens.
    if (isBegun && !isClosed) timer ??= setTimeout(step, delayMs).unref();
  };
  const step = () => {
    timer = undefined;
    // A turn does not wait for it, and wakes it again at its end.
    if (taking > 0) {
      isHeld = true;
      return;
    }
    isHeld = false;
    // What is checked regardless of events costs no more if turns follow each other quickly.
    if (isNewRound && clock() - lastRound >= HURRIED_MS) {
      isNewRound = false;
      lastRound = clock();
      if (mounts.refresh()) directories.remount();
      directories.round();
    }
    const isMore = directories.step();
    const first = firstOf(due, STEP);
    const chosen = [...first, ...audit.step(STEP - first.length)];
    for (const file of chosen) files.look(file);
    if (isMore || chosen.length === STEP) wake();
    else if (isNewRound) wake(HURRIED_MS);
  };

  const files = createTrackedFiles({
    watch,
    now,
    statSync,
    isRemote: mounts.covers,
    onAny: () => heartbeat.count(),
    onWork: wake,
  });
  const { suspects, due, audit, directories } = files;

  const chooseWhomToLookAt = () => {
    for (const file of directories.waiting()) due.add(file);
    if (heartbeat.mayHaveLost()) {
      for (const file of audit.all()) due.add(file);
      directories.doubtAll();
    }
    for (const file of audit.turn(clock() - lastTake < HURRIED_MS)) due.add(file);
  };
  /** Yields every few milliseconds. What is left when time is up is due next time. */
  const lookAtDue = (signal: AbortSignal | undefined): Promise<void> | undefined => {
    const from = clock();
    let looks = 0;
    for (const file of due) {
      if (signal?.aborted) return undefined;
      files.look(file);
      // The clock costs about as much as a stat.
      if (++looks % 10 === 0 && clock() - from >= BREATH_MS) return nextPhase().then(() => lookAtDue(signal));
    }
    return undefined;
  };
  const lookAll = (signal: AbortSignal | undefined): Promise<string[]> | string[] => {
    chooseWhomToLookAt();
    const looking = lookAtDue(signal);
    if (looking === undefined && audit.remote.size === 0) return takeSuspects();
    return (looking ?? Promise.resolve())
      .then(() =>
        lookRemotely(audit.remote, { reader, clock, signal, found: (file, stat) => files.judge(file, stat) }),
      )
      .then(takeSuspects);
  };
  const takeSuspects = (): string[] => {
    if (isClosed || files.size() === 0) return [];
    const at = now();
    for (const file of suspects) {
      file.takenAt ??= at;
      file.stirred = false;
    }
    lastTake = clock();
    const isHurried = lastTake - lastAudit < HURRIED_MS;
    audit.round(isHurried);
    if (!isHurried) lastAudit = lastTake;
    isNewRound = true;
    if (watch !== false) heartbeat.start();
    return Array.from(suspects, ({ key }) => key);
  };
  const end = () => {
    taking--;
    if (files.size() === 0) return;
    const isWork = isHeld || audit.left() > 0 || due.size > 0;
    const delayMs = isBegun ? (isWork ? 0 : HURRIED_MS) : FIRST_STEP_MS;
    isBegun = true;
    wake(delayMs);
  };

  return {
    track(key, file) {
      if (!isClosed) files.track(key, file);
    },
    untrack(key) {
      files.untrack(key);
      if (files.size() === 0) heartbeat.stop();
    },
    take(signal) {
      if (isClosed) return [];
      taking++;
      const taken = directories.isWatching() ? eventsThatWait().then(() => lookAll(signal)) : lookAll(signal);
      if (taken instanceof Promise) return taken.finally(end);
      end();
      return taken;
    },
    verified: (key, stat) => files.verified(key, stat),
    keep: (key) => files.keep(key),
    doubted: () => Array.from(suspects, ({ key }) => key),
    close() {
      isClosed = true;
      clearTimeout(timer);
      heartbeat.stop();
      files.close();
    },
  };
}

function monotonic(): number {
  return performance.now();
}

function statIfThere(path: string): Stats | undefined {
  return nodeStatSync(path, { throwIfNoEntry: false });
}
