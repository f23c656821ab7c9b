// Notices when the files of an open store are deleted, moved or replaced: SQLite would keep writing to the old ones.

import { linkSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { errorText, SottoError } from "../../platform/errors.ts";
import { makeDirectorySync } from "../../platform/make-directory.ts";
import { sealBody } from "../batches.ts";
import type { Sync } from "./connection.ts";
import { type Connection, connect } from "./connection.ts";
import { isLocked } from "./errors.ts";

export interface FileGuard {
  /** Call it when a connection was opened: these are its files. */
  opened(connection: Connection): void;
  /** False: files were restored or replaced, and it is closed; connect again. Throws if they cannot be restored. */
  isCurrent(connection: Connection): boolean;
  /** Remembers the last entry written, which identifies the store. Undefined: it may have been removed since. */
  wrote(entry: Written | undefined): void;
  /** What was restored, as text. */
  mended: readonly string[];
}

export interface Written {
  session: string;
  seq: number;
  body: string;
}

// The database, its write-ahead log, and the index that processes share.
const FILES = ["", "-wal", "-shm"] as const;

export function createFileGuard(path: string, sync: Sync): FileGuard {
  const identities = new WeakMap<Connection, (string | undefined)[]>();
  const mended: string[] = [];
  let last: Written | undefined;

  /** Closes the connection if all that it wrote is there. */
  function mend(old: Connection, known: readonly (string | undefined)[]): void {
    const [there, log] = FILES.map((suffix) => identityOf(path + suffix));
    let next: Connection | undefined;
    try {
      if (there === undefined) putBack(old, path, known);
      // A new log belongs to another process, which has merged the old one.
      else if (there === known[0] && log === undefined) takeIn(old);
      next = connect(path, sync);
      if (!contains(next, old, last)) throw new Error("another store is there now");
      // Opened beside the old one it shares that one's index, which may be deleted: other processes would use another.
      close(old);
      close(next);
      mended.push(
        there === undefined
          ? "the store was deleted or moved while it was open: it was restored, nothing is lost"
          : "files of the store were deleted or replaced while it was open: it was reopened, nothing is lost",
      );
    } catch (thrown) {
      if (next !== undefined) close(next);
      if (isLocked(thrown)) throw thrown;
      throw lost(path, old, thrown);
    }
  }

  return {
    mended,
    wrote(entry) {
      last = entry;
    },
    opened(connection) {
      identities.set(
        connection,
        FILES.map((suffix) => identityOf(path + suffix)),
      );
    },
    isCurrent(connection) {
      const known = identities.get(connection);
      if (connection.brief || known === undefined) return true;
      let isSame = known[0] !== undefined;
      for (const [index, suffix] of FILES.entries()) {
        const now = identityOf(path + suffix);
        // Log and index are created on first use.
        known[index] ??= now;
        if (now !== known[index]) isSame = false;
      }
      if (!isSame) mend(connection, known);
      return isSame;
    },
  };
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

/** Writes everything the open handles still reach into a new file; never over one that somebody else put there. */
function putBack({ database }: Connection, path: string, known: readonly (string | undefined)[]): void {
  makeDirectorySync(dirname(path));
  const aside = `${path}.${process.pid}-${Date.now().toString(36)}.tmp`;
  try {
    database.prepare("VACUUM INTO ?").run(aside);
    // Files left beside the old database would be taken for the new one's.
    for (const [index, suffix] of FILES.entries())
      if (index > 0 && known[index] !== undefined && identityOf(path + suffix) === known[index])
        unlinkSync(path + suffix);
    linkSync(aside, path);
  } catch (thrown) {
    // Another process noticed first.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  } finally {
    try {
      unlinkSync(aside);
    } catch {
      // It was never created.
    }
  }
}

/** The database exists but its log does not: writes what is only in the log into it. */
function takeIn({ database }: Connection): void {
  database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
}

/** Whether the database has the last entry that was written here, and the last one that anybody wrote. */
function contains(next: Connection, old: Connection, last: Written | undefined): boolean {
  const has = (session: string, seq: number, body: string) => {
    const [entry] = next.statements.entries.all(session, seq - 1, 1);
    return entry?.seq === seq && entry.body === body;
  };
  if (last !== undefined && !has(last.session, last.seq, sealBody(last.session, last.seq, last.body)))
    return false;
  const newest = newestIn(old);
  return newest === undefined || has(newest.name, newest.seq, newest.body);
}

function newestIn({ database }: Connection): { name: string; seq: number; body: string } | undefined {
  const newest = `SELECT name, seq, body FROM entries JOIN sessions ON id = session
    ORDER BY entries.rowid DESC LIMIT 1`;
  try {
    const read = database.prepare(newest).get();
    return read && { name: String(read.name), seq: Number(read.seq), body: String(read.body) };
  } catch {
    // It cannot be read any more.
    return undefined;
  }
}

function close({ database }: Connection): void {
  try {
    database.close();
  } catch {
    // It is no longer needed.
  }
}

/** Keeps its content beside the path, if possible. */
function lost(path: string, { database }: Connection, thrown: unknown): SottoError {
  const rescued = `${path}.rescued-${process.pid}`;
  let where = "";
  try {
    if (identityOf(rescued) === undefined) database.prepare("VACUUM INTO ?").run(rescued);
    where = ` Its content is in ${rescued}.`;
  } catch {
    // The directory may be gone as well.
  }
  return new SottoError(
    "store_failed",
    `The store ${path} was deleted or replaced while it was open: ${errorText(thrown)}.${where} Nothing was recorded. Restore the store, or open the session again to continue with what is there now.`,
    thrown,
  );
}
