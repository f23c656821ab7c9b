// An open database with its statements, each compiled when it is first used.

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { BlobSummary, SessionSummary } from "../../log/entries.ts";
import type { Holder } from "../shared.ts";
import { openDatabase, type Sync } from "./sqlite-open.ts";

export interface Connection {
  database: DatabaseSync;
  /** Closed after one call, see `openDatabase`. */
  brief: boolean;
  statements: Statements;
}

export type Statements = ReturnType<typeof compile>;

export function connect(path: string, sync: Sync): Connection {
  const { database, brief } = openDatabase(path, sync);
  try {
    return { database, brief, statements: compile(database) };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** A result other than undefined is committed, undefined and an error are rolled back. */
export function transaction<T>({ statements }: Connection, work: () => T): T | undefined {
  let result: T | undefined;
  statements.begin.run();
  try {
    result = work();
    if (result !== undefined) statements.commit.run();
    return result;
  } catch (thrown) {
    result = undefined;
    throw thrown;
  } finally {
    if (result === undefined) rollBack(statements);
  }
}

function rollBack(statements: Statements): void {
  try {
    statements.rollback.run();
  } catch {
    // SQLite has rolled back on its own, as it does when the disk is full.
  }
}

interface Statement<Row, Parameters extends SQLInputValue[]> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: Parameters): unknown;
}

function compile(database: DatabaseSync) {
  function sql<Row, Parameters extends SQLInputValue[]>(text: string): Statement<Row, Parameters> {
    let made: Statement<Row, Parameters> | undefined;
    const statement = () => {
      made ??= database.prepare(text) as unknown as Statement<Row, Parameters>;
      return made;
    };
    return {
      get: (...parameters) => statement().get(...parameters),
      all: (...parameters) => statement().all(...parameters),
      run: (...parameters) => statement().run(...parameters),
    };
  }
  type None = Record<never, never>;
  return {
    begin: sql<None, []>("BEGIN IMMEDIATE"),
    commit: sql<None, []>("COMMIT"),
    rollback: sql<None, []>("ROLLBACK"),

    session: sql<{ id: number; last: number }, [name: string]>(
      `SELECT id, ifnull((SELECT max(seq) FROM entries WHERE session = id), 0) AS last
       FROM sessions WHERE name = ?`,
    ),
    addSession: sql<{ id: number; last: number }, [name: string]>(
      "INSERT INTO sessions (name) VALUES (?) RETURNING id, 0 AS last",
    ),
    addEntry: sql<None, [session: number, seq: number, at: string, body: string]>(
      "INSERT INTO entries VALUES (?, ?, ?, ?)",
    ),
    entries: sql<{ seq: number; body: unknown }, [name: string, after: number, limit: number]>(
      `SELECT seq, body FROM entries
       WHERE session = (SELECT id FROM sessions WHERE name = ?) AND seq > ? ORDER BY seq LIMIT ?`,
    ),
    sessions: sql<SessionSummary, []>(
      `SELECT name AS id, newest.seq AS entries, oldest.at AS firstAt, newest.at AS lastAt
       FROM sessions
       JOIN entries AS oldest ON oldest.session = id
         AND oldest.seq = (SELECT min(seq) FROM entries WHERE session = id)
       JOIN entries AS newest ON newest.session = id
         AND newest.seq = (SELECT max(seq) FROM entries WHERE session = id)
       ORDER BY sessions.id`,
    ),

    holder: sql<Holder, [session: number, key: string]>(
      "SELECT owner, expires_at AS expiresAt FROM keys WHERE session = ? AND key = ?",
    ),
    hold: sql<None, [session: number, key: string, owner: string | null, expiresAt: number | null]>(
      "INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)",
    ),
    letGo: sql<None, [session: number, key: string, owner: string]>(
      "DELETE FROM keys WHERE session = ? AND key = ? AND owner = ?",
    ),

    snapshot: sql<{ seq: number; version: number; state: unknown }, [session: string]>(
      "SELECT seq, version, state FROM snapshots WHERE session = ?",
    ),
    saveSnapshot: sql<None, [session: string, seq: number, version: number, state: string]>(
      `INSERT INTO snapshots VALUES (?, ?, ?, ?) ON CONFLICT (session) DO UPDATE
       SET seq = excluded.seq, version = excluded.version, state = excluded.state WHERE excluded.seq >= seq`,
    ),

    claims: sql<Holder, [name: string]>(
      `SELECT owner, expires_at AS expiresAt FROM keys
       WHERE session = (SELECT id FROM sessions WHERE name = ?) AND owner IS NOT NULL`,
    ),
    removeEntries: sql<None, [session: number]>("DELETE FROM entries WHERE session = ?"),
    removeKeys: sql<None, [session: number]>("DELETE FROM keys WHERE session = ?"),
    removeSnapshot: sql<None, [session: string]>("DELETE FROM snapshots WHERE session = ?"),
    removeSession: sql<None, [session: number]>("DELETE FROM sessions WHERE id = ?"),

    blobs: sql<BlobSummary, [after: string, limit: number]>(
      "SELECT hash, length(content) AS bytes FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?",
    ),
    removeBlob: sql<None, [hash: string]>("DELETE FROM blobs WHERE hash = ?"),
    hasBlob: sql<None, [hash: string]>("SELECT 1 FROM blobs WHERE hash = ?"),
    putBlob: sql<None, [hash: string, content: Uint8Array]>("INSERT OR IGNORE INTO blobs VALUES (?, ?)"),
    getBlob: sql<{ content: Uint8Array }, [hash: string]>("SELECT content FROM blobs WHERE hash = ?"),
  };
}
