// Directories that come and go, and links that lead elsewhere.

import * as fs from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seeded } from "../../../../../test/support/seeded.ts";
import { openYard, type Yard } from "../../../../../test/support/suspects-yard.ts";
import { countedWatch } from "../../../../../test/support/watching.ts";

// Elsewhere events take their time.
const itOnLinux = it.runIf(process.platform === "linux");

let yard: Yard;
beforeEach(() => {
  yard = openYard();
});
afterEach(() => yard.close());

describe("directories and links", () => {
  itOnLinux(
    "a directory that was moved away and replaced: its files are suspects, and the new one is watched",
    async () => {
      const { watch, begun } = countedWatch();
      yard.start({ watch });
      yard.fill("x", 3);
      yard.fill("y", 400);
      await yard.suspects.take();
      await begun(2);
      await yard.settle(3);
      fs.renameSync(yard.at("x"), yard.at("away"));
      fs.mkdirSync(yard.at("x"));
      yard.write("x/0.txt", "another");
      expect((await yard.suspects.take()).sort()).toEqual(["x/0.txt", "x/1.txt", "x/2.txt"]);
      for (const name of ["x/0.txt", "x/1.txt", "x/2.txt"]) yard.verify(name);
      await begun(3);
      await yard.settle(3);
      yard.write("x/0.txt", "once more");
      yard.write("x/2.txt", "back");
      expect((await yard.suspects.take()).sort()).toEqual(["x/0.txt", "x/2.txt"]);
    },
  );

  itOnLinux("a directory that is gone is watched again when it is back", async () => {
    const { watch, begun } = countedWatch();
    yard.start({ watch });
    yard.fill("x", 1);
    yard.fill("y", 400);
    await yard.suspects.take();
    await begun(2);
    fs.rmSync(yard.at("x"), { recursive: true });
    await yard.settle(3);
    fs.mkdirSync(yard.at("x"));
    await yard.suspects.take();
    await begun(3);
    await yard.settle(3);
    yard.write("x/0.txt", "back");
    expect(await yard.suspects.take()).toEqual(["x/0.txt"]);
  });

  it("what happens further up is found without an event, and the right directory is watched again", async () => {
    const { watch, begun, places } = countedWatch();
    yard.start({ watch });
    for (let directory = 0; directory < 120; directory++) yard.fill(`${directory}`, 1);
    yard.fill("top/x", 2);
    await yard.suspects.take();
    await begun(121);
    fs.renameSync(yard.at("top"), yard.at("away"));
    fs.mkdirSync(yard.at("top/x"), { recursive: true });
    yard.write("top/x/0.txt", "another");
    expect((await yard.suspects.take()).sort()).toEqual(["top/x/0.txt", "top/x/1.txt"]);
    for (const name of ["top/x/0.txt", "top/x/1.txt"]) yard.verify(name);
    await begun(122);
    expect(places.at(-1)).toBe(yard.at("top/x"));
  });

  itOnLinux("a link that leads elsewhere is a suspect, and so is then what it leads to", async () => {
    const { watch, begun } = countedWatch();
    yard.start({ watch });
    for (const name of ["one", "two", "links"]) fs.mkdirSync(yard.at(name));
    yard.write("one/a", "1");
    yard.write("two/a", "2");
    fs.symlinkSync(yard.at("one/a"), yard.at("links/a"));
    yard.fill("y", 400);
    yard.track("links/a");
    await yard.suspects.take();
    await begun(3);
    await yard.settle(3);
    yard.write("one/a", "edited");
    expect(await yard.suspects.take()).toEqual(["links/a"]);
    yard.verify("links/a");
    fs.rmSync(yard.at("links/a"));
    fs.symlinkSync(yard.at("two/a"), yard.at("links/a"));
    expect(await yard.suspects.take()).toEqual(["links/a"]);
    yard.verify("links/a");
    await yard.suspects.take();
    await begun(4);
    await yard.settle(3);
    yard.write("two/a", "edited");
    expect(await yard.suspects.take()).toEqual(["links/a"]);
  });

  it("whatever happens, nothing is missed for longer than promised", async () => {
    yard.start({ now: Date.now });
    yard.fill("filler", 400);
    const random = seeded(7);
    const names = ["p", "q", "r"].flatMap((directory) =>
      Array.from({ length: 8 }, (_, index) => `d/${directory}/${index}`),
    );
    for (const name of names) {
      fs.mkdirSync(join(yard.at(name), ".."), { recursive: true });
      yard.write(name, "start");
      yard.track(name);
    }
    const contentOf = (name: string) => {
      try {
        return fs.readFileSync(yard.at(name), "utf8");
      } catch {
        return undefined;
      }
    };
    const known = new Map(names.map((name) => [name, contentOf(name)]));
    const disturb = (name: string, content: string) => {
      const directory = join(yard.at(name), "..");
      const kind = random.pick(["write", "write", "replace", "remove", "move", "moveTop", "link", "rewrite"]);
      fs.mkdirSync(directory, { recursive: true });
      if (kind === "move") fs.renameSync(directory, yard.at(`aside-${content}`));
      if (kind === "moveTop") fs.renameSync(yard.at("d"), yard.at(`aside-${content}`));
      if (kind === "remove") fs.rmSync(yard.at(name), { force: true });
      fs.mkdirSync(directory, { recursive: true });
      if (kind === "write") yard.write(name, content);
      if (kind === "replace") yard.replace(name, content);
      if (kind === "rewrite")
        for (const one of names) if (fs.existsSync(yard.at(one))) yard.write(one, content);
      if (kind === "link") {
        yard.write(`target-${content}`, content);
        fs.rmSync(yard.at(name), { force: true });
        fs.symlinkSync(yard.at(`target-${content}`), yard.at(name));
      }
    };
    for (let round = 0; round < 60; round++) {
      for (let count = random.pick([0, 1, 1, 3]); count > 0; count--)
        disturb(random.pick(names), `${round}-${count}`);
      // 424 files: two turns, with some time between them.
      for (let turn = 0; turn < 2; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        for (const key of await yard.suspects.take()) {
          yard.verify(key);
          known.set(key, contentOf(key));
        }
      }
      const missed = names.filter((name) => known.get(name) !== contentOf(name));
      expect({ round, missed }).toEqual({ round, missed: [] });
    }
  });
});
