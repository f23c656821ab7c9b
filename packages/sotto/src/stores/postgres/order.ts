// The order of calls, the clock of the database, and names of batches in the order of time.

import { randomBytes } from "node:crypto";

export interface Queues {
  /** What is in the same queue runs one after the other. */
  run<T>(work: () => Promise<T>, queue?: string): Promise<T>;
  /** Resolves when everything requested so far is done. */
  idle(): Promise<void>;
}

export function createQueues(): Queues {
  const tails = new Map<string, Promise<unknown>>();
  const running = new Set<Promise<unknown>>();

  return {
    run(work, queue) {
      const before = queue === undefined ? undefined : tails.get(queue);
      const result = before === undefined ? work() : before.then(work, work);
      const done = () => {
        running.delete(result);
        if (queue !== undefined && tails.get(queue) === result) tails.delete(queue);
      };
      running.add(result);
      if (queue !== undefined) tails.set(queue, result);
      result.then(done, done);
      return result;
    },
    async idle() {
      await Promise.allSettled(running);
    },
  };
}

export interface Clock {
  /** Milliseconds since the epoch: the database's time as far as it is known, else this machine's. */
  now(): number;
  set(now: number): void;
  isSet(): boolean;
}

export function createClock(): Clock {
  let ahead: number | undefined;
  return {
    now: () => (ahead === undefined ? Date.now() : Math.round(performance.now() + ahead)),
    set(now) {
      ahead = now - performance.now();
    },
    isSet: () => ahead !== undefined,
  };
}

/** A UUID of version 7: new ones are neighbours in the index, whatever its size. */
export function timeOrderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = randomBytes(10).toString("hex");
  const variant = (8 + (Number.parseInt(random[3] ?? "0", 16) % 4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
