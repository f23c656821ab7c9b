// Opens a store's database: made if it is missing, brought up to date, read-only where nothing else is possible.

import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { SottoError } from "../../platform/errors.ts";
import { makeDirectory } from "../../platform/make-directory.ts";
import { isNotWritable } from "./errors.ts";
import { isForeign, migrate, SCHEMA_VERSION, schemaVersion } from "./schema.ts";

/** What a commit outlives: the end of the process, or of the machine's power. */
export type Sync = "process" | "power";

export interface Opened {
  database: DatabaseSync;
  /** Read past SQLite's locks: good for one call only, as others may write meanwhile. */
  brief: boolean;
}

/** Waits for nobody: throws SQLite's own error when it is locked. */
export function openDatabase(path: string, sync: Sync): Opened {
  makeFile(path);
  if (!isReadOnly(path)) return { database: openWritable(path, sync), brief: false };
  if (!hasLog(path)) return { database: openImmutable(path), brief: true };
  try {
    return { database: openWritable(path, sync), brief: false };
  } catch (thrown) {
    if (!isNotWritable(thrown)) throw thrown;
    throw readOnly(path, "has changes in its -wal file that cannot be read where it is read-only", thrown);
  }
}

/**
 * Never opens a file that is there: closing it again would drop the locks that other handles of this
 * process have on it.
 */
function makeFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  makeDirectory(dirname(path));
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
 * A database in WAL mode needs files beside it even to be read. Where they cannot be made, or would be left
 * behind as read-only as it is, it is read as a file that does not change.
 */
function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return opened(new (loadSqlite().DatabaseSync)(url, { readOnly: true }), (database) => {
    const version = checkedVersion(database, path);
    if (version < SCHEMA_VERSION) {
      throw readOnly(path, `must be brought from version ${version} to ${SCHEMA_VERSION}, but is read-only`);
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

/** Whether there are changes beside the database that are not in it yet. */
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

/** On first use only. Some releases of Node warn that SQLite is experimental: that one warning is kept back. */
function loadSqlite(): typeof import("node:sqlite") {
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
