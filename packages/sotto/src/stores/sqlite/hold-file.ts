// A lock that ends with its process, however that ends: an exclusive lock of SQLite on an empty file, which stays.

import type { DatabaseSync } from "node:sqlite";
import { loadSqlite, makeFile } from "./connection.ts";
import { isLocked } from "./errors.ts";

export interface HeldFile {
  /** To be called once. */
  release(): void;
}

// A database that nothing refers to is closed.
const held = new Set<DatabaseSync>();

/** Undefined if someone else holds it. Where files cannot be locked, everyone gets it. */
export function holdFile(path: string): HeldFile | undefined {
  let database: DatabaseSync | undefined;
  try {
    makeFile(path);
    database = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    return isLocked(error) ? undefined : { release: () => undefined };
  }
  held.add(database);
  return {
    release() {
      held.delete(database);
      database.close();
    },
  };
}
