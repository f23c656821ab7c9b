// A tracked file, and whether it still looks as it did when its content was last dealt with.

import type { FileStat } from "./read-outcome.ts";
import type { Ring } from "./round-robin.ts";
import type { WatchedDirectory } from "./watched-directory.ts";

export interface Tracked {
  key: string;
  /** Links are followed when it is looked at. */
  path: string;
  /** What it led to when it was tracked. */
  realPath: string;
  /** What it leads to by now. */
  target: string;
  /** Absent where it is not known. */
  seen: FileStat | "missing" | undefined;
  directories: WatchedDirectory<Tracked>[];
  /** The round of looks it belongs to. */
  ring: Ring<Tracked> | undefined;
  /** An event came since it was last taken. */
  stirred: boolean;
  /** When it was taken, until it is verified. */
  takenAt: number | undefined;
}

// File systems give changes within one tick of their clock the same time: 10 ms at most, or two seconds where they
// only keep whole ones.
const TICK_MS = 50;
const COARSE_TICK_MS = 2100;

export function looksOther(seen: Tracked["seen"], found: FileStat | undefined): boolean {
  if (seen === undefined) return true;
  if (seen === "missing" || found === undefined) return !(seen === "missing" && found === undefined);
  return (
    seen.ctimeMs !== found.ctimeMs ||
    seen.size !== found.size ||
    seen.mtimeMs !== found.mtimeMs ||
    isOtherFile(seen, found)
  );
}

/** Another file stands there now, or none. */
export function isReplaced(seen: Tracked["seen"], found: FileStat | undefined): boolean {
  if (seen === undefined || seen === "missing" || found === undefined) return true;
  return isOtherFile(seen, found);
}

/** Changed so shortly before it was read, at the time given or later, that a next change could look the same. */
export function isTooFresh({ ctimeMs }: FileStat, readFrom: number, now: number): boolean {
  const tick = ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS;
  // A time far in the future is that of a clock which was set back: the next change will not repeat it.
  return ctimeMs >= readFrom - tick && ctimeMs <= now + tick;
}

function isOtherFile(seen: FileStat, found: FileStat): boolean {
  return seen.ino !== found.ino || seen.dev !== found.dev;
}
