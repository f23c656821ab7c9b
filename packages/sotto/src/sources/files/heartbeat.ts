// Notices that the event loop stood still, or that events came in a flood: the kernel may then have dropped some,
// and nobody is told.

export interface Heartbeat {
  start(): void;
  stop(): void;
  /** An event came. */
  count(): void;
  /** Whether events may have been lost since this was last asked. */
  mayHaveLost(): boolean;
}

const BEAT_MS = 100;
const STALL_MS = 250;
// Half of what the kernel's queue holds by default.
const FLOOD = 8192;

/** `clock` must not jump when the time of day is set. */
export function createHeartbeat(clock: () => number): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  let last = 0;
  let longest = 0;
  let events = 0;
  let isFlooded = false;

  const beat = () => {
    const at = clock();
    longest = Math.max(longest, at - last);
    last = at;
    events = 0;
  };

  return {
    start() {
      if (timer !== undefined) return;
      last = clock();
      longest = 0;
      timer = setInterval(beat, BEAT_MS).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
    count() {
      if (++events >= FLOOD) isFlooded = true;
    },
    mayHaveLost() {
      if (timer === undefined) return false;
      beat();
      const lost = isFlooded || longest > STALL_MS;
      longest = 0;
      isFlooded = false;
      return lost;
    },
  };
}
