// The Postgres store: the contract, under a clock that the tests set, and what only a database has.

import { hostname } from "node:os";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { type TestSchema, testSchema } from "../../../../../test/support/postgres.ts";
import { describeStore } from "../../../../../test/support/store-contract.ts";
import { claim, note, numbers, textOf } from "../../../../../test/support/store-notes.ts";
import type { Store } from "../../log/entries.ts";
import type { PostgresPool } from "./connection.ts";
import { migratePostgres, planPostgresMigration } from "./migrate-store.ts";
import { createPostgresStore } from "./postgres.ts";

async function withClock(schema: TestSchema): Promise<(now: number) => Promise<void>> {
  await schema.query("CREATE TABLE $SCHEMA.test_clock AS SELECT 1000::double precision AS ms");
  await schema.query(
    "CREATE OR REPLACE FUNCTION $SCHEMA.clock() RETURNS double precision LANGUAGE sql VOLATILE AS 'SELECT ms FROM $SCHEMA.test_clock'",
  );
  return async (now) => void (await schema.query("UPDATE $SCHEMA.test_clock SET ms = $1", [now]));
}

describeStore("postgres", async () => {
  const schema = await testSchema();
  const open = () => createPostgresStore({ connectionString: schema.url });
  const store = open();
  await store.sessions();
  return { store, reopen: async () => open(), setClock: await withClock(schema), cleanup: schema.drop };
});

async function ground(): Promise<{ schema: TestSchema; store: Store }> {
  const schema = await testSchema();
  const store = createPostgresStore({ connectionString: schema.url });
  onTestFinished(async () => {
    await store.close();
    await schema.drop();
  });
  return { schema, store };
}

