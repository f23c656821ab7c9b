// Statements on a pool of connections. Each is one transaction, without any state of a session: a pooling proxy may
// give the next one to another server process. Every statement can be repeated, so one whose answer is lost is.

import { setTimeout as pause } from "node:timers/promises";
import { SottoError } from "../../platform/errors.ts";
import { loadPackage } from "../../platform/optional-package.ts";
import { isPassing, isWithoutTables, NoAnswer, type Place, replicaBehind, storeError } from "./errors.ts";

/** What the store needs of a pool of the package `pg`, or of one that works like it. */
export interface PostgresPool {
  /** Lends a connection. */
  connect(): Promise<PostgresClient>;
}

/** A connection of a pool. */
export interface PostgresClient {
  /** Runs a statement. */
  query(statement: PostgresStatement): Promise<{ rows: unknown[] }>;
  /** Gives the connection back, or closes it. */
  release(destroy?: boolean): void;
  /** Listens to lost connections and notifications. */
  // biome-ignore lint/suspicious/noExplicitAny: as the emitters of Node have it
  on(event: "error" | "notification", listener: (given: any) => void): unknown;
  /** Ends that. */
  off(event: "error", listener: () => void): unknown;
}

/** What the store asks of a connection. */
export interface PostgresStatement {
  /** The SQL. */
  text: string;
  /** The values of its parameters. */
  values?: unknown[];
  /** Rows are lists. */
  rowMode?: "array";
  /** How values are read. */
  types?: { getTypeParser: () => (value: never) => unknown };
}

/** Values as Postgres spells them. */
export type Row = readonly (string | null)[];

export interface Statement {
  text: string;
  values?: unknown[];
}

export interface Connection {
  /** Runs one statement, which may differ when it is repeated. `moreMs`: how much longer than others it may take. */
  run(make: (attempt: number) => Statement, moreMs?: number): Promise<Row[]>;
  /** Runs several on one connection, in one transaction. */
  transaction<T>(work: (run: (statement: Statement) => Promise<Row[]>) => Promise<T>): Promise<T>;
  /** A connection for LISTEN, which nobody else uses. `end` closes it. */
  dedicated(): Promise<{ client: PostgresClient; end(): Promise<void> }>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  connectionString?: string | undefined;
  pool?: PostgresPool | undefined;
  connections: number;
  waitMs: number;
  place: Place;
}

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 250;
// Migrations wait for each other.
const TRANSACTION_MS = 30_000;
// The host's own parsers for dates and numbers would change what is read here.
const asTheyAre = { getTypeParser: () => (value: never) => value };

