// Opens the schema of a store: its version is checked once, and what is missing is added under a lock, by one process.

import { SottoError } from "../../platform/errors.ts";
import type { Connection, Row } from "./connection.ts";
import { isWithoutTables, type Place } from "./errors.ts";
import { migration, quoted, SCHEMA_VERSION } from "./schema.ts";

/** What a migration does, or would do. */
export interface PostgresMigration {
  /** The database, without its password. */
  store: string;
  /** The schema of its tables. */
  schema: string;
  /** The version of its tables before; 0 if there are none. */
  from: number;
  /** The version afterwards. */
  to: number;
  /** The statements, in one transaction. Empty if there is nothing to do. */
  statements: string[];
}

export interface SchemaPlace extends Place {
  schema: string;
}

/** "sott": one lock for all schemas of a database, held for the migration only. */
const LOCK = 0x736f7474;

/** Returns the time of the database. */
export async function openSchema(connection: Connection, place: SchemaPlace): Promise<number> {
  const found = await look(connection, place);
  if (found.version === SCHEMA_VERSION && found.now !== undefined) return found.now;
  await migrate(connection, place);
  const { now } = await look(connection, place);
  if (now === undefined)
    throw new SottoError("store_failed", `The store ${place.where} was migrated, but has no tables.`);
  return now;
}

export async function planMigration(connection: Connection, place: SchemaPlace): Promise<PostgresMigration> {
  const { version } = await look(connection, place);
  const [row] = await connection.run(() => ({ text: "SELECT getdatabaseencoding()" }));
  checkEncoding(row?.[0], place);
  return toMigration(place, version);
}

export async function migrate(connection: Connection, place: SchemaPlace): Promise<PostgresMigration> {
  return connection.transaction(async (run) => {
    await run({ text: "SELECT pg_advisory_xact_lock($1)", values: [LOCK] });
    // Another process may have been faster.
    const exists = await run({
      text: "SELECT to_regclass($1) IS NOT NULL, getdatabaseencoding()",
      values: [`${quoted(place.schema)}.versions`],
    });
    const [isThere, encoding] = exists[0] ?? [];
    checkEncoding(encoding, place);
    const rows = isThere === "t" ? await run({ text: versionIn(place) }) : [];
    const planned = toMigration(place, checkedVersion(rows[0], place));
    for (const text of planned.statements) await run({ text });
    return planned;
  });
}

function checkEncoding(encoding: string | null | undefined, { where }: SchemaPlace): void {
  if (encoding === "UTF8") return;
  throw new SottoError(
    "store_failed",
    `The store ${where} has the encoding ${encoding}. Create its database with ENCODING 'UTF8'.`,
  );
}

function toMigration({ where, schema }: SchemaPlace, from: number): PostgresMigration {
  const create = `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};`;
  const statements =
    from === SCHEMA_VERSION ? [] : [...(from === 0 ? [create] : []), ...migration(schema, from)];
  return { store: where, schema, from, to: SCHEMA_VERSION, statements };
}

async function look(connection: Connection, place: SchemaPlace): Promise<{ version: number; now?: number }> {
  try {
    const [row] = await connection.run(() => ({ text: versionIn(place) }));
    return { version: checkedVersion(row, place), now: Number(row?.[1]) };
  } catch (thrown) {
    if (thrown instanceof SottoError && isWithoutTables(thrown.cause)) return { version: 0 };
    throw thrown;
  }
}

function versionIn({ schema }: SchemaPlace): string {
  const s = quoted(schema);
  return `SELECT max(version), floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM ${s}.versions`;
}

function checkedVersion(row: Row | undefined, { where, schema }: SchemaPlace): number {
  const version = Number(row?.[0] ?? 0);
  if (version <= SCHEMA_VERSION) return version;
  const words = `The store ${where} was written by a newer Sotto (schema ${schema} has version ${version}, this one knows ${SCHEMA_VERSION}).`;
  throw new SottoError("store_newer", `${words} Update sotto, or use another schema.`);
}
