// Time and randomness for sources that restart things; tests replace them.

/** Time and randomness, for tests. */
export interface McpClock {
  /** Milliseconds that only grow. */
  now(): number;
  /** Resolves when the time is up, or at once when aborted. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const realClock: McpClock = {
  now: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      // Waiting for a retry must not keep the process alive.
      timer.unref();
      signal.addEventListener(
        "abort",
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    }),
  random: () => Math.random(),
};

const FIRST_MS = 1000;
const LONGEST_MS = 5 * 60_000;

/** Doubles each time, with jitter so that failures do not retry together. */
export function backOff(failures: number, { random }: Pick<McpClock, "random">): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20));
  return Math.round(most * (0.5 + random() / 2));
}
