// What every store says about itself in the same words: who uses a session, what is wrong with its snapshot.

import type { Holder } from "./shared.ts";

/** Each once; settled keys have no owner, and an expired claim is nobody's. */
export function liveOwners(
  holders: Iterable<Holder>,
  now: number,
  isOwnerAlive: (owner: string) => boolean,
): string[] {
  const owners = new Set<string>();
  for (const { owner, expiresAt } of holders)
    if (owner !== null && (expiresAt ?? 0) > now && isOwnerAlive(owner)) owners.add(owner);
  return [...owners].sort();
}

/** A snapshot stands for entries: one that claims more than there are would hide what is appended next. */
export function snapshotProblem(session: string, { last, seq }: { last: number; seq: number }): string[] {
  if (seq <= last) return [];
  return [`the snapshot of session ${session} speaks of entry ${seq}, its log ends with entry ${last}`];
}
