// The SQLite store when the file or the disk under it does not behave: clear codes, nothing half done, usable afterwards.

import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { canMount, runStoreChild, storeChild } from "../../../../../test/support/store-child.ts";
import { claim, note, numbers } from "../../../../../test/support/store-notes.ts";
import { createSqliteStore } from "./sqlite.ts";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-store-"));
  path = join(directory, "store.db");
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

async function filledStore(): Promise<void> {
  const store = createSqliteStore({ path });
  await store.append("a", { entries: numbers(200).map(note) });
  await store.close();
}

describe("a store that another process has locked", () => {
  /** Takes the lock, says so, and lets go at the first line it is told. */
  const holder = (begin: string) => `
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(${JSON.stringify(path)}, { timeout: 5000 });
    database.exec(${JSON.stringify(begin)});
    say("locked");
    process.stdin.once("data", () => { database.close(); say("free"); process.exit(); });`;

  it("says so after the wait, keeps the event loop free meanwhile, and can still be read", async () => {
    await filledStore();
    const child = storeChild(holder("BEGIN EXCLUSIVE"));
    await child.saying(1);
    const store = createSqliteStore({ path, lockWaitMs: 1500 });
    expect((await store.read("a", 0)).last).toBe(200);

    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    const started = performance.now();
    const failures = await Promise.allSettled(
      numbers(20).map((n) => store.append("a", { entries: [note(n)] })),
    );
    const waited = performance.now() - started;
    clearInterval(timer);

    for (const failure of failures) {
      expect(failure).toMatchObject({
        status: "rejected",
        reason: { code: "store_locked", message: expect.stringContaining(path) },
      });
    }
    expect(waited).toBeGreaterThanOrEqual(1500);
    // Had SQLite waited, the loop would have stood still for all of it.
    expect(ticks).toBeGreaterThan(15);

    child.tell("go");
    await child.ended;
    expect(await store.append("a", { entries: [note(1)] })).toEqual({ ok: true, first: 201, last: 201 });
    await store.close();
  });

  it("is written in the order of the calls once the lock is gone", async () => {
    await filledStore();
    const child = storeChild(holder("BEGIN IMMEDIATE"));
    await child.saying(1);
    const store = createSqliteStore({ path, lockWaitMs: 30_000 });
    const writes = numbers(10).map((n) => store.append("a", { entries: [note(n)] }));
    child.tell("go");
    const results = await Promise.all(writes);
    expect(results).toEqual(numbers(10).map((n) => ({ ok: true, first: 200 + n, last: 200 + n })));
    await child.ended;
    await store.close();
  });

  it("is waited for on opening, too", async () => {
    const child = storeChild(
      holder("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = 0"),
    );
    await child.saying(1);
    const hasty = createSqliteStore({ path, lockWaitMs: 0 });
    await expect(hasty.read("a", 0)).rejects.toMatchObject({ code: "store_locked" });
    const patient = createSqliteStore({ path, lockWaitMs: 30_000 });
    const appended = patient.append("a", { entries: [note(1)] });
    child.tell("go");
    expect(await appended).toEqual({ ok: true, first: 1, last: 1 });
    expect((await hasty.read("a", 0)).last).toBe(1);
    await child.ended;
    await Promise.all([hasty.close(), patient.close()]);
  });
});

