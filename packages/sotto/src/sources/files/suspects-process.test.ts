// What only whole processes show: a blocked event loop, the end of a process, and its beginning.

import { execFile, execFileSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countedWatch, muchLater, statOf } from "../../../../../test/support/watching.ts";
import { createSuspects, type Suspects } from "./suspects.ts";

let root: string;
let suspects: Suspects | undefined;
beforeEach(() => {
  root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sotto-stall-")));
});
afterEach(() => {
  suspects?.close();
  suspects = undefined;
  fs.rmSync(root, { recursive: true });
});

const at = (name: string) => join(root, name);

describe("a blocked event loop", () => {
  it("while so much happens that the kernel drops events: edits are found at the next turn all the same", async () => {
    const { watch, begun } = countedWatch();
    const watching = createSuspects({ watch, now: muchLater, mountTable: () => "" });
    suspects = watching;
    for (let index = 0; index < 2000; index++) {
      const path = at(`${index % 20}/${index}.txt`);
      fs.mkdirSync(at(`${index % 20}`), { recursive: true });
      fs.writeFileSync(path, "filler");
      watching.track(`${index}`, { path, realPath: path, seen: statOf(path) });
    }
    await watching.take();
    await begun(20);
    for (let turn = 0; turn < 8; turn++) expect(await watching.take()).toEqual([]);
    const edited = [5, 505, 1005, 1505, 1995];
    execFileSync(process.execPath, [
      "-e",
      `const fs = require("node:fs");
       const [root, ...edited] = process.argv.slice(1);
       fs.writeFileSync(root + "/0/one", "");
       for (let round = 0; round < 6000; round++) {
         fs.renameSync(root + "/0/one", root + "/0/two");
         fs.renameSync(root + "/0/two", root + "/0/one");
       }
       for (const index of edited) fs.writeFileSync(root + "/" + (index % 20) + "/" + index + ".txt", "edited");
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);`,
      root,
      ...edited.map(String),
    ]);
    expect((await watching.take()).sort()).toEqual(edited.map(String).sort());
  });
});

describe("a process", () => {
  const module = new URL("./suspects.ts", import.meta.url).href;
  const run = async (script: string) => {
    const prelude = `
      import * as fs from "node:fs";
      import { createSuspects } from ${JSON.stringify(module)};
      const places = [];
      const watch = (...parameters) => {
        places.push(parameters[0]);
        return fs.watch(...parameters);
      };
      const suspects = createSuspects({ watch, mountTable: () => "" });
      const path = ${JSON.stringify(at("a"))};
      suspects.track("a", { path, realPath: path, seen: JSON.parse(process.env.SEEN) });
      console.log(JSON.stringify(await suspects.take()));`;
    const parameters = ["--input-type=module", "-e", prelude + script];
    const env = { ...process.env, SEEN: JSON.stringify(seen) };
    const { stdout } = await promisify(execFile)(process.execPath, parameters, { timeout: 300_000, env });
    return stdout.trim().split("\n");
  };
  let seen: ReturnType<typeof statOf>;
  beforeEach(() => {
    fs.writeFileSync(at("a"), "one");
    seen = statOf(at("a"));
  });

  it("that watches and has nothing else to do ends by itself", async () => {
    const said = await run(`
      while (places.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      fs.writeFileSync(path, "other");
      console.log(JSON.stringify(await suspects.take()));`);
    expect(said).toEqual(["[]", '["a"]']);
  });

  it("that lives for one call watches nothing, and finds what changed before it began", async () => {
    const said = await run(`process.on("exit", () => console.log(places.length));`);
    expect(said).toEqual(["[]", "0"]);
    fs.writeFileSync(at("a"), "other");
    expect(await run("")).toEqual(['["a"]']);
    fs.rmSync(at("a"));
    expect(await run("")).toEqual(['["a"]']);
  });
});
