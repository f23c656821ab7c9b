// Where no event comes: watching is off, impossible, lost or not trusted.

import { EventEmitter } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countedWatch, muchLater, statOf } from "../../../../../test/support/watching.ts";
import { createSuspects, type Suspects, type SuspectsOptions } from "./suspects.ts";

let root: string;
let suspects: Suspects;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-unwatched-")));
});
afterEach(() => {
  suspects.close();
  fs.rmSync(root, { recursive: true });
});

const pathOf = (index: number) => join(root, `${index}.txt`);
/** Files 0 to count - 1, already looked at once. */
const start = async (count: number, options: SuspectsOptions) => {
  suspects = createSuspects({ now: muchLater, mountTable: () => "", ...options });
  for (let index = 0; index < count; index++) {
    const path = pathOf(index);
    fs.writeFileSync(path, "filler");
    suspects.track(`${index}`, { path, realPath: path, seen: statOf(path) });
  }
  expect(await suspects.take()).toEqual([]);
};
const edit = (...indices: number[]) => {
  for (const index of indices) fs.writeFileSync(pathOf(index), "not as it was");
};
const between = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
/** What so many turns find. */
const found = async (turns: number, msBetween = 0) => {
  const keys = new Set<string>();
  for (let turn = 0; turn < turns; turn++) {
    await between(msBetween);
    for (const key of await suspects.take()) keys.add(key);
  }
  return [...keys].sort((one, other) => Number(one) - Number(other));
};
/** On a mount a turn looks for a quarter of a second: on a busy machine it takes some of them to have looked at all. */
const foundSoon = async () => {
  let keys = await found(1);
  while (keys.length === 0) keys = await found(1);
  return keys;
};
const fails = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};
/** A watcher that never says anything. */
const mute = () => {
  const opened: (EventEmitter & { close(): void })[] = [];
  const watch = () => {
    const watcher = Object.assign(new EventEmitter(), { close() {} });
    opened.push(watcher);
    return watcher as unknown as fs.FSWatcher;
  };
  return { watch, opened };
};

describe("edits without events", () => {
  it("are found within ⌈1000 / 300⌉ turns where watching is off, wherever the round is", async () => {
    await start(1000, { watch: false });
    for (const index of [0, 250, 500, 750, 999]) {
      edit(index);
      expect(await found(4)).toContain(`${index}`);
    }
  });

  it("are found at the next turn among at most 300 files", async () => {
    await start(300, { watch: false });
    edit(0, 150, 299);
    expect(await found(1)).toEqual(["0", "150", "299"]);
  });

  it("are found within ⌈1000 / 300⌉ turns when there is time between turns, and when there is none", async () => {
    await start(1000, { watch: false });
    await between(60);
    edit(3, 333, 666, 998);
    expect(await found(4, 30)).toEqual(["3", "333", "666", "998"]);
    edit(4, 334, 667, 999);
    expect(await found(4)).toHaveLength(8);
  });

  it("are found within ⌈1000 / 300⌉ turns where watching fails for want of room", async () => {
    await start(1000, { watch: fails("ENOSPC") });
    await between(60);
    edit(0, 500, 999);
    expect(await found(4)).toEqual(["0", "500", "999"]);
  });

  it("are found within ⌈1000 / 300⌉ turns where the watcher keeps silent", async () => {
    const { watch } = mute();
    await start(1000, { watch });
    await between(60);
    edit(0, 500, 999);
    expect(await found(4, 30)).toEqual(["0", "500", "999"]);
  });

  it("are found within ⌈1000 / 300⌉ turns where nothing can run between turns", async () => {
    const { watch, opened } = mute();
    await start(1000, { watch });
    while (opened.length === 0) await between(5);
    expect(await found(1, 100)).toEqual([]);
    edit(0, 500, 999);
    for (let turn = 0; turn < 3; turn++) {
      block(60);
      await suspects.take();
    }
    block(60);
    expect((await suspects.take()).sort()).toEqual(["0", "500", "999"]);
  });

  it("are found at the next turn after the watcher died", async () => {
    const { watch, opened } = mute();
    await start(1000, { watch });
    while (opened.length === 0) await between(5);
    expect(await found(1, 100)).toEqual([]);
    edit(0, 500, 999);
    opened[0]?.emit("error", new Error("EBADF"));
    expect(await found(1)).toEqual(["0", "500", "999"]);
  });

  it("watching is tried again, and takes over where it works", async () => {
    let refusals = 3;
    const { watch, begun } = countedWatch(() => {
      if (refusals-- > 0) throw new Error("ENOSPC");
    });
    await start(1000, { watch });
    while (refusals > 0) await found(1, 5);
    await found(1, 5);
    await begun(1);
    edit(0, 500, 999);
    expect(await found(4, 30)).toEqual(["0", "500", "999"]);
  });

  it("nothing changed: few looks in a turn, and no directory is watched twice", async () => {
    let looks = 0;
    const { watch, begun, places } = countedWatch();
    const statSync = (path: string) => {
      looks++;
      return fs.statSync(path, { throwIfNoEntry: false });
    };
    // A clock that stands still: no stall on a slow machine.
    await start(2000, { watch, statSync, clock: () => 0 });
    await begun(1);
    await suspects.take();
    for (let turn = 0; turn < 5; turn++) {
      await new Promise(setImmediate);
      looks = 0;
      await suspects.take();
      // No step between turns falls into this one.
      expect(looks).toBeLessThanOrEqual(32);
    }
    expect(places).toEqual([root]);
  });

  it("what cannot be told now is told later", async () => {
    let isBroken = false;
    const statSync = (path: string) => {
      if (isBroken) throw Object.assign(new Error("EACCES"), { code: "EACCES" });
      return fs.statSync(path, { throwIfNoEntry: false });
    };
    await start(10, { watch: false, statSync });
    edit(5);
    isBroken = true;
    expect(await found(1)).toEqual([]);
    isBroken = false;
    expect(await found(1)).toEqual(["5"]);
  });

  it("a turn that is out of time gives what it has, and the next one goes on", async () => {
    await start(100, { watch: false });
    edit(7);
    expect(await suspects.take(AbortSignal.abort())).toEqual([]);
    expect(await suspects.take()).toEqual(["7"]);
  });
});

