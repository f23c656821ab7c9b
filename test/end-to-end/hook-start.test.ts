// The start of `sotto hook` as it is installed: the launcher, the one file, and what was compiled of it before.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";

let installed: string;
let world: HookWorld;
beforeAll(() => {
  const { bin, hook, compiled } = built();
  // Where the library is found.
  installed = mkdtempSync(join(dirname(compiled), "hook-start-"));
  mkdirSync(join(installed, "dist"));
  cpSync(dirname(bin), join(installed, "bin"), { recursive: true });
  cpSync(hook, join(installed, "dist", "hook.cjs"));
});
afterAll(() => rmSync(installed, { recursive: true, force: true }));
beforeEach(() => {
  world = createHookWorld();
  world.writeConfig('[system_reminder]\ncritical_instruction = "Run the tests."\n');
});
afterEach(() => world.remove());

function run(cache: string, session: string) {
  const event = {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    cwd: world.cwd,
    prompt: "x",
  };
  return spawnSync(process.execPath, [join(installed, "bin/sotto.js"), "hook", "codex"], {
    input: JSON.stringify(event),
    env: { ...world.env, XDG_CACHE_HOME: cache },
    encoding: "utf8",
    timeout: 30_000,
  });
}

function call(cache: string, session: string) {
  const { status, stdout, stderr } = run(cache, session);
  return { status, heard: stdout.includes("Run the tests."), stderr };
}

const well = { status: 0, heard: true, stderr: "" };

test("what was compiled is kept for the next call, and a broken or foreign one is made anew", () => {
  const cache = join(world.cwd, "cache");
  expect(call(cache, "s1")).toEqual(well);
  const [name = ""] = readdirSync(join(cache, "sotto"));
  const file = join(cache, "sotto", name);
  const headOf = () => JSON.parse(readFileSync(file).toString("utf8", 0, readFileSync(file).indexOf(10)));
  const { program: sum } = headOf();
  expect(headOf()).toMatchObject({ runs: 1 });
  expect(call(cache, "s2")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 2 });
  truncateSync(file, 5000);
  expect(call(cache, "s3")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 1 });
  writeFileSync(file, '{"program":"another","runs":5}\nwhatever');
  expect(call(cache, "s4")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 1 });
  expect(readdirSync(join(cache, "sotto"))).toEqual([name]);
});

test("bytes that changed on the disk do not end the process: it is made anew", () => {
  const cache = join(world.cwd, "cache");
  call(cache, "s1");
  const [name = ""] = readdirSync(join(cache, "sotto"));
  const file = join(cache, "sotto", name);
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(10) + 200; at < bytes.length; at += 5000) bytes[at] = 255 - (bytes[at] ?? 0);
  writeFileSync(file, bytes);
  expect(call(cache, "s2")).toEqual(well);
  expect(call(cache, "s3")).toEqual(well);
});

test("another program of the same length and time is not run from what was compiled of this one", () => {
  const cache = join(world.cwd, "cache");
  const file = join(installed, "dist", "hook.cjs");
  const source = readFileSync(file, "utf8");
  // As some package managers write every file.
  const time = new Date("1985-10-26T08:15:00Z");
  utimesSync(file, time, time);
  expect(call(cache, "s1")).toEqual(well);
  writeFileSync(file, source.replaceAll("hookSpecificOutput", "hookSpecificAnswer"));
  utimesSync(file, time, time);
  const { stdout } = run(cache, "s2");
  writeFileSync(file, source);
  expect(Object.keys(JSON.parse(stdout))).toEqual(["hookSpecificAnswer"]);
});

test("where nothing can be kept it works without", () => {
  expect(call(world.write("no-directory", ""), "s1")).toEqual(well);
  if (process.platform === "linux") expect(call("/proc", "s2")).toEqual(well);
});
