// sotto/postgres: sessions in a Postgres database, for processes on many machines.

export type { PostgresClient, PostgresPool, PostgresStatement } from "./stores/postgres/connection.ts";
export type { PostgresMigration } from "./stores/postgres/migrate.ts";
export { migratePostgres, planPostgresMigration } from "./stores/postgres/migrate-store.ts";
export type { PostgresStoreOptions } from "./stores/postgres/options.ts";
export { createPostgresStore } from "./stores/postgres/postgres.ts";
