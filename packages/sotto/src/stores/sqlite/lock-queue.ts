// Waits for locks without blocking the thread: writes run in the order in which they were requested.

import { isLocked } from "./errors.ts";

const LONGEST_PAUSE_MS = 25;
/** Work that never waits would starve the event loop: after this long it gets a turn. */
const SLICE_MS = 8;

export interface Queues {
  read<T>(work: () => T): Promise<T>;
  write<T>(work: () => T): Promise<T>;
  /** Resolves when everything requested so far is done. */
  idle(): Promise<void>;
}

export function createQueues(lockWaitMs: number): Queues {
  let tail: Promise<unknown> = Promise.resolve();
  let writes = 0;
  let lastWrite = Number.NEGATIVE_INFINITY;
  let slice: number | undefined;
  const running = new Set<Promise<unknown>>();

  function mustYield(): boolean {
    if (slice !== undefined) return performance.now() - slice > SLICE_MS;
    slice = performance.now();
    setImmediate(() => {
      slice = undefined;
    });
    return false;
  }

  /** At once if nothing is in the way; undefined if it has to wait. */
  function tryNow<T>(work: () => T): Promise<T> | undefined {
    if (mustYield()) return undefined;
    try {
      return Promise.resolve(work());
    } catch (thrown) {
      return isLocked(thrown) ? undefined : Promise.reject(thrown);
    }
  }

  async function attempt<T>(work: () => T, since: number): Promise<T> {
    if (mustYield()) await new Promise((resolve) => setImmediate(resolve));
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return work();
      } catch (thrown) {
        if (!isLocked(thrown) || performance.now() - since >= lockWaitMs) throw thrown;
      }
      await sleep(pause * (0.5 + Math.random()));
    }
  }

  function track<T>(promise: Promise<T>): Promise<T> {
    const done = () => {
      running.delete(promise);
    };
    running.add(promise);
    promise.then(done, done);
    return promise;
  }

  return {
    read(work) {
      return tryNow(work) ?? track(attempt(work, performance.now()));
    },
    write(work) {
      const asked = performance.now();
      const done = () => {
        lastWrite = performance.now();
      };
      const now = writes === 0 ? tryNow(work) : undefined;
      if (now !== undefined) {
        now.then(done, () => {});
        return now;
      }
      writes++;
      // Measured from the last successful write: a long queue alone is not a lock, and behind a lock that stays the whole
      // queue gives up together.
      const result = tail.then(() => attempt(work, Math.max(asked, lastWrite)));
      tail = result
        .then(done, () => {})
        .then(() => {
          writes--;
        });
      return track(result);
    },
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
