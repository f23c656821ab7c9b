// Schemas in the Postgres server that all test files share.

import pg from "pg";
import { inject } from "vitest";

export interface TestSchema {
  /** With the schema in it. */
  url: string;
  name: string;
  /** $SCHEMA stands for its quoted name. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

let asked: Promise<string> | undefined;
let made = 0;

/** The server's address, with a user who may do everything. */
export function postgresUrl(): Promise<string> {
  asked ??= fetch(inject("postgresAt")).then(async (response) => {
    if (!response.ok) throw new Error(await response.text());
    return response.text();
  });
  return asked;
}

let pool: pg.Pool | undefined;

/** A name that no other test uses. The store creates the schema. */
export async function testSchema(): Promise<TestSchema> {
  const server = await postgresUrl();
  const name = `test "${process.pid}" ${++made}`;
  if (pool === undefined) {
    pool = new pg.Pool({ connectionString: server, max: 2, allowExitOnIdle: true });
    pool.on("error", () => undefined);
  }
  const query = async (text: string, values?: unknown[]) =>
    ((await pool?.query(text.replaceAll("$SCHEMA", `"${name.replaceAll('"', '""')}"`), values))?.rows ??
      []) as Record<string, unknown>[];
  return {
    url: `${server}?schema=${encodeURIComponent(name)}`,
    name,
    query,
    drop: async () => void (await query("DROP SCHEMA IF EXISTS $SCHEMA CASCADE")),
  };
}
