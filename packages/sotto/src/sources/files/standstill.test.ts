import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createStandstill, type Standstill } from "./standstill.ts";

let root: string;
let isMountDead: boolean;
let still: Standstill<string>;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-still-")));
  fs.mkdirSync(at("box"));
  fs.writeFileSync(at("box/a"), "one");
  // So long ago that no change can hide behind a tick of the clock.
  settle("box", "box/a");
  isMountDead = false;
  still = createStandstill({
    mayBlock: (...paths) => isMountDead || paths.some((path) => /remote/u.test(path)),
  });
});
afterEach(() => fs.rmSync(root, { recursive: true }));

const at = (path: string) => join(root, path);
/** Waits until the last change of these is older than a tick of the file system's clock. */
function settle(...names: string[]) {
  const latest = Math.max(...names.map((name) => fs.statSync(at(name)).ctimeMs));
  const tick = latest % 1000 === 0 ? 2200 : 100;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, latest + tick - Date.now()));
}
const paths = () => [at("box"), at("box/a"), at("box/none"), at("nowhere/at/all")];
const look = async (...given: string[]) => {
  const asked = given.length === 0 ? paths() : given;
  still.keep(await still.before(asked), "nothing");
  return still.answer(asked);
};

it("gives the answer again while everything looks the same", async () => {
  expect(still.answer(paths())).toBeUndefined();
  expect(await look()).toBe("nothing");
  expect(still.answer(paths())).toBe("nothing");
  expect(still.answer([at("box")])).toBeUndefined();
});

it.each<[string, () => void]>([
  ["an edit", () => fs.writeFileSync(at("box/a"), "other")],
  ["a file that was missing", () => fs.writeFileSync(at("box/none"), "")],
  ["a path that was missing", () => fs.mkdirSync(at("nowhere/at/all"), { recursive: true })],
  ["a file that is gone", () => fs.rmSync(at("box/a"))],
  [
    "another directory in its place",
    () => {
      fs.renameSync(at("box"), at("old"));
      fs.mkdirSync(at("box"));
    },
  ],
  [
    "a mount that may not respond",
    () => {
      isMountDead = true;
    },
  ],
])("forgets it after %s", async (_, change) => {
  expect(await look()).toBe("nothing");
  change();
  expect(still.answer(paths())).toBeUndefined();
  isMountDead = false;
  expect(still.answer(paths())).toBeUndefined();
});

it("keeps nothing about links that lead nowhere, and links to a network mount", async () => {
  fs.symlinkSync(at("no/such/place"), at("dangling"));
  expect(await look(at("dangling"))).toBeUndefined();
  expect(await look(at("dangling/below"))).toBeUndefined();
  fs.mkdirSync(at("remote"));
  fs.symlinkSync(at("remote"), at("link"));
  expect(await look(at("link/none"))).toBeUndefined();
});
