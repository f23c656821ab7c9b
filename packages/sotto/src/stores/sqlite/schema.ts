// The tables of the SQLite store, and the migrations from earlier versions.

import type { DatabaseSync } from "node:sqlite";

/** "Sott" in the file's header tells our databases from those of other programs. */
const APPLICATION_ID = 0x536f7474;

/** The n-th brings a database from version n to n + 1. Released ones are never edited. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  -- With rowids: appending to them is a third faster than to a clustered key.
  CREATE TABLE entries (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT;
  -- No owner: settled.
  CREATE TABLE keys (
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    owner TEXT,
    expires_at REAL,
    PRIMARY KEY (session, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshots (
    session TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    version INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT;
  CREATE TABLE blobs (
    hash TEXT PRIMARY KEY,
    content BLOB NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE marks (
    name TEXT PRIMARY KEY,
    session INTEGER NOT NULL,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX marks_session ON marks (session);
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** From this one on, logs can be read without migrating. */
export const READABLE_VERSION = 1;

export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

/**
 * True for a database with tables that are not ours. The tables are checked first: another process may be creating ours,
 * and their mark comes with them.
 */
export function isForeign(database: DatabaseSync): boolean {
  if (database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined) return false;
  return database.prepare("PRAGMA application_id").get()?.application_id !== APPLICATION_ID;
}

/** Several processes may get here at once, so the version is checked again under the lock. */
export function migrate(database: DatabaseSync): void {
  database.exec("BEGIN EXCLUSIVE");
  const version = schemaVersion(database);
  if (version < SCHEMA_VERSION) {
    for (const step of MIGRATIONS.slice(version)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  database.exec("COMMIT");
}
