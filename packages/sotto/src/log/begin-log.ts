// The first entries of a log that begins as a copy of another one.

import type { NewEntry, Store } from "./entries.ts";

/** False, and nothing is written, if another process has begun it in the same way. `now`: if the store has no clock. */
export async function beginLog(
  store: Store,
  session: string,
  { entries, now }: { entries: readonly NewEntry[]; now: number },
): Promise<boolean> {
  const at = store.now?.() ?? now;
  const claim = { keys: ["begun"], owner: "begun", now: at, expiresAt: at };
  return (await store.append(session, { entries, claim, settle: claim.keys })).ok;
}
