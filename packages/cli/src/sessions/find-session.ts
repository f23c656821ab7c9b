// Finds the session a command asks for: by name, or the latest in this directory.

import { realpathSync } from "node:fs";
import process from "node:process";
import type { SessionSummary, Store } from "sotto/extend";
import { didYouMean } from "sotto/internal";
import { count, failed, moment, printable } from "sotto-agent/terminal";
import { type OpenedStore, openExistingStore } from "./open-store.ts";

export interface FoundSession extends OpenedStore {
  summary: SessionSummary;
}

const LISTED = 10;

export interface SessionQuestion {
  session?: string;
  store?: string;
}

/** Opens the store, finds the session, and closes the store afterwards. */
export async function withSession<T>(
  { session, store: url }: SessionQuestion,
  use: (found: FoundSession) => Promise<T>,
): Promise<T> {
  const opened = await openExistingStore(url);
  try {
    const all = await opened.store.sessions();
    const summary =
      session === undefined
        ? ((await firstHere(opened.store, latestFirst(all))) ?? noneHere(all, opened.where))
        : pickSession(all, { id: session, where: opened.where });
    return await use({ ...opened, summary });
  } finally {
    await opened.store.close();
  }
}

/** The session that started last in this directory. */
export async function newestHere(store: Store): Promise<SessionSummary | undefined> {
  const all = await store.sessions();
  return firstHere(
    store,
    all.toSorted((a, b) => (a.firstAt < b.firstAt ? 1 : -1)),
  );
}

/** The first that is in this directory and not a sub-agent's. */
async function firstHere(
  store: Store,
  sessions: readonly SessionSummary[],
): Promise<SessionSummary | undefined> {
  const here = thisDirectory();
  for (const one of sessions)
    if (!isSubagent(one, sessions) && (await isOfDirectory(store, one.id, here))) return one;
  return undefined;
}

/** Throws with a list of sessions if there is none of this name. */
export function pickSession(
  sessions: readonly SessionSummary[],
  { id, where }: { id: string; where: string },
): SessionSummary {
  if (sessions.length === 0) return noneHere(sessions, where);
  const found = sessions.find((one) => one.id === id);
  if (found !== undefined) return found;
  const listed = latestFirst(sessions)
    .slice(0, LISTED)
    .map(
      (one) => `${printable(one.id)} (${count(one.entries, "entry", "entries")}, last ${moment(one.lastAt)})`,
    );
  const more = sessions.length > LISTED ? ` and ${sessions.length - LISTED} more` : "";
  const hint = didYouMean(
    id,
    sessions.map((one) => one.id),
  );
  throw failed(
    `no session "${printable(id)}" in ${where}${hint}${hint === "" ? ";" : ""} sessions: ${listed.join(", ")}${more}`,
    "unknown_session",
  );
}

function noneHere(all: readonly SessionSummary[], where: string): never {
  throw failed(
    all.length === 0
      ? `no sessions yet in ${where}`
      : `no session of this directory, ${thisDirectory()}, in ${where}; \`sotto sessions --all\` lists others, which you can pass by name`,
    "unknown_session",
  );
}

// The first entry names the directory; damaged ones may come before it.
const LOOKED_AT = 8;

/** The session's directory, or undefined if its log does not name it. */
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

export function thisDirectory(): string {
  return process.cwd();
}

/** A sub-agent's session is named after its parent's. */
export function isSubagent({ id }: SessionSummary, all: readonly SessionSummary[]): boolean {
  return all.some((other) => id.startsWith(`${other.id}/`));
}

export function latestFirst(sessions: readonly SessionSummary[]): SessionSummary[] {
  return [...sessions].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
}

/** Resolves links; a directory that no longer exists keeps its name. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
