// Care of the SQLite store: removed bytes are gone from its files, damage is named, readers are waited for.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { note, numbers } from "../../../../../test/support/store-notes.ts";
import { createSqliteStore } from "./sqlite.ts";

const CANARY = "canary-4711-in-the-mine";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-store-"));
  path = join(directory, "store.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

function raw(...statements: string[]): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** The files beside each other in which the canary can be found. */
function singing(): string[] {
  return readdirSync(directory).filter((name) => readFileSync(join(directory, name)).includes(CANARY));
}

it("what was removed is in none of its files any more, once it is shredded", async () => {
  const store = createSqliteStore({ path });
  const entry = { ...note(1), event: { type: "task_progress" as const, taskId: "t", message: CANARY } };
  await store.append("kept", { entries: numbers(50).map(note) });
  await store.append("gone", { entries: Array(200).fill(entry), settle: [CANARY] });
  // Each replaces the one before, and leaves it behind in free pages.
  for (const seq of [100, 200])
    await store.saveSnapshot("gone", { seq, version: 1, state: { [`${seq}`]: CANARY.repeat(400) } });
  const hash = await store.putBlob(Buffer.from(CANARY.repeat(1000)));
  expect(singing()).not.toEqual([]);

  await store.remove("gone", { now: 0 });
  await store.removeBlobs([hash]);
  await store.erase();
  expect(singing()).toEqual([]);
  expect((await store.read("kept", 0)).last).toBe(50);
  await store.close();
  expect(singing()).toEqual([]);
});

it("whoever still reads the old state is waited for, then named", async () => {
  const store = createSqliteStore({ path, lockWaitMs: 50 });
  await store.append("a", { entries: [note(1)] });
  const reader = new DatabaseSync(path);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM entries").get();
  await store.remove("a", { now: 0 });
  await expect(store.erase()).rejects.toMatchObject({ code: "store_locked" });
  reader.close();
  await store.erase();
  expect(readFileSync(`${path}-wal`).length).toBe(0);
  await store.close();
});

it("rows that belong to nobody and numbers with gaps are named", async () => {
  const store = createSqliteStore({ path });
  await store.append("a", { entries: numbers(4).map(note), settle: ["k"] });
  await store.append("b", { entries: [note(1)], settle: ["k"] });
  expect(await store.problems()).toEqual([]);
  raw("DELETE FROM entries WHERE session = 1 AND seq = 2", "DELETE FROM sessions WHERE name = 'b'");
  expect(await store.problems()).toEqual([
    "1 rows in entries belong to no session",
    "1 rows in keys belong to no session",
    "session a has 3 entries, but they are numbered up to 4",
  ]);
  await store.close();
});

it("pages that something else wrote over are found", async () => {
  const store = createSqliteStore({ path });
  await store.append("a", { entries: numbers(2000).map(note) });
  await store.erase();
  await store.close();
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2 / 4096) * 4096;
  bytes.fill(0xff, middle, middle + 4096);
  writeFileSync(path, bytes);
  const damaged = createSqliteStore({ path });
  for (const quick of [true, false]) expect(await damaged.problems({ quick })).not.toEqual([]);
  await damaged.close();
});
