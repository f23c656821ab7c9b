// Maintenance of the database: remove a session, make removed bytes unreadable, report what is wrong.

import type { RemoveResult } from "../../log/entries.ts";
import { errorText } from "../../platform/errors.ts";
import { damagedSnapshot, liveOwners, snapshotProblem } from "../batches.ts";
import { type Connection, transaction } from "./connection.ts";
import { isCorrupt } from "./errors.ts";

export interface RemoveRequest {
  session: string;
  now: number;
  force: boolean;
  isOwnerAlive: (owner: string) => boolean;
}

const BUSY = 5;
const MOST_PROBLEMS = 100;

export function removeSession(connection: Connection, request: RemoveRequest): RemoveResult {
  const { session, now, force, isOwnerAlive } = request;
  const { statements } = connection;
  let owners: string[] = [];
  zeroRemoved(connection);
  const removed = transaction(connection, (): RemoveResult | undefined => {
    owners = force ? [] : liveOwners(statements.claims.all(session), now, isOwnerAlive);
    if (owners.length > 0) return undefined;
    const { id } = statements.session.get(session) ?? {};
    statements.removeSnapshot.run(session);
    if (id === undefined) return { ok: true };
    statements.removeEntries.run(id);
    statements.removeKeys.run(id);
    statements.removeMarks.run(id);
    statements.removeSession.run(id);
    return { ok: true };
  });
  return removed ?? { ok: false, owners };
}

export function removeBlobs(connection: Connection, hashes: readonly string[]): void {
  zeroRemoved(connection);
  transaction(connection, () => {
    for (const hash of hashes) connection.statements.removeBlob.run(hash);
    return true;
  });
}

/** Rewrites the whole file, which also removes what replaced snapshots left behind. */
export function vacuum({ database }: Connection): void {
  database.exec("VACUUM");
}

/** The write-ahead log still has the old pages, so it is truncated too. Waits for readers. */
export function emptyLog({ database }: Connection): void {
  const { busy } = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() ?? {};
  if (busy !== 0) throw Object.assign(new Error("the write-ahead log is being read"), { errcode: BUSY });
}

export function problemsIn(connection: Connection, quick: boolean): string[] {
  try {
    return look(connection, quick);
  } catch (thrown) {
    // So damaged that it cannot even be checked page by page.
    if (isCorrupt(thrown)) return [errorText(thrown)];
    throw thrown;
  }
}

function look({ database }: Connection, quick: boolean): string[] {
  const rows = (sql: string) => database.prepare(sql).all();
  const check = quick ? "quick_check" : "integrity_check";
  const found = rows(`PRAGMA ${check}(${MOST_PROBLEMS})`)
    .map((row) => String(row[check]))
    .filter((words) => words !== "ok");
  // Damaged pages cannot be queried.
  if (found.length > 0) return found;
  // One that is read-only may be of an earlier version.
  const there = new Set(rows("SELECT name FROM sqlite_schema").map(({ name }) => name));
  const strays = ["entries", "keys", "marks"].flatMap((table) => {
    if (!there.has(table)) return [];
    const [row] = rows(
      `SELECT count(*) AS strays FROM ${table} WHERE session NOT IN (SELECT id FROM sessions)`,
    );
    return Number(row?.strays) === 0 ? [] : [`${row?.strays} rows in ${table} belong to no session`];
  });
  const gaps = rows(
    `SELECT name, count(*) AS there, max(seq) AS last FROM entries JOIN sessions ON id = session
     GROUP BY session HAVING there <> last OR min(seq) <> 1`,
  ).map(
    ({ name, there, last }) => `session ${name} has ${there} entries, but they are numbered up to ${last}`,
  );
  const ahead = rows(
    `SELECT session, seq, (SELECT ifnull(max(entries.seq), 0) FROM entries JOIN sessions
       ON id = entries.session WHERE name = snapshots.session) AS last FROM snapshots`,
  ).flatMap(({ session, seq, last }) =>
    snapshotProblem(String(session), { seq: Number(seq), last: Number(last) }),
  );
  if (quick) return [...strays, ...gaps, ...ahead];
  const stateOf = database.prepare("SELECT state FROM snapshots WHERE session = ?");
  const damaged = rows("SELECT session FROM snapshots ORDER BY session").flatMap(({ session }) =>
    damagedSnapshot(String(session), stateOf.get(String(session))?.state),
  );
  return [...strays, ...gaps, ...ahead, ...damaged];
}

/** Overwrites freed pages, in case the file is never rewritten. */
function zeroRemoved({ database }: Connection): void {
  database.exec("PRAGMA secure_delete = ON");
}