describe("the schema", () => {
  it("is made once, however many open the store at the same time", async () => {
    const { schema, store } = await ground();
    const others = numbers(7).map(() =>
      createPostgresStore({ connectionString: schema.url, connections: 1 }),
    );
    await Promise.all([store, ...others].map((one, index) => one.append("a", { entries: [note(index)] })));
    await Promise.all(others.map((one) => one.close()));
    expect(await schema.query("SELECT version FROM $SCHEMA.versions")).toEqual([
      { version: 1 },
      { version: 2 },
    ]);
    expect((await store.read("a", 0)).last).toBe(8);
  });

  it("is brought to this version when an earlier one made it, with the rights that were given", async () => {
    const { schema, store } = await ground();
    await store.append("a", { entries: [note(1)], settle: ["s"] });
    const role = `"a role's ${process.pid}"`;
    await schema.query(`
      DROP TABLE $SCHEMA.marks; DROP FUNCTION $SCHEMA.mark; DELETE FROM $SCHEMA.versions WHERE version = 2;
      CREATE ROLE ${role}; GRANT SELECT, INSERT ON $SCHEMA.keys TO ${role};
      GRANT SELECT ON $SCHEMA.keys TO PUBLIC;`);
    onTestFinished(async () => void (await schema.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)));
    const newer = createPostgresStore({ connectionString: schema.url });
    const marks = [{ name: "m", value: "1" }];
    expect(await newer.append("a", { entries: [note(2)], marks })).toMatchObject({ last: 2, marks: ["1"] });
    expect(await newer.append("a", { entries: [], claim: claim("one", ["s"]) })).toMatchObject({ ok: false });
    const may = await schema.query(
      "SELECT grantee, privilege_type AS what FROM information_schema.table_privileges WHERE table_schema = $1 AND table_name = 'marks' AND grantee <> current_user ORDER BY 1, 2",
      [schema.name],
    );
    expect(may.map(({ grantee, what }) => `${grantee}: ${what}`)).toEqual([
      "PUBLIC: SELECT",
      `a role's ${process.pid}: INSERT`,
      `a role's ${process.pid}: SELECT`,
    ]);
    expect(await newer.remove("a", { now: 0 })).toEqual({ ok: true });
    expect(await newer.marks?.(["m"])).toEqual([undefined]);
    await newer.close();
  });

  it("is refused in one line when a newer version made it, and when its tables are another program's", async () => {
    const { schema, store } = await ground();
    await store.append("a", { entries: [note(1)] });
    await schema.query("INSERT INTO $SCHEMA.versions (version) VALUES (99)");
    const older = createPostgresStore({ connectionString: schema.url });
    const newer = await older.read("a", 0).catch((thrown: unknown) => thrown);
    expect(newer).toMatchObject({
      code: "store_newer",
      message: expect.stringMatching(/version 99.*Update sotto/u),
    });
    expect(String(newer)).not.toContain("\n");
    await older.close();
    await schema.query(
      "DROP SCHEMA $SCHEMA CASCADE; CREATE SCHEMA $SCHEMA; CREATE TABLE $SCHEMA.sessions (x int)",
    );
    const other = createPostgresStore({ connectionString: schema.url });
    await expect(other.sessions()).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("tables of another program"),
    });
    await other.close();
    expect(await schema.query("SELECT to_regclass('$SCHEMA.entries') AS made")).toEqual([{ made: null }]);
  });

  it("is neither made nor planned in a database with another encoding", async () => {
    const { schema } = await ground();
    const name = `latin_${process.pid}`;
    await schema.query(`CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    onTestFinished(async () => void (await schema.query(`DROP DATABASE ${name} WITH (FORCE)`)));
    const url = new URL(schema.url);
    url.pathname = `/${name}`;
    const refused = { code: "store_failed", message: expect.stringContaining("has the encoding LATIN1") };
    const options = { connectionString: url.href };
    await expect(planPostgresMigration(options)).rejects.toMatchObject(refused);
    await expect(migratePostgres(options)).rejects.toMatchObject(refused);
  });

  it("needs few rights at run time, and says what is missing", async () => {
    const { schema, store } = await ground();
    await store.append("a", { entries: [note(1)] });
    const role = `role_${process.pid}`;
    await schema.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'x';
      GRANT USAGE ON SCHEMA $SCHEMA TO ${role};
      GRANT SELECT ON $SCHEMA.versions TO ${role};`);
    onTestFinished(async () => void (await schema.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)));
    const url = new URL(schema.url);
    url.username = role;
    url.password = "x";
    const limited = createPostgresStore({ connectionString: url.href });
    await expect(limited.append("a", { entries: [note(2)] })).rejects.toMatchObject({
      code: "store_read_only",
      message: expect.stringContaining("docs/guide/postgres.md"),
    });
    const tables = ["sessions", "entries", "keys", "marks", "snapshots", "blobs", "followers"];
    await schema.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.map((one) => `$SCHEMA.${one}`).join(", ")} TO ${role}`,
    );
    expect(await limited.append("a", { entries: [note(2)], claim: claim("one", ["k"]) })).toMatchObject({
      ok: true,
    });
    await limited.saveSnapshot("a", { seq: 2, version: 1, state: {} });
    await limited.removeBlobs([await limited.putBlob(Buffer.from("x"))]);
    expect([(await limited.read("a", 0)).last, await limited.problems()]).toEqual([2, []]);
    expect(await limited.remove("a", { now: 0, force: true })).toEqual({ ok: true });
    await limited.close();
    const without = createPostgresStore({ connectionString: url.href, schema: "not yet there" });
    url.searchParams.set("schema", "not yet there");
    const elsewhere = createPostgresStore({ connectionString: url.href });
    await expect(elsewhere.sessions()).rejects.toMatchObject({ code: "store_read_only" });
    await Promise.all([without.close(), elsewhere.close()]);
  });
});

describe("claims", () => {
  it("go by the database's clock: a machine with a wrong one neither steals nor keeps them", async () => {
    const { schema, store } = await ground();
    await store.sessions();
    const setClock = await withClock(schema);
    const by = (owner: string, skew: number, now: number) => ({
      entries: [],
      claim: { keys: ["k"], owner, now: now + skew, expiresAt: now + skew + 100 },
    });
    const hour = 3_600_000;
    expect(await store.append("a", by("fast", hour, 1000))).toMatchObject({ ok: true });
    await setClock(1099);
    expect(await store.append("a", by("faster", 9 * hour, 1099))).toEqual({ ok: false, taken: ["k"] });
    expect(await store.holders("a", 1099 + 9 * hour)).toEqual(["fast"]);
    await setClock(1100);
    expect(await store.append("a", by("slow", -hour, 1100))).toMatchObject({ ok: true });
    expect(await store.holders("a", 0)).toEqual(["slow"]);
    expect(store.now?.()).toBeLessThan(60_000);
  });

  it("are renewed by their owner alone, and only before they end", async () => {
    const { schema, store } = await ground();
    await store.sessions();
    const setClock = await withClock(schema);
    await store.append("a", { entries: [], claim: claim("me", ["k", "l"]), settle: ["l"] });
    const renewed = async (owner: string, key = "k") =>
      (await schema.query("SELECT $SCHEMA.renew('a', $1, $2, 500) AS n", [[key], owner]))[0]?.n;
    await setClock(1999);
    expect([await renewed("another"), await renewed("me", "l"), await renewed("me")]).toEqual([0, 0, 1]);
    await setClock(2498);
    expect(await store.holders("a", 0)).toEqual(["me"]);
    await setClock(2499);
    expect([await store.holders("a", 0), await renewed("me")]).toEqual([[], 0]);
  });

  it("of a process that nobody sees any more last until their lease ends: its pid may be on another machine", async () => {
    const { store } = await ground();
    const now = Date.now();
    const held = { keys: ["k"], now, expiresAt: now + 600_000 };
    await store.append("a", { entries: [], claim: { ...held, owner: `${hostname()}:999999999:n` } });
    expect(await store.append("a", { entries: [], claim: { ...held, owner: "me" } })).toEqual({
      ok: false,
      taken: ["k"],
    });
  });
});

describe("rows that something else damaged", () => {
  it("are skipped, reported and never in the way", async () => {
    const { schema, store } = await ground();
    await store.append("a", { entries: numbers(8).map(note) });
    for (const change of [
      "body = left(body, 30) WHERE seq = 2",
      "body = '' WHERE seq = 3",
      `body = '{"kind":"event"}', sum = sha256(convert_to('a#4' || E'\\n' || '{"kind":"event"}', 'UTF8')) WHERE seq = 4`,
      `body = replace(body, '"5"', '"99"') WHERE seq = 5`,
      "(body, sum) = (SELECT body, sum FROM $SCHEMA.entries WHERE seq = 7) WHERE seq = 6",
    ])
      await schema.query(`UPDATE $SCHEMA.entries SET ${change}`);
    const { entries, damaged, last } = await store.read("a", 0);
    expect([entries.map(textOf), last]).toEqual([["1", "7", "8"], 8]);
    const changed = "the entry is damaged: it was changed after it was written";
    expect(damaged.map(({ seq, problem }) => `${seq} ${problem}`)).toEqual([
      `2 ${changed}`,
      `3 ${changed}`,
      "4 the entry has no version number",
      `5 ${changed}`,
      `6 ${changed}`,
    ]);
    await schema.query("DELETE FROM $SCHEMA.entries WHERE seq = 2");
    await schema.query("INSERT INTO $SCHEMA.keys VALUES (77, 'k', NULL, NULL)");
    expect(await store.problems()).toEqual([
      "1 rows in keys belong to no session",
      "session a has 7 entries, but they are numbered up to 8",
    ]);
    await store.saveSnapshot("a", { seq: 1, version: 1, state: { n: 1 } });
    await schema.query("UPDATE $SCHEMA.snapshots SET state = '{}'");
    expect(await store.snapshot("a")).toBeUndefined();
    expect((await store.problems()).at(-1)).toBe(
      "the snapshot of session a is damaged: it is not used, and the next one replaces it",
    );
    const hash = await store.putBlob(Buffer.from("blob"));
    await schema.query("UPDATE $SCHEMA.blobs SET content = 'other'");
    expect(await store.getBlob(hash)).toBeUndefined();
  });
});

describe("a session's name that something else changed", () => {
  it("is not believed, and is reported", async () => {
    const { schema, store } = await ground();
    const long = "n".repeat(600);
    for (const session of ["a", "b", long]) await store.append(session, { entries: [note(1)] });
    expect(await store.problems()).toEqual([]);
    await schema.query("UPDATE $SCHEMA.sessions SET name = 'evil' WHERE key = 'a'");
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["a", "b", long]);
    expect(await store.problems()).toEqual(["session a has a name that is not its own: evil"]);
    await schema.query("UPDATE $SCHEMA.sessions SET name = E'\\x01{' WHERE key = 'a'");
    expect((await store.sessions()).map(({ id }) => id)).toEqual(["a", "b", long]);
    await schema.query("UPDATE $SCHEMA.sessions SET name = NULL");
    expect(await store.problems()).toEqual([
      expect.stringMatching(/^session \u0001sha256:.* has a name that is not its own: none$/u),
    ]);
  });
});

describe("blobs", () => {
  it("are compressed by the database, kept once, and bounded in size", async () => {
    const { schema, store } = await ground();
    const content = Buffer.from("the same line again\n".repeat(10_000));
    await Promise.all(numbers(4).map(() => store.putBlob(content)));
    const rows = await schema.query(
      "SELECT length(content)::int AS bytes, pg_column_size(content) AS kept FROM $SCHEMA.blobs",
    );
    expect(rows).toEqual([{ bytes: content.length, kept: expect.any(Number) }]);
    expect(Number(rows[0]?.kept)).toBeLessThan(content.length / 20);
    await expect(store.putBlob(Buffer.alloc(64 * 1024 * 1024 + 1))).rejects.toMatchObject({
      code: "store_full",
    });
    expect((await store.usage?.())?.find(({ table }) => table === "blobs")).toMatchObject({ rows: 1 });
  });
});

describe("connections", () => {
  it("may be the host's own, with parsers of its own; they stay open", async () => {
    const { schema } = await ground();
    const pool = new pg.Pool({
      connectionString: schema.url,
      max: 2,
      types: { getTypeParser: () => () => "parsed otherwise" },
    });
    onTestFinished(() => pool.end());
    const store = createPostgresStore({ pool, schema: schema.name });
    await store.append("a", { entries: [note(1)] });
    expect(textOf((await store.read("a", 0)).entries[0] ?? note(0))).toBe("1");
    await store.close();
    expect((await pool.query("SELECT 1")).rowCount).toBe(1);
  });

  it("hold no state: each statement may come to another server process, as behind PgBouncer", async () => {
    const { schema } = await ground();
    const real = new pg.Pool({ connectionString: schema.url, max: 3 });
    onTestFinished(() => real.end());
    const statements: string[] = [];
    const store = createPostgresStore({ pool: transactionPooling(real, statements), schema: schema.name });
    // By the server's clock: none ends before the last has asked.
    const lasting = (n: number) => ({ ...claim(`o${n}`, [`k${n % 5}`]), expiresAt: 601_000 });
    const results = await Promise.all(
      numbers(30).map((n) => store.append("a", { entries: [note(n)], claim: lasting(n) })),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(5);
    await store.saveSnapshot("a", { seq: 5, version: 1, state: {} });
    expect([(await store.read("a", 0)).last, (await store.snapshot("a"))?.seq]).toEqual([5, 5]);
    await store.close();
    expect(statements.join("\n")).not.toMatch(/\b(?:PREPARE|LISTEN|TEMP|pg_advisory_lock)\b|^SET /mu);
  });
});

/** One of several connections for each transaction, cleaned after it. Whoever names a statement is refused. */
function transactionPooling(pool: pg.Pool, statements: string[]): PostgresPool {
  return {
    async connect() {
      let held: pg.PoolClient | undefined;
      const giveBack = async (client: pg.PoolClient) => {
        held = undefined;
        await client.query("DISCARD ALL");
        client.release();
      };
      return {
        async query(statement) {
          statements.push(statement.text);
          if ("name" in statement) throw new Error("a named statement");
          const client = held ?? (await pool.connect());
          held = client;
          try {
            return await client.query(statement as pg.QueryArrayConfig);
          } finally {
            const isOpen =
              statements.lastIndexOf("BEGIN") >
              Math.max(statements.lastIndexOf("COMMIT"), statements.lastIndexOf("ROLLBACK"));
            if (!isOpen) await giveBack(client);
          }
        },
        release: () => undefined,
        on: () => undefined,
        off: () => undefined,
      };
    },
  };
}

describe("removing", () => {
  it("keeps nobody from writing to other sessions", async () => {
    const { schema, store } = await ground();
    for (const session of ["old", "new"]) await store.append(session, { entries: numbers(3).map(note) });
    const client = new pg.Client({ connectionString: schema.url });
    await client.connect();
    const quoted = `"${schema.name.replaceAll('"', '""')}"`;
    await client.query(`BEGIN; SELECT ${quoted}.remove('old', true)`);
    expect(await store.append("new", { entries: [note(4)] })).toMatchObject({ ok: true, first: 4 });
    expect((await store.read("old", 0)).last).toBe(3);
    await client.query("COMMIT");
    await client.end();
    expect((await store.read("old", 0)).last).toBe(0);
    await store.erase();
  });
});
