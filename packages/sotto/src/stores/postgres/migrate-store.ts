// Migrates a store by itself, with a role that may create tables.

import type { Connection } from "./connection.ts";
import { migrate, type PostgresMigration, planMigration, type SchemaPlace } from "./migrate.ts";
import { connect, type PostgresStoreOptions } from "./options.ts";

/** Brings a store's tables to the newest version. Returns what was done. */
export async function migratePostgres(options: PostgresStoreOptions): Promise<PostgresMigration> {
  return once("migratePostgres", options, migrate);
}

/** What `migratePostgres` would do. Changes nothing. */
export async function planPostgresMigration(options: PostgresStoreOptions): Promise<PostgresMigration> {
  return once("planPostgresMigration", options, planMigration);
}

async function once<T>(
  caller: string,
  options: PostgresStoreOptions,
  work: (connection: Connection, place: SchemaPlace) => Promise<T>,
): Promise<T> {
  const { connection, place } = connect(caller, options);
  try {
    return await work(connection, place);
  } finally {
    await connection.close();
  }
}
