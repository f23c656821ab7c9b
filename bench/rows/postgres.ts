// The Postgres store over loopback: appends beside a bare insert through pg, turns beside SQLite, how many statements a
// turn takes, how many turns a second with several connections, and whether ten million entries make a difference.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";
import { createSqliteStore, type Session } from "sotto";
import type { NewEntry, Store } from "sotto/extend";
import { createPostgresStore, type PostgresPool } from "sotto/postgres";
import { type PostgresServer, startPostgres } from "../../test/support/servers/postgres-server.ts";
import type { Bench } from "../bench.ts";
import { median } from "../figures.ts";
import { conversation } from "../inputs/conversation.ts";
import { quietSession, quietTurn } from "../inputs/quiet-session.ts";

const WARM_UP = 150;
const TURNS = 150;
const APPENDS = 400;
const FEW = 10_000;
/** Ten million take about five minutes to fill, and 6 GB. */
const MANY = Number(process.env.SOTTO_BENCH_ENTRIES ?? 1_000_000);
const ENTRIES_A_SESSION = 1000;

const entry: NewEntry = {
  kind: "event",
  v: 1,
  at: "2026-11-15T10:00:00.000Z",
  event: {
    type: "file_read",
    path: "/project/src/index.ts",
    content: "export const answer = 42;\n".repeat(12),
  },
};

export async function measure(bench: Bench): Promise<void> {
  const server = await startPostgres({
    settings: ["fsync = on", "full_page_writes = on", "shared_buffers = 256MB"],
  });
  const directory = mkdtempSync(join(tmpdir(), "sotto-bench-postgres-"));
  const store = createPostgresStore({ connectionString: server.url });
  const sqlite = createSqliteStore({ path: join(directory, "sotto.db"), sync: "power" });
  try {
    await appends(bench, server, { store, sqlite });
    await turns(bench, store, sqlite);
    await statements(bench, server);
    for (const connections of [1, 4, 16]) await inParallel(bench, server, connections);
    await growth(bench, server);
  } finally {
    await Promise.all([store.close(), sqlite.close()]);
    await server.remove();
    rmSync(directory, { recursive: true });
  }
}

async function appends(
  bench: Bench,
  server: PostgresServer,
  { store, sqlite }: { store: Store; sqlite: Store },
): Promise<void> {
  await server.query(
    "CREATE TABLE bare (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)",
  );
  let session = 0;
  const through = (which: Store) => () => {
    const id = `append-${session++}`;
    return each(APPENDS, () => which.append(id, { entries: [entry] }));
  };
  await bench.row({
    name: "Postgres: append, 1 entry each",
    unit: "ms",
    baseline: "the SQLite store, every commit on disk as well",
    ours: through(store),
    theirs: through(sqlite),
  });
  await bench.row({
    name: "Postgres: append, 1 entry each, beside a bare insert",
    unit: "ms",
    baseline: "INSERT of the same JSON through pg",
    ours: through(store),
    theirs: () =>
      each(APPENDS, () => server.query("INSERT INTO bare (body) VALUES ($1)", [JSON.stringify(entry)])),
  });
}

async function turns(bench: Bench, store: Store, sqlite: Store): Promise<void> {
  let session = 0;
  const on = (which: Store) => async () => {
    const quiet = await quietSession({ store: which, id: `turn-${session++}` });
    const history = conversation(10);
    const figure = await each(WARM_UP + TURNS, () => quietTurn(quiet, history), WARM_UP);
    await quiet.close();
    return figure;
  };
  await bench.row({
    name: "Postgres: turn, nothing to say, 10 messages",
    unit: "ms",
    baseline: "the same turn on SQLite, every commit on disk as well",
    ours: on(store),
    theirs: on(sqlite),
  });
}

/** Statements that a turn sends, each one a round trip; the baseline is what a turn with a claim and a settlement needs. */
async function statements(bench: Bench, server: PostgresServer): Promise<void> {
  let sent = 0;
  const pool = new pg.Pool({ connectionString: server.url, max: 2 });
  const counting: PostgresPool = {
    async connect() {
      const client = await pool.connect();
      return {
        query(statement) {
          sent++;
          return client.query(statement as pg.QueryArrayConfig);
        },
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event as "error", listener),
        off: (event, listener) => client.off(event, listener),
      };
    },
  };
  const store = createPostgresStore({ pool: counting });
  const session = await quietSession({ store, id: "counted" });
  await session.turn({ userPrompt: "begin" });
  await bench.row({
    name: "Postgres: round trips of a turn that says something and is committed",
    unit: "statements",
    baseline: "read, offer, settle",
    goal: { figure: 3 },
    isFixed: true,
    ours: async () => {
      await session.record({ type: "prompt_queued", id: `q${sent}`, prompt: "and this" });
      sent = 0;
      const turn = await session.turn({ userPrompt: "go on" });
      if (turn.reminders.length === 0) throw new Error("there was something to say");
      await turn.commit();
      return sent;
    },
    theirs: () => 3,
  });
  await session.close();
  await store.close();
  await pool.end();
}

