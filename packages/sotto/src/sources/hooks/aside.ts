// Hooks nobody waits for: a few at a time, the others in turn, and not without end.

export interface Aside {
  /** False where too many wait already. */
  add(run: () => Promise<void>): boolean;
  /** Once all that have begun are through; those that wait are let go. */
  settled(): Promise<void>;
}

const AT_ONCE = 8;
const MOST_WAITING = 100;

export function createAside(): Aside {
  const waiting: (() => Promise<void>)[] = [];
  const begun = new Set<Promise<void>>();

  const next = () => {
    while (begun.size < AT_ONCE) {
      const run = waiting.shift();
      if (run === undefined) return;
      const ended = run().catch(() => undefined);
      begun.add(ended);
      void ended.then(() => {
        begun.delete(ended);
        next();
      });
    }
  };

  return {
    add(run) {
      if (waiting.length >= MOST_WAITING) return false;
      waiting.push(run);
      next();
      return true;
    },
    async settled() {
      waiting.length = 0;
      await Promise.all(begun);
    },
  };
}
