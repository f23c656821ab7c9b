// The SQLite store: the contract, and what only a file on disk has.

import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runStoreChild, storeChild } from "../../../../../test/support/store-child.ts";
import { describeStore } from "../../../../../test/support/store-contract.ts";
import { claim, note, numbers, textOf } from "../../../../../test/support/store-notes.ts";
import { isOwnerAlive } from "../../platform/node-platform.ts";
import { createSqliteStore } from "./sqlite.ts";

describeStore("sqlite", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sotto-store-"));
  const path = join(directory, "store.db");
  return {
    store: createSqliteStore({ path }),
    reopen: async () => createSqliteStore({ path }),
    cleanup: () => rmSync(directory, { recursive: true }),
  };
});

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-store-"));
  path = join(directory, "deep", "er", "store.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

function raw(...statements: string[]): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) database.exec(statement);
  database.close();
}

describe("the database file", () => {
  it("is made at the first call, for its owner only, as are its directories", async () => {
    const store = createSqliteStore({ path });
    expect(existsSync(join(directory, "deep"))).toBe(false);
    await store.append("a", { entries: [note(1)] });
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    const modes = [join(directory, "deep"), join(path, ".."), path, `${path}-wal`, `${path}-shm`].map(mode);
    expect(modes).toEqual(["700", "700", "600", "600", "600"]);
    await store.close();
  });

  it("costs nothing to import, and SQLite's own warning is kept back while others are not", async () => {
    const { href } = new URL("./sqlite.ts", import.meta.url);
    const child = storeChild(
      `const { createSqliteStore } = await import(${JSON.stringify(href)});
       const loaded = () => process.moduleLoadList.filter((name) => /sqlite/i.test(name)).length > 0;
       const before = loaded();
       const store = createSqliteStore({ path: ${JSON.stringify(path)} });
       await store.sessions();
       process.emitWarning("another one", "ExperimentalWarning");
       await store.close();
       console.log(JSON.stringify([before, loaded()]));`,
      { bare: true },
    );
    const { stderr } = await child.ended;
    expect(child.said).toEqual([[false, true]]);
    expect(stderr).toContain("another one");
    expect(stderr).not.toContain("SQLite");
  });

  it("is set up once when several processes start at the same time", async () => {
    const script = `
      const store = createSqliteStore({ path: ${JSON.stringify(path)}, lockWaitMs: 20_000 });
      for (let n = 0; n < 20; n++) await store.append("a", { entries: [note(n), note(n)] });
      await store.close();`;
    await Promise.all(numbers(4).map(() => runStoreChild(script)));
    const store = createSqliteStore({ path });
    const { entries, damaged } = await store.read("a", 0);
    expect(damaged).toEqual([]);
    expect(entries.map(({ seq }) => seq)).toEqual(numbers(160));
    for (const n of numbers(80)) expect(entries[2 * n - 1]?.at).toBe(entries[2 * n - 2]?.at);
    await store.close();
  });

  it("is refused when a newer version wrote it, untouched", async () => {
    const store = createSqliteStore({ path });
    await store.append("a", { entries: [note(1)] });
    await store.close();
    raw("PRAGMA user_version = 99");
    const older = createSqliteStore({ path });
    const error = await older.read("a", 0).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "store_newer",
      message: expect.stringMatching(/version 99.*Update sotto/u),
    });
    expect(error).toMatchObject({ message: expect.stringContaining(path) });
    raw("PRAGMA user_version = 2");
    expect((await older.read("a", 0)).last).toBe(1);
    await older.close();
  });

  it("is brought to this version when an earlier one wrote it; one that is read-only is read as it is", async () => {
    const fill = createSqliteStore({ path });
    await fill.append("a", { entries: [note(1)], claim: claim("one", ["k"]), settle: ["s"] });
    await fill.close();
    raw("DROP TABLE marks", "PRAGMA user_version = 1");
    const script = (work: string) => `
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const store = createSqliteStore({ path: ${JSON.stringify(path)} });
      ${work}
      await store.close();`;
    const [deep, file] = [join(path, ".."), path];
    for (const place of [directory, join(directory, "deep"), deep]) chmodSync(place, 0o755);
    chmodSync(file, 0o444);
    chmodSync(deep, 0o555);
    expect(
      await runStoreChild(script(`say([(await store.read("a", 0)).last, await store.problems()]);`)),
    ).toEqual([[1, []]]);
    chmodSync(deep, 0o755);
    chmodSync(file, 0o644);
    const store = createSqliteStore({ path });
    const marks = [{ name: "m", value: "1" }];
    expect(await store.append("a", { entries: [note(2)], marks })).toMatchObject({ last: 2, marks: ["1"] });
    expect(await store.append("a", { entries: [], claim: claim("two", ["k", "s"]) })).toMatchObject({
      taken: ["k", "s"],
    });
    expect(await store.problems()).toEqual([]);
    await store.close();
  });

  it("is refused when it belongs to another program", async () => {
    path = join(directory, "other.db");
    raw("CREATE TABLE bookmarks (url TEXT)", "PRAGMA user_version = 40");
    const store = createSqliteStore({ path });
    await expect(store.append("a", { entries: [note(1)] })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("another program"),
    });
    await store.close();
  });

  it("lets the event loop turn during a long run of appends", async () => {
    const store = createSqliteStore({ path });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all(numbers(3000).map((n) => store.append("a", { entries: [note(n)] })));
    for (const n of numbers(1000)) await store.append("a", { entries: [note(n)] });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    await store.close();
  });

  it("flushes to the disk where it must survive a power cut", async () => {
    const store = createSqliteStore({ path, sync: "power" });
    expect(await store.append("a", { entries: [note(1)] })).toEqual({ ok: true, first: 1, last: 1 });
    await store.close();
  });
});

