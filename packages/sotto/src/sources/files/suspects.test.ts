import * as fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openYard, type Yard } from "../../../../../test/support/suspects-yard.ts";
import { clockTick, countedWatch, statOf } from "../../../../../test/support/watching.ts";

// Elsewhere events take their time.
const itOnLinux = it.runIf(process.platform === "linux");

let yard: Yard;
beforeEach(() => {
  yard = openYard();
});
afterEach(() => yard.close());

const changes: Record<string, (name: string) => void> = {
  "edited in place": (name) => yard.write(name, "other"),
  "edited, with as many bytes and the old time": (name) => {
    const { atimeMs, mtimeMs } = fs.statSync(yard.at(name));
    yard.write(name, "eno");
    fs.utimesSync(yard.at(name), atimeMs / 1000, mtimeMs / 1000);
  },
  "saved by renaming over it, twice": (name) => {
    yard.replace(name, "two");
    yard.replace(name, "three");
  },
  deleted: (name) => fs.rmSync(yard.at(name)),
  "deleted and made again": (name) => {
    fs.rmSync(yard.at(name));
    yard.write(name, "again");
  },
  touched: (name) => fs.utimesSync(yard.at(name), 1000, 1000),
  "given other rights": (name) => fs.chmodSync(yard.at(name), 0o600),
};

