// For questions in quick succession: says that nothing has happened to some paths since they were checked, so that they
// need not be checked again. For a second at most, as a watcher may miss something; and only on local disks whose
// events come at once. Nothing is watched while nobody asks.

import { lstatSync, watch as nodeWatch, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { type NetworkMounts, processMounts } from "./network-mounts.ts";
import type { Watch } from "./watch-directories.ts";

export interface BurstWatch {
  /** Lets the events that wait come in. To be called at each question, before the rest. */
  settle(): Promise<void> | undefined;
  /** Whether nothing has happened since this mark was given. */
  isQuiet(mark: Mark): boolean;
  /**
   * Watches these paths, to be called before they are checked. Undefined if not all of them can be watched, or the
   * last question was too long ago: then nobody seems to ask again soon.
   */
  cover(paths: readonly CoveredPath[]): Mark | undefined;
}

export interface CoveredPath {
  path: string;
  /** `content`: anything that happens in a directory counts. `presence`: only what happens to it as a whole. */
  by: "content" | "presence";
}

export interface Mark {
  at: number;
  stirs: number;
}

export interface BurstWatchOptions {
  watch?: Watch;
  mounts?: Pick<NetworkMounts, "mayBlock">;
  /** Milliseconds that only grow. */
  clock?(): number;
}

interface Watched {
  watcher: ReturnType<Watch>;
  /** Names that count; all if absent. */
  names: Set<string> | undefined;
}

const TRUSTED_MS = 1000;
const KEPT_MS = 3000;
// The system's limit is for all programs of the user.
const MOST_WATCHED = 1000;

export function createBurstWatch(options: BurstWatchOptions = {}): BurstWatch {
  const { watch = nodeWatch, mounts = processMounts, clock = () => performance.now() } = options;
  const watched = new Map<string, Watched>();
  let stirs = 0;
  let lastAsked = Number.NEGATIVE_INFINITY;
  let isBurst = false;
  let isTimed = false;

  const closeAll = () => {
    stirs++;
    for (const { watcher } of watched.values()) watcher.close();
    watched.clear();
  };
  const closeIfUnused = () => {
    isTimed = false;
    if (clock() - lastAsked >= KEPT_MS) closeAll();
    else keepWatching();
  };
  const keepWatching = () => {
    if (!isTimed) setTimeout(closeIfUnused, KEPT_MS).unref();
    isTimed = true;
  };
  const begin = (directory: string): Watched | undefined => {
    if (watched.size >= MOST_WATCHED) return undefined;
    try {
      // Through a link another directory would be meant as soon as it leads elsewhere.
      if (realpathSync.native(directory) !== directory) return undefined;
      const own = basename(directory);
      const watcher = watch(directory, { persistent: false }, (_event, name) => {
        if (watched.get(directory)?.watcher !== watcher) return;
        // Gone or moved: what is watched is no longer what the path says.
        if (name === null || name === own) closeAll();
        else if (one.names === undefined || one.names.has(name)) stirs++;
      });
      watcher.on("error", closeAll);
      const one: Watched = { watcher, names: new Set() };
      watched.set(directory, one);
      keepWatching();
      return one;
    } catch {
      return undefined;
    }
  };
  /** The directory with everything above it: if one of them is replaced, its parent tells. */
  const watchedAt = (directory: string): Watched | undefined => {
    const known = watched.get(directory);
    if (known !== undefined) return known;
    const parent = dirname(directory);
    if (parent !== directory) {
      const above = watchedAt(parent);
      if (above === undefined) return undefined;
      above.names?.add(basename(directory));
    }
    return begin(directory);
  };
  /** A missing path is told by the nearest directory that exists. */
  const coverOne = ({ path, by }: CoveredPath): boolean => {
    if (mounts.mayBlock(path)) return false;
    const parent = dirname(path);
    if (watched.get(parent) === undefined && statOf(parent) === undefined)
      return parent !== path && coverOne({ path: parent, by: "presence" });
    const above = watchedAt(parent);
    if (above === undefined) return false;
    above.names?.add(basename(path));
    const stats = statOf(path);
    if (stats === undefined) return !isLink(path);
    if (realpathSync.native(path) !== path) return false;
    // Written under another name, it makes no event here.
    if (!stats.isDirectory()) return stats.nlink === 1;
    if (by === "presence") return true;
    const itself = watchedAt(path);
    if (itself !== undefined) itself.names = undefined;
    return itself !== undefined;
  };

  return {
    settle() {
      const at = clock();
      isBurst = at - lastAsked < TRUSTED_MS;
      lastAsked = at;
      return watched.size === 0 ? undefined : eventsThatWait();
    },
    isQuiet: (mark) => mark.stirs === stirs && clock() - mark.at < TRUSTED_MS,
    cover(paths) {
      if (!isBurst) return undefined;
      const at = clock();
      const before = stirs;
      try {
        return paths.every(coverOne) && before === stirs ? { at, stirs } : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** All sessions of a process share their watchers. */
export const processBurstWatch = createBurstWatch();

/** Resolves after the kernel has been polled for events. From a callback of such a poll, that takes another round. */
export async function eventsThatWait(): Promise<void> {
  const from = pollsSoFar();
  await nextPhase();
  if (pollsSoFar() === from) await nextPhase();
}

function pollsSoFar(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}

export function nextPhase(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}
