// The SQLite store where files, directories or mounts are read-only: it can be read, writes fail with one clear code.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canMount, runStoreChild, storeChild } from "../../../../../test/support/store-child.ts";
import { note, numbers } from "../../../../../test/support/store-notes.ts";
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

describe("a store that may not be written", () => {
  /** As a user without rights on the files: root could write everything. */
  const script = () => `
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const store = createSqliteStore({ path: ${JSON.stringify(path)} });
    const read = () => store.read("a", 0).then(({ last }) => last, (error) => error.code);
    say([await read(), await codeOf(store.append("a", { entries: [note(1)] })), await read()]);
    await store.close();`;

  it("is read where neither file nor directory can be written", async () => {
    await filledStore();
    chmodSync(path, 0o444);
    chmodSync(directory, 0o555);
    expect(await runStoreChild(script())).toEqual([[200, "store_read_only", 200]]);
  });

  it("is read where the directory cannot be written while another process has the store open", async () => {
    await filledStore();
    chmodSync(path, 0o644);
    const writer = createSqliteStore({ path });
    await writer.append("a", { entries: [note(1)] });
    for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o444);
    chmodSync(directory, 0o555);
    expect(await runStoreChild(script())).toEqual([[201, "store_read_only", 201]]);
    await writer.close();
  });

  it("is read where only the file cannot be written", async () => {
    await filledStore();
    chmodSync(path, 0o444);
    chmodSync(directory, 0o777);
    expect(await runStoreChild(script())).toEqual([[200, "store_read_only", 200]]);
  });

  it("says what stands in the way where a crash left changes that need writing to be read", async () => {
    await filledStore();
    const crashed = storeChild(`
      const store = createSqliteStore({ path: ${JSON.stringify(path)} });
      await store.append("a", { entries: [note(1)] });
      process.kill(process.pid, "SIGKILL");`);
    await crashed.ended;
    rmSync(`${path}-shm`);
    chmodSync(path, 0o444);
    chmodSync(`${path}-wal`, 0o444);
    chmodSync(directory, 0o555);
    expect(await runStoreChild(script())).toEqual([Array(3).fill("store_read_only")]);
    chmodSync(directory, 0o700);
    chmodSync(path, 0o600);
    chmodSync(`${path}-wal`, 0o600);
    const store = createSqliteStore({ path });
    expect((await store.read("a", 0)).last).toBe(201);
    await store.close();
  });

  it("is not made where the directory cannot be written", async () => {
    chmodSync(directory, 0o555);
    expect(await runStoreChild(script())).toEqual([
      ["store_read_only", "store_read_only", "store_read_only"],
    ]);
  });

  it.skipIf(!canMount())("is read on a read-only mount", async () => {
    await filledStore();
    const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const asRoot = script().replace("=== 0", "=== -1");
    const said = await runStoreChild(asRoot, { wrapper: ["unshare", "-m", "sh", "-c", mount, directory] });
    expect(said).toEqual([[200, "store_read_only", 200]]);
  });

  it.each([
    ["file", 0o777],
    ["file and directory", 0o555],
  ])("works again once its %s may be written", async (_, mode) => {
    await filledStore();
    chmodSync(path, 0o444);
    chmodSync(directory, mode);
    const child = storeChild(`
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); };
      const store = createSqliteStore({ path: ${JSON.stringify(path)} });
      say(await codeOf(store.append("a", { entries: [note(1)] })));
      process.stdin.once("data", async () => {
        say(await codeOf(store.append("a", { entries: [note(2)] })));
        await store.close();
        process.exit();
      });`);
    expect(await child.saying(1)).toEqual(["store_read_only"]);
    chmodSync(path, 0o666);
    chmodSync(directory, 0o777);
    child.tell("go");
    expect(await child.saying(2)).toEqual(["store_read_only", "fine"]);
    await child.ended;
  });
});
