// An open database with its statements, each prepared on first use.

import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { BlobSummary, SessionSummary } from "../../log/entries.ts";
import { SottoError } from "../../platform/errors.ts";
import { makeDirectorySync } from "../../platform/make-directory.ts";
import type { Holder } from "../batches.ts";
import { isNotWritable } from "./errors.ts";
import { isForeign, migrate, READABLE_VERSION, SCHEMA_VERSION, schemaVersion } from "./schema.ts";

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

/** Commits if the result is not undefined; undefined and an error roll back. */
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
    // SQLite has already rolled back, as it does when the disk is full.
  }
}

interface Statement<Row, Parameters extends SQLInputValue[]> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  run(...parameters: Parameters): { changes: number | bigint };
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
    /** Nothing if the log has another end. */
    addEntryBehind: sql<None, [name: string, seq: number, at: string, body: string]>(
      `INSERT INTO entries SELECT id, ?2, ?3, ?4 FROM sessions
       WHERE name = ?1 AND (SELECT max(seq) FROM entries WHERE session = id) = ?2 - 1`,
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

    dataVersion: sql<{ data_version: number }, []>("PRAGMA data_version"),

    mark: sql<{ value: string }, [name: string]>("SELECT value FROM marks WHERE name = ?"),
    setMark: sql<None, [name: string, session: number, value: string]>("INSERT INTO marks VALUES (?, ?, ?)"),

    /** First the snapshot, which has a version, then the entries from its last one on. */
    snapshot: sql<{ seq: number; version: number | null; body: unknown }, [session: string]>(
      `SELECT seq, version, state AS body FROM snapshots WHERE session = ?1
       UNION ALL
       SELECT entries.seq, NULL, body FROM snapshots JOIN entries ON entries.seq >= snapshots.seq
         AND entries.session = (SELECT id FROM sessions WHERE name = ?1)
       WHERE snapshots.session = ?1
       ORDER BY version DESC, seq`,
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
    removeMarks: sql<None, [session: number]>("DELETE FROM marks WHERE session = ?"),
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

// Opens a store's database: created if missing, migrated, read-only if nothing else is possible.

/** What a commit survives: the end of the process, or also a power cut. */
export type Sync = "process" | "power";

export interface Opened {
  database: DatabaseSync;
  /** Ignores SQLite's locks: usable for one call only, because others may write meanwhile. */
  brief: boolean;
}

/** Does not wait: throws SQLite's own error if the database is locked. */
export function openDatabase(path: string, sync: Sync): Opened {
  makeFile(path);
  if (!isReadOnly(path)) return { database: openWritable(path, sync), brief: false };
  if (!hasLog(path)) return { database: openImmutable(path), brief: true };
  try {
    return { database: openWritable(path, sync), brief: false };
  } catch (thrown) {
    if (!isNotWritable(thrown)) throw thrown;
    throw readOnly(path, "is read-only and has changes in its -wal file that cannot be read", thrown);
  }
}

/**
 * Never opens a file that exists: closing it again would drop the locks that other handles of this process have
 * on it.
 */
export function makeFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  makeDirectorySync(dirname(path));
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  }
}

function openWritable(path: string, sync: Sync): DatabaseSync {
  return opened(new (loadSqlite().DatabaseSync)(path, { timeout: 0 }), (database) => {
    const version = checkedVersion(database, path);
    database.exec(`PRAGMA synchronous = ${sync === "power" ? "FULL" : "NORMAL"}`);
    if (database.prepare("PRAGMA journal_mode").get()?.journal_mode !== "wal") {
      database.exec("PRAGMA journal_mode = WAL");
    }
    if (version < SCHEMA_VERSION) {
      migrate(database);
      checkedVersion(database, path);
    }
  });
}

/**
 * A database in WAL mode needs files beside it even for reading. If they cannot be created, or would be left behind
 * as read-only as it is, it is read as an immutable file.
 */
function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return opened(new (loadSqlite().DatabaseSync)(url, { readOnly: true }), (database) => {
    const version = checkedVersion(database, path);
    if (version < READABLE_VERSION) {
      throw readOnly(
        path,
        `is read-only but has to be migrated from version ${version} to ${SCHEMA_VERSION}`,
      );
    }
  });
}

function isReadOnly(path: string): boolean {
  return [path, dirname(path)].some((place) => {
    try {
      accessSync(place, constants.W_OK);
      return false;
    } catch {
      return true;
    }
  });
}

/** Whether the -wal file has changes that are not in the database yet. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function readOnly(path: string, words: string, cause?: unknown): SottoError {
  const fix = "Make the file and its directory writable.";
  return new SottoError("store_read_only", `The store ${path} ${words}. ${fix}`, cause);
}

function opened(database: DatabaseSync, setUp: (database: DatabaseSync) => void): DatabaseSync {
  try {
    setUp(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function checkedVersion(database: DatabaseSync, path: string): number {
  const version = schemaVersion(database);
  if (isForeign(database)) {
    throw new SottoError("store_failed", `${path} is a database of another program. Use another path.`);
  }
  if (version > SCHEMA_VERSION) {
    const words = `The store ${path} was written by a newer Sotto (version ${version}, this one knows ${SCHEMA_VERSION}).`;
    throw new SottoError("store_newer", `${words} Update sotto, or use another path.`);
  }
  return version;
}

let sqlite: typeof import("node:sqlite") | undefined;

/** Loaded on first use. Some Node releases warn that SQLite is experimental; that one warning is suppressed. */
export function loadSqlite(): typeof import("node:sqlite") {
  if (sqlite) return sqlite;
  const { emitWarning } = process;
  process.emitWarning = (...parameters: unknown[]) => {
    if (parameters[1] === "ExperimentalWarning" && String(parameters[0]).startsWith("SQLite ")) return;
    Reflect.apply(emitWarning, process, parameters);
  };
  try {
    sqlite = process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
  if (sqlite) return sqlite;
  throw new SottoError("store_failed", "The SQLite store needs Node 22.13 or later, which has node:sqlite.");
}
