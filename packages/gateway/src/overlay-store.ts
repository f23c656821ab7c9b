// A store that reads from another one and keeps to itself what is written: for looking at what a turn would say.

import { createMemoryStore } from "sotto";
import type { Store } from "sotto/extend";

/** Holds a copy of one session; undefined if `base` does not have it. */
export async function overlayStore(base: Store, session: string): Promise<Store | undefined> {
  const own = createMemoryStore();
  const [{ entries, damaged }, snapshot] = await Promise.all([base.read(session, 0), base.snapshot(session)]);
  if (entries.length === 0) return undefined;
  if (damaged.length > 0) throw new Error("the log is damaged");
  await own.append(session, { entries: entries.map(({ seq: _seq, ...entry }) => entry) });
  if (snapshot !== undefined) await own.saveSnapshot(session, snapshot);
  return { ...own, getBlob: async (hash) => (await own.getBlob(hash)) ?? base.getBlob(hash) };
}
