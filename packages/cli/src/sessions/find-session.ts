// Finds the session a reader asked for, or says which there are.

import type { SessionSummary } from "sotto";
import { failed } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { count, moment, printable } from "../output/text.ts";
import { type OpenedStore, openExistingStore } from "./open-store.ts";

export interface FoundSession extends OpenedStore {
  summary: SessionSummary;
}

const LISTED = 10;

export interface SessionQuestion {
  session?: string;
  store?: string;
}

/** Opens the store, hands over the session, and closes the store whatever happens. */
export async function withSession<T>(
  { session, store: url }: SessionQuestion,
  use: (found: FoundSession) => Promise<T>,
  { skipsSubagents = false }: { skipsSubagents?: boolean } = {},
): Promise<T> {
  const opened = openExistingStore(url);
  try {
    const all = await opened.store.sessions();
    const sessions =
      skipsSubagents && session === undefined ? all.filter((one) => !isSubagent(one, all)) : all;
    return await use({ ...opened, summary: pickSession(sessions, { id: session, where: opened.where }) });
  } finally {
    await opened.store.close();
  }
}

/** Sub-agents are named after the session they work for. */
function isSubagent({ id }: SessionSummary, all: readonly SessionSummary[]): boolean {
  return all.some((other) => id.startsWith(`${other.id}/`));
}

/** The one of this name, the latest where none is given; fails with what there is. */
export function pickSession(
  sessions: readonly SessionSummary[],
  { id, where }: { id: string | undefined; where: string },
): SessionSummary {
  const latestFirst = [...sessions].sort((a, b) => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0));
  const [latest] = latestFirst;
  if (latest === undefined) throw failed(`the store ${where} holds no session yet`, "unknown_session");
  const found = id === undefined ? latest : sessions.find((one) => one.id === id);
  if (found !== undefined) return found;
  const listed = latestFirst
    .slice(0, LISTED)
    .map(
      (one) => `${printable(one.id)} (${count(one.entries, "entry", "entries")}, last ${moment(one.lastAt)})`,
    );
  const more = sessions.length > LISTED ? ` and ${sessions.length - LISTED} more` : "";
  const hint = didYouMean(
    String(id),
    sessions.map((one) => one.id),
  );
  throw failed(
    `there is no session "${printable(String(id))}" in ${where}${hint === "" ? "; there" : `${hint} There`} are: ${listed.join(", ")}${more}`,
    "unknown_session",
  );
}
