// Small facts that gateways on one store share: who was first to say something under a name. They are kept as claims, so
// that of two processes only one wins, and look-ups take the same time however many there are.

import type { Store } from "sotto/extend";

export interface Marks {
  /** What is known under this name; undefined if nothing is. */
  read(name: string): Promise<string | undefined>;
  /** Sets it unless something else is there; returns what is there then. */
  set(name: string, value: string): Promise<string>;
}

const KEY = "mark";
const KEPT_MS = 90 * 24 * 3600 * 1000;
const REMEMBERED = 20_000;

export function createMarks(store: Store, now: () => number = Date.now): Marks {
  // The latest, so that a conversation in one process asks the store only once for each step.
  const known = new Map<string, string>();
  const keep = (name: string, value: string) => {
    known.delete(name);
    known.set(name, value);
    for (const oldest of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(oldest);
    }
    return value;
  };
  // A request that comes while the mark of the one before it is being written finds it all the same.
  const beingSet = new Map<string, Promise<string>>();
  const place = (name: string) => `~gateway/${name}`;
  async function read(name: string): Promise<string | undefined> {
    return known.get(name) ?? beingSet.get(name) ?? look(name);
  }
  async function look(name: string): Promise<string | undefined> {
    const [value] = await store.holders(place(name), now());
    return value === undefined ? undefined : keep(name, value);
  }
  async function write(name: string, value: string): Promise<string> {
    const claim = { keys: [KEY], owner: value, now: now(), expiresAt: now() + KEPT_MS };
    const { ok } = await store.append(place(name), { entries: [], claim });
    return ok ? keep(name, value) : ((await look(name)) ?? value);
  }
  return {
    read,
    async set(name, value) {
      const there = known.get(name) ?? beingSet.get(name);
      if (there !== undefined) return there;
      const writing = write(name, value).finally(() => beingSet.delete(name));
      beingSet.set(name, writing);
      return writing;
    },
  };
}

/** Looks only. */
export function readOnly({ read }: Marks): Marks {
  return { read, set: async (name, value) => (await read(name)) ?? value };
}