describe("a file that is no whole database", () => {
  const garbage = {
    "is text": "not a database at all\n".repeat(500),
    "is short": "mine\n",
    "is zeros": "\0".repeat(8192),
  };
  it.each(Object.entries(garbage))("is reported and left alone when it %s", async (_, content) => {
    writeFileSync(path, content);
    const store = createSqliteStore({ path });
    const error = { code: "store_corrupt", message: expect.stringMatching(/store\.db .*move it away/u) };
    await expect(store.append("a", { entries: [note(1)] })).rejects.toMatchObject(error);
    await expect(store.sessions()).rejects.toMatchObject(error);
    expect(readFileSync(path, "utf8")).toBe(content);
    rmSync(path);
    expect(await store.append("a", { entries: [note(1)] })).toEqual({ ok: true, first: 1, last: 1 });
    await store.close();
  });

  it("is reported when it was cut off or overwritten", async () => {
    await filledStore();
    const whole = readFileSync(path);
    for (const damage of [
      () => truncateSync(path, 4096 * 3),
      () =>
        writeFileSync(
          path,
          Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0x5a)]),
        ),
    ]) {
      writeFileSync(path, whole);
      damage();
      const store = createSqliteStore({ path });
      await expect(store.read("a", 0)).rejects.toMatchObject({ code: "store_corrupt" });
      await expect(store.append("a", { entries: [note(1)] })).rejects.toMatchObject({
        code: "store_corrupt",
      });
      await store.close();
    }
  });

  it("is a clear failure when the path is a directory", async () => {
    const store = createSqliteStore({ path: directory });
    await expect(store.sessions()).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining(directory),
    });
    await store.close();
  });
});

describe("a disk without room", () => {
  it("fails the whole batch, keys included, and nothing more", async () => {
    await filledStore();
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    const store = createSqliteStore({ path });
    await store.sessions();
    const database = exec.mock.contexts[0] as DatabaseSync;
    exec.mockRestore();
    const pages = Number(database.prepare("PRAGMA page_count").get()?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages + 2}`);

    const big = { ...note(1), padding: "x".repeat(100_000) };
    const full = { code: "store_full", message: expect.stringMatching(/store\.db .*Free some space/u) };
    await expect(
      store.append("a", { entries: [note(1), big], claim: claim("me", ["k"]) }),
    ).rejects.toMatchObject(full);
    await expect(store.putBlob(new Uint8Array(100_000))).rejects.toMatchObject(full);
    await expect(store.saveSnapshot("a", { seq: 1, version: 1, state: big })).rejects.toMatchObject(full);
    expect((await store.read("a", 0)).last).toBe(200);
    expect(await store.snapshot("a")).toBeUndefined();

    const appended = await store.append("a", { entries: [note(2)], claim: claim("other", ["k"]) });
    expect(appended).toEqual({ ok: true, first: 201, last: 201 });
    await store.close();
  });

  /** Appends until it fails, then makes room and appends again. */
  const filling = () => `
    import { rmSync, writeFileSync } from "node:fs";
    process.on("SIGXFSZ", () => {});
    const path = ${JSON.stringify(join(directory, "store.db"))};
    const ballast = path + ".ballast";
    try { writeFileSync(ballast, Buffer.alloc(200_000)); } catch {}
    const store = createSqliteStore({ path });
    let last = 0;
    let code;
    while (code === undefined && last < 100_000) {
      const entries = [note(1), { ...note(2), padding: "x".repeat(5000) }];
      await store.append("a", { entries }).then((appended) => { last = appended.last; }, (error) => { code = error.code; });
    }
    const kept = await store.read("a", 0).then((read) => read.last, (error) => error.code);
    rmSync(ballast);
    say([code, kept === last, last > 0, await codeOf(store.append("a", { entries: [note(3)] }))]);
    await store.close();`;

  it.skipIf(!canMount())("is survived on a real file system that is full", async () => {
    const mount = 'mount -t tmpfs -o size=600k tmpfs "$0" && exec "$@"';
    const said = await runStoreChild(filling(), { wrapper: ["unshare", "-m", "sh", "-c", mount, directory] });
    expect(said).toEqual([["store_full", true, true, "fine"]]);
  });

  it("is what a limit on file sizes looks like, too", async () => {
    const wrapper = ["sh", "-c", 'ulimit -f 800 && exec "$@"', "sh"];
    const [said] = await runStoreChild(filling(), { wrapper });
    expect((said as unknown[]).slice(0, 3)).toEqual(["store_full", true, true]);
  });
});