describe("suspects", () => {
  for (const [what, change] of Object.entries(changes)) {
    itOnLinux(`a file that was ${what} is found by its event alone, until it is verified`, async () => {
      const { watch, begun } = countedWatch();
      const first = new Map<string, fs.Stats | undefined>();
      // Sees every file as it once was.
      const statSync = (path: string) => {
        if (!path.endsWith(".ts")) return fs.statSync(path, { throwIfNoEntry: false });
        if (!first.has(path)) first.set(path, fs.statSync(path, { throwIfNoEntry: false }));
        return first.get(path);
      };
      yard.start({ watch, statSync });
      for (const name of ["a.ts", "b.ts"]) {
        yard.write(name, "one");
        yard.track(name);
      }
      expect(await yard.suspects.take()).toEqual([]);
      await begun(1);
      expect(await yard.suspects.take()).toEqual([]);
      change("a.ts");
      expect(await yard.suspects.take()).toEqual(["a.ts"]);
      expect(await yard.suspects.take()).toEqual(["a.ts"]);
      yard.suspects.verified("a.ts", first.get(yard.at("a.ts")));
      expect(await yard.suspects.take()).toEqual([]);
    });

    it(`a file that was ${what} is found by looking alone, until it is verified`, async () => {
      yard.start({ watch: false });
      for (const name of ["a.ts", "b.ts"]) {
        yard.write(name, "one");
        yard.track(name);
      }
      expect(await yard.suspects.take()).toEqual([]);
      await clockTick(yard.root);
      change("a.ts");
      expect(await yard.suspects.take()).toEqual(["a.ts"]);
      expect(await yard.suspects.take()).toEqual(["a.ts"]);
      yard.verify("a.ts");
      expect(await yard.suspects.take()).toEqual([]);
    });
  }

  it("what was read unseen, or too soon, or is missing is a suspect once", async () => {
    yard.start({ watch: false });
    for (const name of ["unseen", "racy", "missing", "plain"]) yard.write(name, "one");
    yard.suspects.track("unseen", { path: yard.at("unseen"), realPath: yard.at("unseen") });
    yard.suspects.track("racy", {
      path: yard.at("racy"),
      realPath: yard.at("racy"),
      seen: statOf(yard.at("racy")),
      racy: true,
    });
    yard.track("missing");
    yard.track("plain");
    fs.rmSync(yard.at("missing"));
    expect((await yard.suspects.take()).sort()).toEqual(["missing", "racy", "unseen"]);
    for (const name of ["unseen", "racy", "missing"]) yard.verify(name);
    expect(await yard.suspects.take()).toEqual([]);
    yard.write("missing", "one");
    expect(await yard.suspects.take()).toEqual(["missing"]);
  });

  it("what was read right after its change is a suspect once more, and then no longer", async () => {
    let time = 0;
    yard.start({ watch: false, now: () => time });
    yard.write("a", "one");
    yard.track("a");
    yard.write("a", "two more");
    time = Math.ceil(statOf(yard.at("a")).ctimeMs);
    expect(await yard.suspects.take()).toEqual(["a"]);
    yard.verify("a");
    time += 1000 * 60;
    expect(await yard.suspects.take()).toEqual(["a"]);
    yard.verify("a");
    expect(await yard.suspects.take()).toEqual([]);
  });

  itOnLinux(
    "who is kept, or was stirred while looked at, stays a suspect; who is untracked does not",
    async () => {
      const { watch, begun } = countedWatch();
      yard.start({ watch });
      for (const name of ["kept", "stirred", "untracked"]) {
        yard.write(name, "one");
        yard.track(name);
      }
      await yard.suspects.take();
      await begun(1);
      for (const name of ["kept", "stirred", "untracked"]) yard.write(name, "two");
      expect((await yard.suspects.take()).sort()).toEqual(["kept", "stirred", "untracked"]);
      yard.suspects.keep("kept");
      yard.write("stirred", "three");
      await new Promise(setImmediate);
      await new Promise(setImmediate);
      // Who knows whether its event came before or after it was read.
      yard.verify("stirred");
      yard.suspects.untrack("untracked");
      expect((await yard.suspects.take()).sort()).toEqual(["kept", "stirred"]);
    },
  );

  itOnLinux("a file tracked anew is known by what it is now; said once more, it is no news", async () => {
    const { watch, begun } = countedWatch();
    yard.start({ watch });
    yard.write("a", "one");
    yard.track("a");
    const before = statOf(yard.at("a"));
    await yard.suspects.take();
    await begun(1);
    yard.write("a", "two more");
    expect(await yard.suspects.take()).toEqual(["a"]);
    yard.suspects.track("a", { path: yard.at("a"), realPath: yard.at("a"), seen: before });
    expect(await yard.suspects.take()).toEqual(["a"]);
    yard.track("a");
    expect(await yard.suspects.take()).toEqual([]);
  });

  it("one watcher a directory, closed with its last file, and all of them at the end", async () => {
    const { watch, begun, open, places } = countedWatch();
    yard.start({ watch });
    yard.fill("x", 50);
    yard.fill("y", 50);
    await yard.suspects.take();
    expect(places).toEqual([]);
    await begun(2);
    expect(places.sort()).toEqual([yard.at("x"), yard.at("y")]);
    for (let index = 0; index < 50; index++) yard.suspects.untrack(`x/${index}.txt`);
    await new Promise(setImmediate);
    expect(open.size).toBe(1);
    yard.suspects.close();
    await new Promise(setImmediate);
    expect(open.size).toBe(0);
    expect(await yard.suspects.take()).toEqual([]);
  });

  it("an edit before any watcher has begun is found at once", async () => {
    yard.start();
    yard.fill("x", 1200);
    await yard.suspects.take();
    yard.write("x/1100.txt", "not as it was");
    expect(await yard.suspects.take()).toEqual(["x/1100.txt"]);
  });

  it("a brief process looks at all files in its turn, and begins nothing for the time after it", async () => {
    // Not setImmediate: a turn on a slow machine breathes by it.
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
    try {
      const { watch, places } = countedWatch();
      yard.start({ watch, isBrief: true });
      yard.fill("x", 1200);
      yard.write("x/1100.txt", "not as it was");
      expect(await yard.suspects.take()).toEqual(["x/1100.txt"]);
      expect([vi.getTimerCount(), places]).toEqual([0, []]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("an edit between the first look and the beginning of the watcher is not missed", async () => {
    let edit = () => {};
    const { watch, begun } = countedWatch(() => edit());
    yard.start({ watch });
    yard.fill("x", 700);
    await yard.suspects.take();
    edit = () => yard.write("x/350.txt", "edited");
    await begun(1);
    expect(await yard.suspects.take()).toEqual(["x/350.txt"]);
  });

  itOnLinux("five edits among two thousand are found at once", async () => {
    const { watch, begun } = countedWatch();
    yard.start({ watch });
    for (let directory = 0; directory < 20; directory++) yard.fill(`${directory}`, 100);
    await yard.suspects.take();
    await begun(20);
    await yard.settle(3);
    const edited = ["0/0.txt", "3/99.txt", "7/50.txt", "12/1.txt", "19/98.txt"];
    for (const name of edited) yard.write(name, "edited");
    expect((await yard.suspects.take()).sort()).toEqual(edited.sort());
  });
});
