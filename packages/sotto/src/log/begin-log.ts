// The first entries of a log that begins as a copy of another one.

import type { NewEntry, Store } from "./entries.ts";

/** False, and nothing is written, if another process has begun it in the same way. */
export async function beginLog(
  store: Store,
  session: string,
  entries: readonly NewEntry[],
): Promise<boolean> {
  const now = store.now?.() ?? Date.now();
  const claim = { keys: ["begun"], owner: "begun", now, expiresAt: now };
  return (await store.append(session, { entries, claim, settle: claim.keys })).ok;
}
