// Which directory a session works in, as its log says.

import { realpathSync } from "node:fs";
import process from "node:process";
import type { SessionSummary, Store } from "sotto";

// It says so with its first entry; a damaged one may stand before it.
const LOOKED_AT = 8;

/** Nothing where its log does not say. */
export async function directoryOf(store: Store, session: string): Promise<string | undefined> {
  const { entries } = await store.read(session, 0, LOOKED_AT);
  for (const entry of entries)
    if (entry.kind === "event" && entry.event.type === "session_started" && entry.event.cwd !== undefined)
      return entry.event.cwd;
  return undefined;
}

export async function isOfDirectory(store: Store, session: string, directory: string): Promise<boolean> {
  const own = await directoryOf(store, session);
  return own !== undefined && real(own) === real(directory);
}

/** Whoever asks is here. */
export function thisDirectory(): string {
  return process.cwd();
}

/** Sub-agents are named after the session they work for. */
export function isSubagent({ id }: SessionSummary, all: readonly SessionSummary[]): boolean {
  return all.some((other) => id.startsWith(`${other.id}/`));
}

export function latestFirst(sessions: readonly SessionSummary[]): SessionSummary[] {
  return [...sessions].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

/** One place has one name; one that is gone keeps the name it had. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