describe("files on network mounts", () => {
  const table = (type: string) =>
    `1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:40 / ${root} rw - ${type} server:/share rw\n`;

  it("are looked at through the reader only, a hundred a turn, and never watched", async () => {
    const { watch, places } = countedWatch();
    const looks: string[] = [];
    const reader = {
      async stat(path: string) {
        looks.push(path);
        return { kind: "file" as const, stat: statOf(path) };
      },
    };
    const statSync = (path: string): never => {
      throw new Error(`${path} must not be touched`);
    };
    await start(250, { watch, reader, statSync, clock: () => 0, mountTable: () => table("nfs4") });
    expect(looks).toHaveLength(100);
    await between(60);
    edit(0, 120, 249);
    expect(await found(3)).toEqual(["0", "120", "249"]);
    expect(looks).toHaveLength(400);
    expect(places).toEqual([]);
  });

  it("are left alone when the mount does not answer, and the turn ends in time", async () => {
    let isDead = false;
    let looks = 0;
    const reader = {
      stat(path: string, { signal }: { signal?: AbortSignal | undefined } = {}) {
        looks++;
        if (!isDead) return Promise.resolve({ kind: "file" as const, stat: statOf(path) });
        return new Promise<{ kind: "unreadable"; why: string }>((resolve) => {
          signal?.addEventListener("abort", () => resolve({ kind: "unreadable", why: "aborted" }));
        });
      },
    };
    await start(50, { reader, mountTable: () => table("fuse.sshfs") });
    edit(20);
    isDead = true;
    looks = 0;
    expect(await suspects.take(AbortSignal.timeout(20))).toEqual([]);
    expect(looks).toBe(1);
    isDead = false;
    expect(await suspects.take()).toEqual(["20"]);
  });

  it("are found missing with the reader there is by default", async () => {
    await start(50, { mountTable: () => table("cifs") });
    fs.rmSync(pathOf(30));
    expect(await foundSoon()).toEqual(["30"]);
  });

  it("are watched when the mount has become a local one, and no longer when it was one", async () => {
    const { watch, begun, open } = countedWatch();
    let type = "9p";
    await start(10, { watch, mountTable: () => table(type) });
    type = "ext4";
    await suspects.take();
    await begun(1);
    expect(open.size).toBe(1);
    type = "ceph";
    await suspects.take();
    while (open.size > 0) await between(5);
    edit(3);
    expect(await foundSoon()).toEqual(["3"]);
  });
});
