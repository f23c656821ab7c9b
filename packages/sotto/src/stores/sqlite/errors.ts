// What SQLite's error codes mean for a host, as text that names the file and the fix.

import { statSync } from "node:fs";
import { type ErrorCode, errorText, SottoError } from "../../platform/errors.ts";

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const PROTOCOL = 15;
const NOTADB = 26;

const IOERR_SHORT_READ = 522;
// SQLite reports FULL only for ENOSPC: an exceeded quota or file size limit appears as a failed write.
const IOERR_WRITE = 778;
const IOERR_SHMSIZE = 4874;
const IOERR_CORRUPTFS = 8458;

/** Someone else is using it (PROTOCOL: a race for the write-ahead log): worth a retry. */
export function isLocked(thrown: unknown): boolean {
  return [BUSY, LOCKED, PROTOCOL].includes(primary(thrown));
}

/** The database, or one of the files beside it, is not writable. */
export function isNotWritable(thrown: unknown): boolean {
  return [READONLY, CANTOPEN].includes(primary(thrown));
}

export function isCorrupt(thrown: unknown): boolean {
  return [CORRUPT, NOTADB].includes(primary(thrown));
}

/** After these the connection is not used again: the path may lead to another file by now. */
export function breaksConnection(thrown: unknown): boolean {
  return [READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB].includes(primary(thrown));
}

export function storeError(thrown: unknown, path: string): SottoError {
  if (thrown instanceof SottoError) return thrown;
  const [code, words] = isOther(path)
    ? (["store_failed", "is no file but a directory, a pipe or a device. Name a file."] as const)
    : explain(thrown);
  return new SottoError(code, `The store ${path} ${words} (${errorText(thrown)})`, thrown);
}

function explain(thrown: unknown): [ErrorCode, string] {
  if (isLocked(thrown)) {
    return ["store_locked", "is locked by another process. Try again, or end that process."];
  }
  const full = "cannot grow: the disk is full, or a quota or size limit is reached. Free some space.";
  const damaged =
    "is damaged or not a SQLite database. Restore a copy, or move it away (with its -wal and -shm files) to start over.";
  switch (extended(thrown)) {
    case IOERR_WRITE:
    case IOERR_SHMSIZE:
      return ["store_full", full];
    case IOERR_SHORT_READ:
    case IOERR_CORRUPTFS:
      return ["store_corrupt", damaged];
  }
  switch (primary(thrown)) {
    case FULL:
      return ["store_full", full];
    case CORRUPT:
    case NOTADB:
      return ["store_corrupt", damaged];
    case READONLY:
      return [
        "store_read_only",
        "is read-only. Make the file and its directory writable, or use another path.",
      ];
    case CANTOPEN:
      return ["store_failed", "cannot be opened. The path must be a file that you may read and write."];
  }
  if (isDenied(thrown)) {
    return ["store_read_only", "cannot be created here. Make the directory writable, or use another path."];
  }
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") return ["store_full", full];
  if (["ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(String(code)))
    return ["store_failed", "has a path that leads nowhere. Correct the path."];
  return ["store_failed", "failed."];
}

/** There is something, but not a file. */
function isOther(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === false;
  } catch {
    return false;
  }
}

function isDenied(thrown: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS"].includes(String((thrown as NodeJS.ErrnoException).code));
}

function extended(thrown: unknown): number {
  const { errcode } = (thrown ?? {}) as { errcode?: unknown };
  return typeof errcode === "number" ? errcode : 0;
}

function primary(thrown: unknown): number {
  return extended(thrown) & 0xff;
}
