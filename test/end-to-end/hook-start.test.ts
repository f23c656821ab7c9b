// The start of `sotto hook` as it is installed: the launcher, the one file, and what was compiled of it before.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { buildHook, createHookWorld, type HookWorld } from "../support/hook-program.ts";

const bin = fileURLToPath(new URL("../../packages/cli/bin", import.meta.url));

let program: string;
let installed: string;
let world: HookWorld;
beforeAll(async () => {
  program = await buildHook();
  installed = join(dirname(program), "package");
  mkdirSync(join(installed, "dist"), { recursive: true });
  cpSync(bin, join(installed, "bin"), { recursive: true });
  cpSync(program, join(installed, "dist", "hook.cjs"));
});
afterAll(() => rmSync(dirname(program), { recursive: true, force: true }));
beforeEach(() => {
  world = createHookWorld(program);
  world.writeConfig('[system_reminder]\ncritical_instruction = "Run the tests."\n');
});
afterEach(() => world.remove());

function call(cache: string, session: string) {
  const event = {
    hook_event_name: "UserPromptSubmit",
    session_id: session,
    cwd: world.cwd,
    prompt: "x",
  };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(installed, "bin/sotto.js"), "hook", "codex"],
    { input: JSON.stringify(event), env: { ...world.env, XDG_CACHE_HOME: cache }, encoding: "utf8" },
  );
  return { status, heard: stdout.includes("Run the tests."), stderr };
}

const well = { status: 0, heard: true, stderr: "" };

test("what was compiled is kept for the next call, and a broken or foreign one is made anew", () => {
  const cache = join(world.cwd, "cache");
  expect(call(cache, "s1")).toEqual(well);
  const [name = ""] = readdirSync(join(cache, "sotto"));
  const file = join(cache, "sotto", name);
  const headOf = () => JSON.parse(readFileSync(file).toString("utf8", 0, readFileSync(file).indexOf(10)));
  const { key } = headOf();
  expect(headOf()).toEqual({ key, runs: 1 });
  expect(call(cache, "s2")).toEqual(well);
  expect(headOf()).toEqual({ key, runs: 2 });
  truncateSync(file, 5000);
  expect(call(cache, "s3")).toEqual(well);
  expect(headOf()).toEqual({ key, runs: 1 });
  writeFileSync(file, '{"key":"another","runs":5}\nwhatever');
  expect(call(cache, "s4")).toEqual(well);
  expect(headOf()).toEqual({ key, runs: 1 });
  expect(readdirSync(join(cache, "sotto"))).toEqual([name]);
});

test("where nothing can be kept it works without", () => {
  expect(call(world.write("no-directory", ""), "s1")).toEqual(well);
});
