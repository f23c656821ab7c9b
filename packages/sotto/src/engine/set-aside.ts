// One bad item never holds up another: the edges that make a type fail are found by halving, and set aside.

import type { Bad } from "./evaluate.ts";

export interface Sifted {
  /** What cannot be said, by edge: why. */
  aside: Map<string, Bad>;
  /** Good, as far as is known, but too much together: for later turns. */
  left: string[];
}

/** What is wrong when only these edges are pending; nothing when all goes well. */
export type Fails = (pending: readonly string[]) => Bad | undefined;

// Enough for a few among thousands; the next turn goes on from there.
const MOST_TRIES = 64;

/** Nothing where it fails with no edge at all: then none of them is to blame. */
export function sift(pending: readonly string[], bad: readonly Bad[], fails: Fails): Sifted | undefined {
  let tries = MOST_TRIES;
  const aside = new Map<string, Bad>();
  const unknown = new Set<string>();
  const ask: Fails = (ids) => {
    tries -= 1;
    return fails(ids);
  };
  const search = (ids: readonly string[]): void => {
    if (tries <= 0) {
      for (const id of ids) unknown.add(id);
      return;
    }
    const why = ask(ids);
    const [only] = ids;
    if (why === undefined || only === undefined) return;
    if (ids.length === 1) {
      aside.set(only, why);
      return;
    }
    const middle = ids.length >> 1;
    search(ids.slice(0, middle));
    search(ids.slice(middle));
  };

  const suspects = new Set(bad.flatMap(({ covers = pending }) => covers));
  const clean = pending.filter((id) => !suspects.has(id));
  const isTheirs = ask(clean) === undefined;
  if (!isTheirs && ask([]) !== undefined) return undefined;
  search(isTheirs ? pending.filter((id) => suspects.has(id)) : pending);
  let good = pending.filter((id) => !aside.has(id) && !unknown.has(id));
  const left = [...unknown];
  // Each is fine, all together are not: fewer of them.
  while (good.length > 1 && ask(good) !== undefined) {
    const middle = good.length >> 1;
    left.push(...good.slice(middle));
    good = good.slice(0, middle);
  }
  return { aside, left };
}
