// One bad item never blocks the others: the edges that make a type fail are found by halving, and set aside.

import { errorText, isA } from "../platform/errors.ts";
import { TooLargeError } from "../platform/size.ts";

/** Why something that is due cannot be sent. */
export interface Failure {
  reason: string;
  /** It will never be small enough. */
  tooLarge: boolean;
  /** The edges it is about, if that is known. */
  covers?: readonly string[];
}

export function toFailure(error: unknown, covers?: readonly string[]): Failure {
  const about = covers === undefined ? {} : { covers };
  return { reason: errorText(error), tooLarge: isA(error, TooLargeError), ...about };
}

export interface Sifted {
  /** Edges that cannot be sent, each with the reason. */
  aside: Map<string, Failure>;
  /** Edges left for later turns: good on their own, as far as is known, but too much together. */
  left: string[];
}

/** What goes wrong when only these edges are pending; undefined if nothing does. */
export type Fails = (pending: readonly string[]) => Failure | undefined;

// Enough for a few among thousands; the next turn continues from there.
const MOST_TRIES = 64;

/** Undefined if it fails with no edges at all: then none of them is to blame. */
export function findFailing(
  pending: readonly string[],
  failures: readonly Failure[],
  fails: Fails,
): Sifted | undefined {
  let tries = MOST_TRIES;
  const aside = new Map<string, Failure>();
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

  const suspects = new Set(failures.flatMap(({ covers = pending }) => covers));
  const clean = pending.filter((id) => !suspects.has(id));
  const isTheirs = ask(clean) === undefined;
  if (!isTheirs && ask([]) !== undefined) return undefined;
  search(isTheirs ? pending.filter((id) => suspects.has(id)) : pending);
  let good = pending.filter((id) => !aside.has(id) && !unknown.has(id));
  const left = [...unknown];
  // Each works on its own, but not all together: try with fewer.
  while (good.length > 1 && ask(good) !== undefined) {
    const middle = good.length >> 1;
    for (const id of good.slice(middle)) left.push(id);
    good = good.slice(0, middle);
  }
  return { aside, left };
}
