// What a Postgres store is created with.

import * as v from "valibot";
import { checkOptions, having, shape, table, text } from "../../platform/check-options.ts";
import { SottoError } from "../../platform/errors.ts";
import { createRedaction, redactedUrl, trimmedAddress } from "../../platform/redact-url.ts";
import { type Connection, createConnection, type PostgresPool } from "./connection.ts";
import type { SchemaPlace } from "./migrate.ts";

/** What `createPostgresStore` takes: a connection string or a pool. */
export interface PostgresStoreOptions {
  /** Such as `postgres://user:password@host/database`. What it leaves out comes from `PGHOST` and the like. */
  connectionString?: string;
  /** A pool of the package `pg` that the host has. It stays open when the store is closed. */
  pool?: PostgresPool;
  /** The schema of its tables, created where it is missing. Default: `sotto`. */
  schema?: string;
  /** How many connections it opens at most. Default: 4. */
  connections?: number;
  /** How long a call waits for the database before it fails, in milliseconds. Default: 5000. */
  waitMs?: number;
}

const CONNECTIONS = 4;
const WAIT_MS = 5000;

const storeOptions = table(
  {
    connectionString: v.optional(
      // What was given is not repeated: it may have a password.
      v.custom<string>(
        (value) => typeof value === "string" && /^postgres(?:ql)?:\/\//iu.test(trimmedAddress(value)),
        "expected postgres://user:password@host/database",
      ),
    ),
    pool: v.optional(having({ connect: "function" }, 'a pool of the package "pg"')),
    schema: v.optional(text("the name of a schema")),
    connections: v.optional(
      shape("a whole number from 1 on", (value) => isWhole(value) && Number(value) >= 1),
    ),
    waitMs: v.optional(
      shape("milliseconds, a whole number from 1 on", (value) => isWhole(value) && Number(value) >= 1),
    ),
  },
  "options such as { connectionString }",
);

/** The schema may be named in the connection string as well: postgres://host/database?schema=name. */
export function connect(
  caller: string,
  options: PostgresStoreOptions,
): { connection: Connection; place: SchemaPlace; waitMs: number } {
  checkOptions(caller, storeOptions, options);
  const { pool, connections = CONNECTIONS, waitMs = WAIT_MS } = options;
  if ((options.connectionString === undefined) === (pool === undefined))
    throw new SottoError(
      "invalid_options",
      `${caller}: connectionString: expected it or a pool, and not both`,
    );
  const { connectionString, schema = options.schema ?? "sotto" } = withoutSchema(options.connectionString);
  const redact = createRedaction(options.connectionString ?? "", [process.env.PGPASSWORD ?? ""]);
  const where = connectionString === undefined ? "of the given pool" : redactedUrl(connectionString);
  const place = { where: redact(where), redact, schema };
  return {
    connection: createConnection({ connectionString, pool, connections, waitMs, place }),
    place,
    waitMs,
  };
}

function withoutSchema(given: string | undefined): { connectionString?: string; schema?: string } {
  if (given === undefined) return {};
  const url = trimmedAddress(given);
  const [, schema] = /[?&]schema=([^&#]+)/u.exec(url) ?? [];
  if (schema === undefined) return { connectionString: url };
  const rest = url.replace(/([?&])schema=[^&#]+&?/u, "$1").replace(/[?&]$/u, "");
  return { connectionString: rest, schema: decodeURIComponent(schema) };
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value);
}
