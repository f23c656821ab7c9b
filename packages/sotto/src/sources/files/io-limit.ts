// The one door to the file system: at most two calls of ours at once, as the runtime's four threads are everyone's.

export interface IoLimit {
  /**
   * Runs a task when there is room. The answer comes in any case: when the signal says so, when the task takes too
   * long, or when nothing gets through any more, `refused` says what it is. The task itself cannot be stopped: it
   * keeps its room until it ends, and learns from `isOver` that nobody waits for it.
   */
  run<Answer>(call: GateCall<Answer>): Promise<Answer>;
}

export interface GateCall<Answer> {
  task(isOver: () => boolean): Promise<Answer>;
  refused(why: string): Answer;
  signal?: AbortSignal | undefined;
}

export interface GateOptions {
  /** How many tasks run at once; each makes one call at a time. */
  room?: number;
  /** How long one task may take before it counts as stuck (a dead network mount). */
  limitMs?: number;
}

interface Waiting {
  begin(): void;
  refuse(why: string): void;
}

export function createIoLimit({ room = 2, limitMs = 1000 }: GateOptions = {}): IoLimit {
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
    // Whoever waits now would wait for ever.
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
            const timer = setTimeout(() => {
              late = true;
              stuck++;
              waiting.refuse(`took longer than ${limitMs} ms`);
              next();
            }, limitMs);
            // A call in flight keeps the process alive by itself.
            timer.unref();
            const leave = () => {
              clearTimeout(timer);
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

/** Sessions of one process share their threads, so they share this. */
export const processIoLimit = createIoLimit();

// At most two file-system calls of ours at once: the runtime's threads are everyone's.

const LANES = 2;

export async function mapTwoAtOnce<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, items.length) }, lane));
  return results;
}

/** Lets others run after some milliseconds of work: what waits for nothing would hold the thread otherwise. */
export function createYielder(everyMs = 10): () => Promise<void> {
  let from = performance.now();
  return async () => {
    if (performance.now() - from < everyMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    from = performance.now();
  };
}
