// Waiting before a failed call is made again.

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** As the provider asks, else twice as long each time, never in step with others. */
export function backOff(attempt: number, asked: number | undefined, random = Math.random): number {
  if (asked !== undefined) return Math.min(asked, 2 * LONGEST_MS);
  const steady = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  return Math.round(steady * (0.75 + random() / 2));
}

/** Rejects as soon as it is to stop. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener("abort", stop, { once: true });
  });
}
