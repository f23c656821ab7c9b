// A store that fails at random: it refuses, or does its work and then says that it failed.

import { SottoError } from "sotto";
import type { Store } from "sotto/extend";
import type { Random } from "./seeded.ts";

export interface FlakyStore extends Store {
  /** Fails no more. */
  mend(): void;
}

export function createFlakyStore(store: Store, random: Random, chance: number): FlakyStore {
  let left = chance;
  const fail = (words: string): never => {
    throw new SottoError("store_failed", words);
  };
  const shaky = async <T>(run: () => Promise<T>): Promise<T> => {
    if (random.chance(left)) fail("refused");
    const done = await run();
    return random.chance(left) ? fail("done or not") : done;
  };
  return {
    ...store,
    append: (session, batch) => shaky(() => store.append(session, batch)),
    read: (session, after, limit) => shaky(() => store.read(session, after, limit)),
    snapshot: (session) => shaky(() => store.snapshot(session)),
    saveSnapshot: (session, snapshot) => shaky(() => store.saveSnapshot(session, snapshot)),
    putBlob: (content) => shaky(() => store.putBlob(content)),
    mend() {
      left = 0;
    },
  };
}