describe("rows that something else damaged", () => {
  it("are skipped, reported and never in the way", async () => {
    const store = createSqliteStore({ path });
    await store.append("a", { entries: numbers(12).map(note) });
    raw(
      `UPDATE entries SET body = substr(body, 1, 30) WHERE seq = 2`,
      `UPDATE entries SET body = '' WHERE seq = 3`,
      `UPDATE entries SET body = '[1]' WHERE seq = 4`,
      `UPDATE entries SET body = json_remove(body, '$.v', '$.sum') WHERE seq = 5`,
      `UPDATE entries SET body = json_remove(json_set(body, '$.v', 2, '$.kind', 'new'), '$.sum') WHERE seq = 6`,
      `UPDATE entries SET body = CAST(x'ff00fe' AS TEXT) WHERE seq = 8`,
      // Whole JSON, and not what was written; or not where it was.
      `UPDATE entries SET body = json_set(body, '$.event.message', '99') WHERE seq = 9`,
      `UPDATE entries SET body = replace(body, '"sum"', '"sun"') WHERE seq = 10`,
      `UPDATE entries SET body = (SELECT body FROM entries WHERE seq = 12) WHERE seq = 11`,
    );
    const { entries, damaged, last } = await store.read("a", 0);
    expect([entries.map(textOf), last]).toEqual([["1", "7", "12"], 12]);
    expect(damaged.map(({ seq, problem }) => `${seq} ${problem}`)).toEqual([
      "2 the entry is incomplete: its text is not JSON",
      "3 the entry is incomplete: its text is not JSON",
      "4 the entry is not an object",
      "5 the entry has no version number",
      "6 the entry has the newer version 2, this program reads up to 1",
      "8 the entry is incomplete: its text is not JSON",
      "9 the entry is damaged: it was changed after it was written",
      "10 the entry is damaged: its checksum is damaged",
      "11 the entry is damaged: it was changed after it was written",
    ]);
    expect(await store.append("a", { entries: [note(13)] })).toEqual({ ok: true, first: 13, last: 13 });
    expect(await store.sessions()).toEqual([
      { id: "a", entries: 13, firstAt: note(1).at, lastAt: note(13).at },
    ]);
    await store.close();
  });

  it("make a snapshot absent, until the next one", async () => {
    const store = createSqliteStore({ path });
    await store.saveSnapshot("a", { seq: 1, version: 1, state: { n: 1 } });
    raw("UPDATE snapshots SET state = '{\"n\":'");
    expect(await store.snapshot("a")).toBeUndefined();
    expect(await store.problems()).toContain(
      "the snapshot of session a is damaged: it is not used, and the next one replaces it",
    );
    await store.saveSnapshot("a", { seq: 2, version: 1, state: { n: 2 } });
    expect(await store.snapshot("a")).toMatchObject({ seq: 2, version: 1, state: { n: 2 } });
    await store.close();
  });
});

describe("claims of processes", () => {
  it("are given away when the process is gone, and kept as long as that is not sure", async () => {
    const gone = storeChild("", { bare: true });
    const running = storeChild("process.stdin.resume()", { bare: true });
    await gone.ended;
    const owners = {
      gone: `${hostname()}:${gone.process.pid}:n`,
      running: `${hostname()}:${running.process.pid}:n`,
      elsewhere: `not-${hostname()}:${gone.process.pid}:n`,
      unnamed: "someone",
    };
    expect(Object.values(owners).map(isOwnerAlive)).toEqual([false, true, true, true]);

    const store = createSqliteStore({ path });
    for (const [key, owner] of Object.entries(owners))
      await store.append("a", { entries: [], claim: claim(owner, [key]) });
    const keys = Object.keys(owners);
    const taken = { ok: false, taken: ["running", "elsewhere", "unnamed"] };
    expect(await store.append("a", { entries: [], claim: claim("me", keys) })).toEqual(taken);
    expect(await store.append("a", { entries: [], claim: claim("me", ["gone"]) })).toMatchObject({
      ok: true,
    });

    running.process.kill();
    await running.ended;
    expect(await store.append("a", { entries: [], claim: claim("me", ["running"]) })).toMatchObject({
      ok: true,
    });
    await store.close();
  });

  it("follow the host's own idea of who is alive", async () => {
    const store = createSqliteStore({ path, isOwnerAlive: (owner) => owner !== "dead" });
    await store.append("a", { entries: [], claim: claim("dead", ["k"]) });
    expect(await store.append("a", { entries: [], claim: claim("me", ["k"]) })).toMatchObject({ ok: true });
    expect(await store.append("a", { entries: [], claim: claim("dead", ["k"]) })).toEqual({
      ok: false,
      taken: ["k"],
    });
    await store.close();
  });
});
