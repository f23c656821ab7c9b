// Which files an agent has read or written itself: only those may it change.

import type { Session } from "sotto";

const seen = new WeakMap<Session, Set<string>>();

export function markSeen(session: Session, realPath: string): void {
  const paths = seen.get(session) ?? new Set();
  seen.set(session, paths.add(realPath));
}

/** Throws, in words for the model, where it would change what it does not know. What it was shown counts as read. */
export async function requireSeen(
  session: Session,
  { path, realPath }: { path: string; realPath: string },
): Promise<void> {
  if (seen.get(session)?.has(realPath) || (await session.hasSeen(realPath))) return;
  throw new Error(`${path} was not read in this session: Read it first, then change it`);
}
