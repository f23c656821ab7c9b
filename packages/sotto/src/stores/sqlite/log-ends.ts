// The last entries of logs that one connection has written: known without reading until another connection writes.

import type { LogEnd } from "../../log/entries.ts";
import type { Connection } from "./connection.ts";

export interface LogEnds {
  isLast(connection: Connection, session: string, end: LogEnd): boolean;
  wrote(connection: Connection, session: string, end: LogEnd): void;
  /** Nothing is known any more. */
  forget(): void;
}

const REMEMBERED = 10_000;

export function createLogEnds(): LogEnds {
  const ends = new Map<string, LogEnd>();
  let of: Connection | undefined;
  /** SQLite changes it for a connection when another one has written. */
  let version: number | undefined;
  return {
    isLast(connection, session, { seq, at }) {
      const now = connection.statements.dataVersion.get()?.data_version;
      if (connection !== of || now !== version) ends.clear();
      of = connection;
      version = now;
      const end = ends.get(session);
      return end?.seq === seq && end.at === at;
    },
    wrote(connection, session, end) {
      // Before the first look at a connection nobody would notice that another one wrote.
      if (connection !== of) return;
      ends.delete(session);
      ends.set(session, end);
      for (const oldest of ends.keys()) {
        if (ends.size <= REMEMBERED) break;
        ends.delete(oldest);
      }
    },
    forget() {
      ends.clear();
    },
  };
}
