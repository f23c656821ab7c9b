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
  const startTimer = createTimers({ ms: limitMs, probe });
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
            const stop = startTimer(() => {
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
 * laptop asleep) loses one of them at most: answers that came meanwhile are then still heard. All calls share the timer of
 * the steps: setting one for each and clearing it takes longer than most calls.
 */
function createTimers({ ms, probe }: { ms: number; probe: () => Promise<unknown> }) {
  const running = new Set<{ left: number; end(): void; isOver(): boolean }>();
  let isSet = false;
  const set = () => {
    if (isSet) return;
    isSet = true;
    // A running call keeps the process alive by itself.
    setTimeout(step, ms / STEPS).unref();
  };
  const step = () => {
    isSet = false;
    for (const one of running) {
      one.left -= 1;
      // Where every thread is stuck, no probe comes back.
      if (one.left === 0) void tryProbes(one);
      if (one.left === -PATIENCE * STEPS) one.end();
    }
    if (running.size > 0) set();
  };
  const tryProbes = async ({ isOver, end }: { isOver(): boolean; end(): void }) => {
    for (let left = PROBES; left > 0 && !isOver(); left--) await probe().catch(() => undefined);
    end();
  };
  return (run: () => void): (() => void) => {
    const stop = () => running.delete(one);
    const one = {
      // The first step may be nearly over.
      left: STEPS + 1,
      isOver: () => !running.has(one),
      end() {
        if (running.delete(one)) run();
      },
    };
    running.add(one);
    set();
    return stop;
  };
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
