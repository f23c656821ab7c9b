// The book of what `sotto init` changed in a project, so that it can be taken back to the byte.

import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { failed } from "../../../agent/src/terminal/failure.ts";
import { readRegularSync } from "../../../sotto/src/platform/regular-file.ts";
import { stateDirectory } from "../../../sotto/src/platform/user-directories-of-sessions.ts";

export interface RecordedFile {
  path: string;
  realPath: string;
  /** As it was without us; null where init made the file. */
  before: string | null;
  /** Of what init wrote: as long as it holds, nobody has changed the file since. */
  afterHash: string;
  /** Made for it, the outermost first. */
  madeDirectories: string[];
}

export interface InitRecord {
  version: 1;
  /** The project, or the user's home. */
  root: string;
  files: RecordedFile[];
}

const MOST_BYTES = 64 * 1024 * 1024;

export function recordPath(root: string): string {
  const name = basename(root)
    .replace(/[^\w.-]+/gu, "-")
    .slice(0, 60);
  return join(stateDirectory(), "init", `${name}-${hashOf(root).slice(0, 10)}.json`);
}

export function readRecord(root: string): InitRecord {
  const path = recordPath(root);
  let text: string;
  try {
    text = readRegularSync(path, MOST_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { version: 1, root, files: [] };
    throw failed(`${path} cannot be read: ${(error as Error).message}`, "record_failed");
  }
  try {
    const record = JSON.parse(text) as InitRecord;
    if (record.version === 1 && Array.isArray(record.files)) return record;
  } catch {
    // Said below.
  }
  throw failed(`${path} is not a record of sotto init: move it away to go on without it`, "record_failed");
}

/** For its owner only: settings may hold keys. */
export function writeRecord(record: InitRecord): void {
  const path = recordPath(record.root);
  try {
    if (record.files.length === 0) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const aside = `${path}.${process.pid}.tmp`;
    writeFileSync(aside, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    chmodSync(aside, 0o600);
    renameSync(aside, path);
  } catch (error) {
    throw failed(
      `what init changes cannot be kept in ${path}: ${(error as Error).message}; nothing more is changed`,
      "record_failed",
    );
  }
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