const SIDE_BY_SIDE = 32;

async function inParallel(bench: Bench, server: PostgresServer, connections: number): Promise<void> {
  const store = createPostgresStore({ connectionString: server.url, connections, waitMs: 60_000 });
  const bare = new pg.Pool({ connectionString: server.url, max: connections });
  const sessions = await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, (_, index) =>
      quietSession({ store, id: `parallel-${connections}-${index}`, config: { timeout_ms: 60_000 } }),
    ),
  );
  const history = conversation(10);
  await bench.row({
    name: `Postgres: turns of ${SIDE_BY_SIDE} sessions over ${connections} ${connections === 1 ? "connection" : "connections"}`,
    unit: "turns/s",
    baseline: "a SELECT and an INSERT through pg for each",
    ours: () => perSecond(sessions, (session) => quietTurn(session, history)),
    theirs: () =>
      perSecond(sessions, async () => {
        await bare.query("SELECT body FROM bare WHERE seq = 1");
        await bare.query("INSERT INTO bare (body) VALUES ($1)", [
          JSON.stringify({ kind: "turn", at: Date.now() }),
        ]);
      }),
  });
  await Promise.all(sessions.map((session) => session.close()));
  await store.close();
  await bare.end();
}

const ROUNDS = 8;

async function perSecond(
  sessions: readonly Session[],
  run: (session: Session) => Promise<unknown>,
): Promise<number> {
  const from = performance.now();
  await Promise.all(
    sessions.map(async (session) => {
      for (let round = 0; round < ROUNDS; round++) await run(session);
    }),
  );
  return (sessions.length * ROUNDS * 1000) / (performance.now() - from);
}

/** The same turns beside few entries of other sessions, and beside many. */
async function growth(bench: Bench, server: PostgresServer): Promise<void> {
  const stores = [FEW, MANY].map((entries) => ({
    entries,
    store: createPostgresStore({ connectionString: `${server.url}?schema=with_${entries}` }),
  }));
  for (const { entries, store } of stores) {
    await store.sessions();
    await fill(server, `with_${entries}`, entries);
  }
  let session = 0;
  const on = (index: number) => async () => {
    const store = stores[index]?.store;
    if (store === undefined) throw new Error("no store");
    const quiet = await quietSession({ store, id: `grown-${session++}` });
    const history = conversation(10);
    const figure = await each(WARM_UP + TURNS, () => quietTurn(quiet, history), WARM_UP);
    await quiet.close();
    return figure;
  };
  await bench.row({
    name: `Postgres: turn beside ${MANY.toLocaleString("en")} entries of other sessions`,
    unit: "ms",
    baseline: `beside ${FEW.toLocaleString("en")}`,
    goal: { timesWorse: 1.3 },
    ours: on(1),
    theirs: on(0),
  });
  await Promise.all(stores.map(({ store }) => store.close()));
}

async function fill(server: PostgresServer, schema: string, entries: number): Promise<void> {
  const sessions = Math.ceil(entries / ENTRIES_A_SESSION);
  await server.query(
    `INSERT INTO ${schema}.sessions (key, last) SELECT 'filled-' || n, ${ENTRIES_A_SESSION} FROM generate_series(1, ${sessions}) n`,
  );
  await server.query(
    `INSERT INTO ${schema}.entries (session, seq, at, body, sum, batch)
     SELECT s.id, n, '2026-11-15T10:00:00.000Z', repeat('x', 250) || n, sha256(n::text::bytea), gen_random_uuid()
     FROM generate_series(1, ${ENTRIES_A_SESSION}) n CROSS JOIN ${schema}.sessions s`,
  );
  await server.query(`VACUUM ANALYZE ${schema}.entries`);
  await server.query("CHECKPOINT");
}

/** The median of what a run takes, in milliseconds. */
async function each(times: number, run: () => Promise<unknown>, without = 0): Promise<number> {
  const took: number[] = [];
  for (let index = 0; index < times; index++) {
    const from = performance.now();
    await run();
    took.push(performance.now() - from);
  }
  return median(took.slice(without));
}
