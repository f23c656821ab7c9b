// A batch whose connection breaks while the server still works on it.

import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { testSchema } from "../../../../../test/support/postgres.ts";
import { note } from "../../../../../test/support/store-notes.ts";
import type { PostgresPool } from "./connection.ts";
import { createPostgresStore } from "./postgres.ts";

it.each(["new", "known"])("the second sending gets the first answer, in a %s session", async (session) => {
  const schema = await testSchema();
  const real = new pg.Pool({ connectionString: schema.url });
  const cut = Promise.withResolvers<never>();
  cut.promise.catch(() => undefined);
  let isArmed = false;
  let first: Promise<unknown> | undefined;
  const pool: PostgresPool = {
    async connect() {
      const client = await real.connect();
      return {
        query(statement) {
          const answer = client.query(statement as pg.QueryArrayConfig);
          if (!isArmed || first !== undefined) return answer;
          first = answer;
          return Promise.race([answer, cut.promise]);
        },
        // The server does not know that nobody waits any more.
        release: (isBroken) => void (isBroken ? first?.finally(() => client.release()) : client.release()),
        on: () => undefined,
        off: () => undefined,
      };
    },
  };
  const store = createPostgresStore({ pool, schema: schema.name, waitMs: 60_000 });
  const locker = await real.connect();
  onTestFinished(async () => {
    await store.close();
    await first;
    await real.end();
    await schema.drop();
  });
  await store.append("known", { entries: [note(1)] });
  const last = session === "known" ? 1 : 0;
  await locker.query(`BEGIN; LOCK TABLE ${pg.escapeIdentifier(schema.name)}.entries IN SHARE MODE`);
  const waiting = (many: number) =>
    vi.waitFor(
      async () => {
        const rows = await schema.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0",
          [`${pg.escapeIdentifier(schema.name)}.append`],
        );
        expect(rows).toHaveLength(many);
      },
      { timeout: 300_000 },
    );
  isArmed = true;
  const appended = store.append(session, { entries: [note(2), note(3)] });
  await waiting(1);
  cut.reject(Object.assign(new Error("cut"), { code: "ECONNRESET" }));
  await waiting(2);
  await locker.query("COMMIT");
  locker.release();
  expect(await appended).toEqual({ ok: true, first: last + 1, last: last + 2 });
  expect((await store.read(session, last)).entries).toHaveLength(2);
});

it("a replica that became the primary behind its answer that there are no tables: the call is made again", async () => {
  const schema = await testSchema();
  const real = new pg.Pool({ connectionString: schema.url });
  let misses = 0;
  let left = 0;
  const pool: PostgresPool = {
    async connect() {
      const client = await real.connect();
      return {
        async query(statement) {
          if (left === 0) return client.query(statement as pg.QueryArrayConfig);
          left--;
          misses++;
          throw Object.assign(new Error(`schema "${schema.name}" does not exist`), { code: "3F000" });
        },
        release: (isBroken) => client.release(isBroken),
        on: () => undefined,
        off: () => undefined,
      };
    },
  };
  const store = createPostgresStore({ pool, schema: schema.name, waitMs: 60_000 });
  onTestFinished(async () => {
    await store.close();
    await real.end();
    await schema.drop();
  });
  await store.append("a", { entries: [note(1)] });
  left = 1;
  expect(await store.append("a", { entries: [note(2)] })).toMatchObject({ ok: true, first: 2 });
  // Where there really are none, that is said.
  left = Number.POSITIVE_INFINITY;
  await expect(store.append("a", { entries: [note(3)] })).rejects.toThrow("does not exist");
  expect(misses).toBeGreaterThan(1);
});
