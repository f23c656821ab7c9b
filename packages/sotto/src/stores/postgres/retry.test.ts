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
