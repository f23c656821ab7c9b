// Settings of the server, the database or the role that change how it spells values: nothing depends on them.

import { expect, it, onTestFinished } from "vitest";
import { testSchema } from "../../../../../test/support/postgres.ts";
import { claim, note, numbers, textOf } from "../../../../../test/support/store-notes.ts";
import { createPostgresStore } from "./postgres.ts";

it.each([
  "bytea_output=escape",
  "extra_float_digits=-15",
  "extra_float_digits=3",
  "DateStyle=German",
  "IntervalStyle=sql_standard",
  "TimeZone=Asia/Kathmandu",
  "standard_conforming_strings=off",
  "array_nulls=off",
  "quote_all_identifiers=on",
  "default_transaction_isolation=serializable",
  "search_path=pg_catalog",
])("%s", async (setting) => {
  const schema = await testSchema();
  const options = encodeURIComponent(`-c ${setting}`);
  const store = createPostgresStore({ connectionString: `${schema.url}&options=${options}` });
  const plain = createPostgresStore({ connectionString: schema.url });
  onTestFinished(async () => {
    await Promise.all([store.close(), plain.close()]);
    await schema.drop();
  });
  await plain.append("a", { entries: [note(1)] });
  await store.append("a", { entries: numbers(2).map((n) => note(n + 1)), claim: claim("me", ["k"]) });
  for (const one of [plain, store]) {
    const { entries, damaged } = await one.read("a", 0);
    expect([entries.map(textOf), damaged]).toEqual([["1", "2", "3"], []]);
  }
  expect(Math.abs((store.now?.() ?? 0) - (plain.now?.() ?? 0))).toBeLessThan(60_000);
  const bytes = Uint8Array.of(0, 1, 39, 92, 120, 200, 255);
  expect(await store.getBlob(await store.putBlob(bytes))).toEqual(bytes);
  await store.saveSnapshot("a", { seq: 3, version: 1, state: { é: "\\x41" } });
  expect(await plain.snapshot("a")).toMatchObject({ seq: 3, version: 1, state: { é: "\\x41" } });
  expect(await store.problems()).toEqual([]);
});
