// Limits access to the file system: at most two of our calls at once, as Node's four threads are shared by the whole
// process.

import { stat } from "node:fs/promises";

export interface IoLimit {
  /**
   * Runs a task when there is a free slot. Always resolves: with what `refused` returns if the call is aborted, takes
   * too long, or nothing gets through any more. The task itself cannot be stopped: it keeps its slot until it ends,
   * and `isOver` says that nobody waits for it.
   */
  run<Answer>(call: IoCall<Answer>): Promise<Answer>;
}

export interface IoCall<Answer> {
  task(isOver: () => boolean): Promise<Answer>;
  refused(why: string): Answer;
  signal?: AbortSignal | undefined;
}

export interface IoLimitOptions {
  /** How many tasks run at once; each makes one call at a time. */
  room?: number;
  /** How long a task may take before it counts as stuck (a dead network mount). */
  limitMs?: number;
  /** A call that comes back soon unless the machine is slow. Default: a look at the root directory. */
  probe?: () => Promise<unknown>;
}

interface Waiting {
  begin(): void;
  refuse(why: string): void;
}

export function createIoLimit({
  room = 2,
  limitMs = 1000,
  probe = () => stat("/"),
}: IoLimitOptions = {}): IoLimit {
  const queue = new Set<Waiting>();
  let running = 0;
  let stuck = 0;

  const next = () => {
    for (const waiting of queue) {
      if (running === room) break;
      queue.delete(waiting);
      waiting.begin();
    }
    if (stuck < room) return;
    // Every waiting call would wait forever.
    for (const waiting of queue) waiting.refuse("the file system does not answer");
  };

  return {
    run({ task, refused, signal }) {
      return new Promise((resolve, reject) => {
        let over = false;
        const end = () => {
          over = true;
          queue.delete(waiting);
          signal?.removeEventListener("abort", abort);
        };
        const abort = () => waiting.refuse("aborted");
        const waiting: Waiting = {
          begin() {
            running++;
            let late = false;
            const stop = startTimer({ ms: limitMs, probe }, () => {
              late = true;
              stuck++;
              waiting.refuse(`took longer than ${limitMs} ms`);
              next();
            });
            const leave = () => {
              stop();
              running--;
              if (late) stuck--;
              end();
              next();
            };
            task(() => over).then(
              (answer) => {
                leave();
                resolve(answer);
              },
              (error) => {
                leave();
                reject(error);
              },
            );
          },
          refuse(why) {
            if (over) return;
            end();
            resolve(refused(why));
          },
        };
        if (signal?.aborted) return abort();
        signal?.addEventListener("abort", abort);
        queue.add(waiting);
        next();
      });
    },
  };
}

const STEPS = 4;
/** About as many calls as a task makes. */
const PROBES = 20;
/** As a multiple of the limit. */
const PATIENCE = 10;

/**
 * Calls `run` when a call seems stuck: the limit is over, and other calls that were begun then have come back. So a
 * machine that is merely slow is not taken for a dead mount. The limit has steps, so that a process that stood still (a
 * laptop asleep) loses one of them at most: answers that came meanwhile are then still heard.
 */
function startTimer(
  { ms, probe }: { ms: number; probe: () => Promise<unknown> },
  run: () => void,
): () => void {
  let left = STEPS;
  let isOver = false;
  // A running call keeps the process alive by itself.
  const wait = (next: () => void, after: number) => {
    timer = setTimeout(next, after).unref();
  };
  const end = () => {
    if (isOver) return;
    stop();
    run();
  };
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
  };
  const step = () => {
    left -= 1;
    if (left > 0) return wait(step, ms / STEPS);
    // Where every thread is stuck, no probe comes back.
    wait(end, ms * PATIENCE);
    void tryProbes();
  };
  const tryProbes = async () => {
    for (let left = PROBES; left > 0 && !isOver; left--) await probe().catch(() => undefined);
    end();
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  wait(step, ms / STEPS);
  return stop;
}

/** All sessions of a process share its threads, so they share this limit. */
export const processIoLimit = createIoLimit();

const AT_ONCE = 2;

export async function mapTwoAtOnce<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  return results;
}

/** Lets other work run every few milliseconds, so that a long loop does not block the thread. */
export function createYielder(everyMs = 10): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < everyMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    from = performance.now();
  };
}
