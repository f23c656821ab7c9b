// The start of `sotto hook` as it is installed: the launcher, the one file, and what was compiled of it before.

import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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

const name = `hook-${process.version}-${process.arch}.bin`;

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
    timeout: 300_000,
  });
}

function call(cache: string, session: string) {
  const { status, stdout, stderr } = run(cache, session);
  return { status, heard: stdout.includes("Run the tests."), stderr };
}

/** Where the compiled code starts, which is there twice. */
function dataIn(bytes: Buffer): number {
  const start = bytes.indexOf(10) + 1;
  return start + JSON.parse(bytes.toString("utf8", 0, start)).program;
}

function damage(bytes: Buffer): void {
  const from = dataIn(bytes);
  for (let at = from + 200; at < (from + bytes.length) / 2; at += 5000) bytes[at] = 255 - (bytes[at] ?? 0);
}

const well = { status: 0, heard: true, stderr: "" };

test("what was compiled is kept for the next call, and a broken or foreign one is made anew", () => {
  const cache = join(world.cwd, "cache");
  expect(call(cache, "s1")).toEqual(well);
  const file = join(cache, "sotto", name);
  const headOf = () => JSON.parse(readFileSync(file).toString("utf8", 0, readFileSync(file).indexOf(10)));
  const { program: sum } = headOf();
  expect(headOf()).toMatchObject({ runs: 1 });
  expect(call(cache, "s2")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 2 });
  truncateSync(file, 5000);
  expect(call(cache, "s3")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 1 });
  writeFileSync(file, '{"program":4,"runs":5}\nwhatever');
  expect(call(cache, "s4")).toEqual(well);
  expect(headOf()).toMatchObject({ program: sum, runs: 1 });
  expect(readdirSync(join(cache, "sotto"))).toEqual([name]);
});

test("bytes that changed on the disk do not end the process: it is made anew", () => {
  const cache = join(world.cwd, "cache");
  call(cache, "s1");
  const file = join(cache, "sotto", name);
  const bytes = readFileSync(file);
  damage(bytes);
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

test("what was compiled with other flags is removed, so that the next call starts from what came with the package", () => {
  const { hook } = built();
  const copy = join(installed, "dist", name);
  const cache = join(world.cwd, "cache");
  const file = join(cache, "sotto", name);
  world.env.NODE_OPTIONS = "--stack-trace-limit=50";
  expect(call(cache, "s1")).toEqual(well);
  expect(existsSync(file)).toBe(true);
  cpSync(join(dirname(hook), name), copy);
  delete world.env.NODE_OPTIONS;
  expect(call(cache, "s2")).toEqual(well);
  expect(existsSync(file)).toBe(false);
  rmSync(copy);
});

test("the package comes with what its build compiled: the first call starts from that and keeps nothing", () => {
  const { hook } = built();
  const shipped = join(dirname(hook), name);
  const copy = join(installed, "dist", name);
  const cache = join(world.cwd, "cache");
  cpSync(shipped, copy);
  expect(call(cache, "s1")).toEqual(well);
  expect(existsSync(cache)).toBe(false);
  const bytes = readFileSync(shipped);
  damage(bytes);
  writeFileSync(copy, bytes);
  expect(call(cache, "s2")).toEqual(well);
  expect(readdirSync(join(cache, "sotto"))).toEqual([name]);
  rmSync(copy);
});

test("what was compiled by another version of V8 is not used", () => {
  const cache = join(world.cwd, "cache");
  const file = join(cache, "sotto", name);
  call(cache, "s1");
  const bytes = readFileSync(file);
  const end = dataIn(bytes);
  // The second word of V8's own header is its version.
  for (const at of [end, (end + bytes.length) / 2])
    bytes.writeUInt32LE((bytes.readUInt32LE(at + 4) ^ 1) >>> 0, at + 4);
  writeFileSync(file, bytes);
  expect(call(cache, "s2")).toEqual(well);
  const now = readFileSync(file);
  expect(JSON.parse(now.toString("utf8", 0, now.indexOf(10)))).toMatchObject({ runs: 1 });
});

test("sotto init compiles it if the package did not, and calls then keep nothing more", () => {
  const cache = join(world.cwd, "cache");
  const file = join(cache, "sotto", name);
  const compile = () =>
    spawnSync(process.execPath, [join(installed, "bin/compile-hook.js")], {
      env: { ...world.env, XDG_CACHE_HOME: cache },
      encoding: "utf8",
    });
  expect(compile()).toMatchObject({ status: 0, stdout: "", stderr: "" });
  const bytes = readFileSync(file);
  expect(call(cache, "s1")).toEqual(well);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const { mtimeMs } = statSync(file);
  expect(compile().status).toBe(0);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
});

test("the program has only ASCII, so that its text can be read as Latin-1", () => {
  expect(readFileSync(built().hook).every((byte) => byte < 0x80)).toBe(true);
});

test("where nothing can be kept it works without", () => {
  expect(call(world.write("no-directory", ""), "s1")).toEqual(well);
  if (process.platform === "linux") expect(call("/proc", "s2")).toEqual(well);
});
