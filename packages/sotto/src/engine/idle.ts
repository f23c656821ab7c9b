// Puts sessions to sleep that were left alone for a while: one timer for all of them, and one after the other.

import type { Platform } from "../platform/platform.ts";

/** Something that can give its memory back. */
export interface Idler {
  /** Not called while it is in use. Never rejects. */
  sleep(): Promise<void>;
}

export interface IdleSweep {
  /** It is in use, or closed: it does not sleep. */
  stir(idler: Idler): void;
  /** It is no longer in use: from now on it counts as left alone. */
  leave(idler: Idler): void;
}

type Clock = Pick<Platform, "monotonic" | "backgroundTimer">;

// All sessions with the same patience share a sweep, so that those left alone are in the order of their turn.
const sweeps = new WeakMap<Clock, Map<number, IdleSweep>>();

export function idleSweep(clock: Clock, afterMs: number): IdleSweep {
  const known = sweeps.get(clock) ?? new Map<number, IdleSweep>();
  sweeps.set(clock, known);
  const sweep = known.get(afterMs) ?? createSweep(clock, afterMs);
  known.set(afterMs, sweep);
  return sweep;
}

function createSweep(clock: Clock, afterMs: number): IdleSweep {
  /** Since when, the longest first. */
  const idle = new Map<Idler, number>();
  let isTimed = false;

  const wait = (ms: number) => {
    if (isTimed) return;
    isTimed = true;
    clock.backgroundTimer(ms, sweep);
  };
  const sweep = async () => {
    for (const [idler, since] of idle) {
      const left = since + afterMs - clock.monotonic();
      if (left > 0) {
        isTimed = false;
        return wait(left);
      }
      idle.delete(idler);
      // One after the other: a thousand at once would get in the way of those that are in use.
      await idler.sleep();
    }
    isTimed = false;
  };
  return {
    stir: (idler) => void idle.delete(idler),
    leave(idler) {
      idle.delete(idler);
      idle.set(idler, clock.monotonic());
      wait(afterMs);
    },
  };
}
