// Files of an open store that are deleted, moved or replaced: what was acknowledged is there after a restart, or refused.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { storeChild } from "../../../../../test/support/store-child.ts";
import { note } from "../../../../../test/support/store-notes.ts";
import { createSqliteStore } from "./sqlite.ts";

let root: string;
let directory: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sotto-presence-"));
  directory = join(root, "state");
  mkdirSync(directory);
  path = join(directory, "store.db");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const all = ["", "-wal", "-shm"];
function remove(...suffixes: string[]): void {
  for (const suffix of suffixes) rmSync(path + suffix, { force: true });
}

const mishaps: Record<string, () => void> = {
  "deleted with all its files": () => remove(...all),
  "deleted alone": () => remove(""),
  "deleted with its directory": () => rmSync(directory, { recursive: true }),
  "moved away": () => renameSync(path, `${path}.old`),
  "moved with its directory": () => renameSync(directory, `${directory}-old`),
  "robbed of its log": () => remove("-wal"),
  "robbed of its index": () => remove("-shm"),
  "robbed of its log and its index": () => remove("-wal", "-shm"),
};

/** As a process that starts anew finds it. */
async function countAfterRestart(): Promise<number> {
  const store = createSqliteStore({ path });
  const { last, damaged } = await store.read("s", 0);
  expect(damaged).toEqual([]);
  expect(await store.problems()).toEqual([]);
  await store.close();
  return last;
}

describe("a store that is", () => {
  it.each(Object.entries(mishaps))("%s while it is open loses nothing, and says so", async (_, happen) => {
    const store = createSqliteStore({ path });
    await store.append("s", { entries: [note(1), note(2)], settle: ["k"] });
    const hash = await store.putBlob(Buffer.from("content"));
    happen();
    await store.append("s", { entries: [note(3)] });
    expect(store.repairs?.()).toHaveLength(1);
    // Not closed: the process may be killed.
    expect(await countAfterRestart()).toBe(3);
    await store.append("s", { entries: [note(4)] });
    expect(await store.getBlob(hash)).toEqual(new Uint8Array(Buffer.from("content")));
    await store.close();
    expect(await countAfterRestart()).toBe(4);
    expect(store.repairs?.()).toHaveLength(1);
  });

  it.each(Object.entries(mishaps))("%s under two handles loses nothing of either", async (_, happen) => {
    const one = createSqliteStore({ path });
    const two = createSqliteStore({ path });
    await one.append("s", { entries: [note(1)] });
    await two.append("s", { entries: [note(2)] });
    happen();
    await one.append("s", { entries: [note(3)] });
    await two.append("s", { entries: [note(4)] });
    await one.append("s", { entries: [note(5)] });
    expect(await countAfterRestart()).toBe(5);
    await two.close();
    await one.close();
    expect(await countAfterRestart()).toBe(5);
  });

  it.each(Object.entries(mishaps))("%s under two processes loses nothing of either", async (_, happen) => {
    const one = createSqliteStore({ path });
    const two = storeChild(`
      import { createInterface } from "node:readline";
      const store = createSqliteStore({ path: ${JSON.stringify(path)} });
      for await (const what of createInterface(process.stdin)) {
        if (what === "append") say((await store.append("s", { entries: [note(1)] })).last);
        else say(await store.read("s", 0).then(({ last }) => last, ({ code }) => code));
      }
      await store.close();`);
    onTestFinished(() => void two.process.kill());
    let told = 0;
    const ask = async (what: "append" | "read") => {
      two.tell(what);
      return (await two.saying(++told)).at(-1);
    };
    const append = async () => (await one.append("s", { entries: [note(1)] })) as { last?: number };
    expect((await append()).last).toBe(1);
    expect(await ask("append")).toBe(2);
    happen();
    expect((await append()).last).toBe(3);
    await ask("read");
    for (let last = 4; last < 10; last += 2) {
      expect(await ask("append")).toBe(last);
      expect((await append()).last).toBe(last + 1);
      expect([(await one.read("s", 0)).last, await ask("read")]).toEqual([last + 1, last + 1]);
    }
    expect(await countAfterRestart()).toBe(9);
    two.process.stdin?.end();
    expect((await two.ended).stderr).toBe("");
    await one.close();
    expect(await countAfterRestart()).toBe(9);
  });

  it("replaced by an older copy refuses what is new, also where the last word was another process's", async () => {
    const store = createSqliteStore({ path });
    await store.append("s", { entries: [note(1)] });
    const other = createSqliteStore({ path });
    await other.read("s", 0);
    const raw = new DatabaseSync(path);
    raw.exec(`VACUUM INTO '${path}.copy'`);
    raw.close();
    await other.append("s", { entries: [note(2)] });
    await other.close();
    remove("-wal", "-shm");
    renameSync(`${path}.copy`, path);
    await expect(store.append("s", { entries: [note(3)] })).rejects.toMatchObject({
      message: expect.stringMatching(/another store is there now.* Its content is in /su),
    });
    await store.close();
    expect(await countAfterRestart()).toBe(1);
  });

  it("deleted again and again comes back each time", async () => {
    const store = createSqliteStore({ path });
    for (let count = 1; count <= 10; count++) {
      await store.append("s", { entries: [note(count)] });
      remove(...all);
    }
    await store.append("s", { entries: [note(11)] });
    expect(await countAfterRestart()).toBe(11);
    await store.close();
  });

  it("replaced by another store refuses what is new, and what it held is kept beside it", async () => {
    const other = createSqliteStore({ path: `${path}.other` });
    await other.append("s", { entries: [note(1)] });
    await other.close();
    const store = createSqliteStore({ path });
    await store.append("s", { entries: [note(1), note(2)] });
    remove(...all);
    copyFileSync(`${path}.other`, path);
    for (let tries = 0; tries < 2; tries++)
      await expect(store.append("s", { entries: [note(3)] })).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringMatching(/deleted or replaced while it was open: another store is there now/u),
      });
    await store.close();
    const [rescued] = readdirSync(directory).filter((name) => name.includes("rescued"));
    const kept = createSqliteStore({ path: join(directory, rescued ?? "") });
    expect((await kept.read("s", 0)).last).toBe(2);
    await kept.close();
    expect(await countAfterRestart()).toBe(1);
  });

  it("replaced by something else refuses what is new, and leaves that alone", async () => {
    const store = createSqliteStore({ path });
    await store.append("s", { entries: [note(1)] });
    remove(...all);
    writeFileSync(path, "a note of the user's\n".repeat(500));
    await expect(store.append("s", { entries: [note(2)] })).rejects.toMatchObject({ code: "store_failed" });
    await store.close();
    expect(existsSync(path)).toBe(true);
  });

  it("deleted where it cannot be put back refuses what is new", async () => {
    const store = createSqliteStore({ path });
    await store.append("s", { entries: [note(1)] });
    rmSync(directory, { recursive: true });
    writeFileSync(directory, "a file in the way");
    await expect(store.append("s", { entries: [note(2)] })).rejects.toMatchObject({ code: "store_failed" });
    rmSync(directory);
    await store.append("s", { entries: [note(2)] });
    expect(await countAfterRestart()).toBe(2);
    await store.close();
  });
});
