// What Postgres' errors mean for a host, as text that names the database and the fix, and never has the password.

import { type ErrorCode, errorText, SottoError } from "../../platform/errors.ts";

const UNDEFINED_TABLE = "42P01";
const UNDEFINED_FUNCTION = "42883";
const INVALID_SCHEMA = "3F000";
const READ_ONLY = "25006";
const UNIQUE_VIOLATION = "23505";

export function isWithoutTables(thrown: unknown): boolean {
  return [UNDEFINED_TABLE, UNDEFINED_FUNCTION, INVALID_SCHEMA].includes(codeOf(thrown));
}

/** A replica may have received the tables but not applied them yet: a later attempt finds them. */
export function replicaBehind(cause: unknown): Error {
  return Object.assign(new Error(`the replica is behind: ${errorText(cause)}`, { cause }), {
    code: READ_ONLY,
  });
}

const PASSING = new Set([
  "40001", // serialization failure
  "40P01", // deadlock
  "55P03", // lock not available
  "57P01", // the server shuts down
  "57P02", // it crashed
  "57P03", // it is starting
  "57P05", // idle too long
  "53300", // too many connections
  READ_ONLY, // a replica that is about to be promoted
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOENT", // a socket file of a server that is restarting
]);

/** The same call may succeed on another connection, or a little later. */
export function isPassing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (PASSING.has(code) || code.startsWith("08") || isOwnBatch(thrown)) return true;
  return /connection (?:terminated|ended)|timeout exceeded|client has encountered a connection error|closed the connection|not queryable/iu.test(
    errorText(thrown),
  );
}

/** The first sending of the same batch was still under way, and has just been committed: the next one finds it. */
function isOwnBatch(thrown: unknown): boolean {
  const { constraint } = (thrown ?? {}) as { constraint?: unknown };
  return codeOf(thrown) === UNIQUE_VIOLATION && constraint === "entries_batch";
}

/** Nothing came back in time: not an error of the server's. */
export class NoAnswer extends Error {
  constructor() {
    super("no answer in time");
    this.name = "NoAnswer";
  }
}

export interface Place {
  /** The database, without its password. */
  where: string;
  redact: (text: string) => string;
}

export function storeError(thrown: unknown, { where, redact }: Place): SottoError {
  if (thrown instanceof SottoError) return thrown;
  const [code, words] = explain(thrown);
  const text = redact(errorText(thrown));
  // The original may have the connection string in a field.
  const cause = Object.assign(new Error(text), { name: thrown instanceof Error ? thrown.name : "Error" });
  const state = codeOf(thrown);
  if (state !== "") Object.assign(cause, { code: state });
  return new SottoError(code, redact(`The store ${where} ${words} (${text})`), cause);
}

function explain(thrown: unknown): [ErrorCode, string] {
  const code = codeOf(thrown);
  if (thrown instanceof NoAnswer) return ["store_locked", "does not answer. Try again."];
  switch (code) {
    case "55P03":
    case "40001":
    case "40P01":
      return ["store_locked", "is locked by another process. Try again."];
    case READ_ONLY:
      return ["store_read_only", "is read-only, as a replica is. Connect to the primary."];
    case "42501":
      return [
        "store_read_only",
        "does not permit this. Grant the role what docs/guide/postgres.md lists; new tables: `sotto store migrate` as their owner.",
      ];
    case "42P07":
    case "42723":
      return ["store_failed", "has tables of another program in this schema. Use another schema."];
    case "53100":
    case "53200":
      return ["store_full", "cannot grow: its disk or memory is full. Free some space."];
    case "53300":
      return ["store_failed", "has no connection left. Raise max_connections, or use fewer connections."];
    case "54000":
      return ["store_failed", "cannot hold a value this large."];
    case "28P01":
    case "28000":
      return ["store_failed", "refuses the login. Check user and password."];
    case "3D000":
      return ["store_failed", "does not exist. Create the database, or name another."];
    case "ERR_INVALID_URL":
      return [
        "store_failed",
        "has an address that cannot be read. Escape special characters in the password (@ as %40, / as %2F).",
      ];
    case "ENOTFOUND":
      return ["store_failed", "has a host that cannot be found. Check its name."];
  }
  if (code.startsWith("XX00") && code !== "XX000") return ["store_corrupt", "is damaged. Restore a backup."];
  if (isPassing(thrown)) return ["store_failed", "cannot be reached. Is the server running?"];
  return ["store_failed", "failed."];
}

function codeOf(thrown: unknown): string {
  const { code, errors } = (thrown ?? {}) as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  // One error for each address of the host.
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}
