// The SQLite store under kill -9: whatever was acknowledged is there, whatever was not is there whole or not at all.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type StoreChild, storeChild } from "../../../../../test/support/store-child.ts";
import { claim, note, numbers, textOf } from "../../../../../test/support/store-notes.ts";
import { createSqliteStore } from "./sqlite.ts";

const ROUNDS = 12;
const WRITERS = 2;
const BATCH = 3;

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-store-"));
  path = join(directory, "store.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Appends for ever: batches of three, each with a claim of its own, and now and then enough bytes for a checkpoint. */
const writer = (name: string) => `
  const store = createSqliteStore({ path: ${JSON.stringify(path)}, lockWaitMs: 30_000 });
  for (let n = 1; ; n++) {
    const id = ${JSON.stringify(name)} + "/" + n;
    const entries = Array(${BATCH}).fill({ ...note(n), event: { type: "task_progress", taskId: "t", message: id } });
    const appended = await store.append("shared", { entries, claim: claim("elsewhere:1:x", [id]) });
    say([id, appended.first]);
    if (n % 10 === 0) {
      const hash = await store.putBlob(Buffer.alloc(300_000, id));
      say([hash]);
      await store.saveSnapshot("shared", { seq: appended.last, version: 1, state: { id } });
    }
  }`;

it(`AC-38: acknowledged appends survive kill -9, batches are whole, numbers have no gaps`, async () => {
  const acknowledged = new Map<string, number>();
  const blobs = new Set<string>();
  let killed = 0;
  for (const round of numbers(ROUNDS)) {
    const writers = numbers(WRITERS).map((index) => storeChild(writer(`${round}.${index}`)));
    await Promise.all(writers.map((child) => killAtSomePoint(child, round)));
    for (const child of writers) {
      const { signal, stderr } = await child.ended;
      expect(stderr).toBe("");
      if (signal === "SIGKILL") killed++;
      for (const line of child.said as ([string, number] | [string])[]) {
        if (line.length === 2) acknowledged.set(line[0], line[1]);
        else blobs.add(line[0]);
      }
    }
  }
  expect(killed).toBe(ROUNDS * WRITERS);

  const store = createSqliteStore({ path });
  const { entries, damaged, last } = await store.read("shared", 0);
  expect(damaged).toEqual([]);
  expect(entries.map(({ seq }) => seq)).toEqual(numbers(last));
  const texts = entries.map(textOf);
  expect(last % BATCH).toBe(0);
  for (let at = 0; at < last; at += BATCH) {
    expect(texts.slice(at, at + BATCH)).toEqual(Array(BATCH).fill(texts[at]));
  }
  expect(new Set(texts).size).toBe(last / BATCH);
  for (const [id, first] of acknowledged) expect(texts[first - 1]).toBe(id);
  // At most one batch per killed process was written without its acknowledgement getting through.
  expect(last / BATCH - acknowledged.size).toBeLessThanOrEqual(killed);
  expect(acknowledged.size).toBeGreaterThan(killed);

  const ids = [...new Set(texts)].map(String);
  expect(await store.append("shared", { entries: [], claim: claim("me", ids) })).toEqual({
    ok: false,
    taken: ids,
  });
  for (const hash of blobs) expect((await store.getBlob(hash))?.length).toBe(300_000);
  expect(await store.snapshot("shared")).toMatchObject({ version: 1 });
  await store.close();

  const database = new DatabaseSync(path);
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
});

it("AC-38: a store that was killed while it was being made is made by the next process", async () => {
  for (const round of numbers(10)) {
    path = join(directory, `${round}.db`);
    const child = storeChild(`say(["ready"]);${writer("first")}`);
    await child.saying(1);
    await sleep(Math.random() * 8);
    child.process.kill("SIGKILL");
    const { signal } = await child.ended;
    expect(signal).toBe("SIGKILL");
    const acknowledged = child.said.filter((line) => (line as unknown[]).length === 2);
    const store = createSqliteStore({ path });
    const { last } = await store.read("shared", 0);
    expect(last % BATCH).toBe(0);
    expect(last).toBeGreaterThanOrEqual(acknowledged.length * BATCH);
    expect(await store.append("shared", { entries: [note(1)] })).toMatchObject({ ok: true, last: last + 1 });
    await store.close();
  }
});

/** After a number of lines that differs from child to child, and then somewhere within the next appends. */
async function killAtSomePoint(child: StoreChild, round: number): Promise<void> {
  await child.saying(1 + ((round * 7) % 30));
  await sleep(Math.random() * 4);
  child.process.kill("SIGKILL");
}