export function createConnection(options: ConnectionOptions): Connection {
  const { waitMs, place } = options;
  const own = new Set<OwnPool>();
  let opening: Promise<PostgresPool> | undefined;

  function pool(): Promise<PostgresPool> {
    opening ??= openPool(options).then((made) => {
      if (options.pool === undefined) own.add(made as OwnPool);
      return made;
    });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }

  /** Where one connection does not answer, the others to the same server may be dead as well. */
  function startOver(): void {
    if (options.pool !== undefined) return;
    opening = undefined;
    for (const one of own) void end(one);
  }

  async function end(one: OwnPool): Promise<void> {
    if (own.delete(one)) await one.end();
  }

  async function use<T>(ends: number, work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const client = await takeBefore(ends, await pool());
    let isSound = false;
    client.on("error", ignored);
    try {
      const done = await before(ends, work(client));
      isSound = true;
      return done;
    } catch (thrown) {
      const isBehind = isWithoutTables(thrown) && (await before(ends, isReplica(client)));
      isSound = isAnswer(thrown);
      throw isBehind ? replicaBehind(thrown) : thrown;
    } finally {
      // Its answer may still come: whoever waited too long leaves, and the connection is not used again.
      if (isSound) {
        client.off("error", ignored);
        client.release();
      } else destroy(client);
    }
  }

  async function patiently<T>(
    work: (client: PostgresClient, attempt: number) => Promise<T>,
    moreMs = 0,
  ): Promise<T> {
    const started = performance.now();
    const ends = started + waitMs + moreMs;
    // Half of the time for the first: a connection may be dead without anybody having said so.
    let attemptEnds = started + (waitMs + moreMs) / 2;
    let lackedTables = false;
    for (let attempt = 1, length = FIRST_PAUSE_MS; ; attempt++) {
      try {
        return await use(attemptEnds, (client) => work(client, attempt));
      } catch (thrown) {
        const isLate = thrown instanceof NoAnswer;
        if (isLate) startOver();
        // What was a replica when it answered may have become the primary before it was asked, with all applied since.
        const isFirstLack: boolean = isWithoutTables(thrown) && !lackedTables;
        lackedTables ||= isFirstLack;
        const isWorthTrying = isLate || isPassing(thrown) || isFirstLack;
        if (!isWorthTrying || performance.now() + length >= ends) throw storeError(thrown, place);
        if (isLate) attemptEnds = ends;
      }
      await pause(length * (0.5 + Math.random()));
      length = Math.min(length * 2, LONGEST_PAUSE_MS);
      attemptEnds = Math.max(attemptEnds, Math.min(ends, performance.now() + waitMs / 2));
    }
  }

  return {
    run: (make, moreMs) => patiently((client, attempt) => ask(client, make(attempt)), moreMs),
    transaction: (work) =>
      patiently(async (client) => {
        await ask(client, { text: "BEGIN" });
        try {
          const done = await work((statement) => ask(client, statement));
          await ask(client, { text: "COMMIT" });
          return done;
        } catch (thrown) {
          if (isAnswer(thrown) || thrown instanceof SottoError) await ask(client, { text: "ROLLBACK" });
          throw thrown;
        }
      }, TRANSACTION_MS),
    async dedicated() {
      const pool = options.pool ?? ((await openPool({ ...options, connections: 1 })) as OwnPool);
      if (options.pool === undefined) own.add(pool as OwnPool);
      const giveUp = async () => {
        if (options.pool === undefined) await end(pool as OwnPool);
      };
      const client = await takeBefore(performance.now() + waitMs, pool).catch(async (thrown: unknown) => {
        await giveUp();
        throw thrown;
      });
      client.on("error", ignored);
      return {
        client,
        async end() {
          destroy(client);
          await giveUp();
        },
      };
    },
    async close() {
      await opening?.catch(() => undefined);
      await Promise.all([...own].map(end));
    },
  };
}

function ignored(): void {
  // The statement fails with the same error, and the next one opens another connection.
}

type OwnPool = PostgresPool & { end(): Promise<void> };

async function ask(client: PostgresClient, { text, values }: Statement): Promise<Row[]> {
  const { rows } = await client.query({
    text,
    ...(values === undefined ? {} : { values }),
    rowMode: "array",
    types: asTheyAre,
  });
  return rows as Row[];
}

async function isReplica(client: PostgresClient): Promise<boolean> {
  return (await ask(client, { text: "SELECT 1 WHERE pg_is_in_recovery()" })).length > 0;
}

async function openPool({
  connectionString,
  pool,
  connections,
  waitMs,
  place,
}: ConnectionOptions): Promise<PostgresPool> {
  if (pool !== undefined) return pool;
  const pg = await loadPackage("pg", () => import("pg"));
  if ("missing" in pg)
    throw new SottoError("store_failed", `The Postgres store needs a package: ${pg.missing}`);
  try {
    const made = new pg.value.default.Pool({
      connectionString,
      max: connections,
      connectionTimeoutMillis: waitMs,
      keepAlive: true,
      // An idle connection does not keep the process alive.
      allowExitOnIdle: true,
      fallback_application_name: "sotto",
    });
    // A connection that dies while idle leaves the pool, and the next statement opens another.
    made.on("error", ignored);
    // One may die in the moment in which it is handed out, before anybody listens to it.
    made.on("connect", (client) => void client.on("error", ignored));
    return made;
  } catch (thrown) {
    throw storeError(thrown, place);
  }
}

async function takeBefore(ends: number, pool: PostgresPool): Promise<PostgresClient> {
  const taking = pool.connect();
  try {
    return await before(ends, taking);
  } catch (thrown) {
    if (thrown instanceof NoAnswer)
      taking.then(
        (client) => client.release(),
        () => undefined,
      );
    throw thrown;
  }
}

async function before<T>(ends: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer()), Math.max(0, ends - performance.now()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** The server has answered, with an error that leaves the connection usable. */
function isAnswer(thrown: unknown): boolean {
  const { severity } = (thrown ?? {}) as { severity?: unknown };
  return severity === "ERROR";
}

/** Closing in good order would wait for the answer. */
function destroy(client: PostgresClient): void {
  const { connection } = client as { connection?: { stream?: { destroy?: () => void } } };
  connection?.stream?.destroy?.();
  client.release(true);
}
