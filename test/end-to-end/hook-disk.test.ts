// `sotto hook` where nothing can be written: what is lost is little, and `sotto doctor` says so.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { sottoHere } from "../../packages/cli/test/run-sotto.ts";
import { createHookWorld, type HookWorld } from "../support/hook-program.ts";
import { canMount } from "../support/store-child.ts";

let world: HookWorld;
beforeEach(() => {
  world = createHookWorld();
});
afterEach(() => world.remove());

const event = (hook_event_name: string, more: Record<string, unknown> = {}) => ({
  ...{ hook_event_name, session_id: "s1", cwd: world.cwd },
  ...more,
});
const prompt = () => event("UserPromptSubmit", { prompt: "x" });
const read = (path: string) =>
  event("PostToolUse", { tool_name: "read_file", tool_input: { file_path: path }, tool_use_id: path });

interface Line {
  about: string;
  status: string;
  words: string;
  fix?: string;
}
const linesIn = (stdout: string, about: string) =>
  (JSON.parse(stdout).findings as Line[]).filter((one) => one.about === about);

describe("a full disk", () => {
  // Calls in a file system of their own, which ends with them.
  test.skipIf(!canMount())("keeps what the agent does meanwhile, and the reason", async () => {
    const a = world.write("a.ts", "one\n");
    const b = world.write("b.ts", "one\n");
    const edit = { tool_name: "edit", tool_input: { file_path: a, old_string: "one", new_string: "two" } };
    const events = {
      prompt: prompt(),
      "read-a": read(a),
      "read-b": read(b),
      large: { ...read(b), tool_use_id: "2", tool_response: "x".repeat(200_000) },
      before: event("PreToolUse", { ...edit, tool_use_id: "1" }),
      edited: event("PostToolUse", { ...edit, tool_use_id: "1", tool_response: {} }),
    };
    const state = dirname(world.state);
    const out = join(dirname(world.cwd), "out");
    mkdirSync(state);
    mkdirSync(out);
    for (const [name, one] of Object.entries(events))
      writeFileSync(join(out, `${name}.json`), JSON.stringify(one));
    const script = `
      hook() { "$NODE" "$BIN" hook qwen-code < "$OUT/$1.json"; }
      mount -t tmpfs -o size=1m tmpfs "$STATE" || exit 9
      hook prompt; hook read-a
      dd if=/dev/zero of="$STATE/fill" bs=4096 2> /dev/null
      hook read-b; hook before; echo two > "$A"; hook edited; hook large
      "$NODE" "$BIN" doctor --json > "$OUT/doctor"; echo $? > "$OUT/code"
      cp "$STATE/sotto/hook.log" "$OUT/log"
      rm "$STATE/fill"
      hook prompt > "$OUT/own"
      echo more >> "$B"
      hook prompt > "$OUT/told"
      "$NODE" "$BIN" doctor --json > "$OUT/doctor-after"; echo $? >> "$OUT/code"
      ls "$STATE/sotto/sotto.db-waiting" > "$OUT/waiting"
      ls "$STATE/sotto" > "$OUT/beside"`;
    const env = {
      ...{ ...world.env, NODE: process.execPath, BIN: built().bin },
      ...{ STATE: state, OUT: out, A: a, B: b },
    };
    const ran = spawnSync("unshare", ["-m", "sh", "-c", script], { env, cwd: world.cwd });
    expect({ code: ran.status, stderr: ran.stderr.toString() }).toEqual({ code: 0, stderr: "" });
    const said = (name: string) => readFileSync(join(out, name), "utf8");

    expect(said("log").match(/disk is full.*the event is kept for the next call/gu)).toHaveLength(3);
    expect(said("log").match(/disk is full.*the event could not be kept/gu)).toHaveLength(1);
    expect(said("code")).toBe("1\n0\n");
    const full = { status: "problem", words: expect.stringContaining("is full"), fix: "free some space" };
    expect(linesIn(said("doctor"), "store")).toMatchObject([full]);
    expect(linesIn(said("doctor"), "hook calls")).toMatchObject([
      full,
      { status: "problem", words: expect.stringContaining("1 event could not be kept") },
      { words: "3 events will be recorded with the next call" },
      { status: "warning", words: expect.stringContaining("4 problems in") },
    ]);
    expect(linesIn(said("doctor-after"), "hook calls")).toMatchObject([
      {
        status: "warning",
        words: expect.stringMatching(/^5 problems in.*of earlier events, 1 could not be kept/u),
      },
    ]);
    expect(said("own")).toBe("");
    expect(said("told")).toContain("+ more");
    expect(said("waiting")).toBe("");
    expect(said("beside")).toContain("sotto.db-reserve\n");
  });

  test("some space is held for it, by the first call that goes well", async () => {
    await world.call("qwen-code", prompt());
    const { size, mode } = statSync(`${world.store}-reserve`);
    expect({ size, mode: mode & 0o777 }).toEqual({ size: 64 * 1024, mode: 0o600 });
  });

  test("calls that could not even be kept are named, by doctor and then in the log", async () => {
    await world.call("qwen-code", prompt());
    const waiting = `${world.store}-waiting`;
    mkdirSync(waiting);
    for (const process of [4194304, 4194305])
      writeFileSync(join(waiting, `1794979567492-0000-${process}-mwlohmdh.json.new`), "");
    const doctor = await sottoHere(["doctor", "--json", "--cwd", world.cwd], { env: world.env });
    expect(doctor.code).toBe(1);
    const words = "2 events could not be kept: the agent may be told of its own changes";
    expect(linesIn(doctor.stdout, "hook calls")).toMatchObject([{ status: "problem", words }]);
    await world.call("qwen-code", prompt());
    expect(readdirSync(waiting)).toEqual([]);
    expect(readFileSync(join(world.state, "hook.log"), "utf8")).toContain(
      "of earlier events, 2 could not be kept",
    );
  });
});

// Root could write everything.
const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
const canBeOther = () => spawnSync(process.execPath, [built().bin, "--version"], other).status === 0;

const whereOthersRunIt = canBeOther()
  ? describe
  : () =>
      console.warn("Not shown here: a read-only state directory, as no other user can run this checkout.");

whereOthersRunIt("a state directory that is read-only", () => {
  const sotto = (args: string[], input = "") =>
    spawnSync(process.execPath, [built().bin, ...args], {
      ...{ env: world.env, cwd: world.cwd, input, encoding: "utf8" },
      ...other,
    });
  const doctor = () => {
    const { status, stdout } = sotto(["doctor", "--json"]);
    return { code: status, store: linesIn(stdout, "store"), calls: linesIn(stdout, "hook calls") };
  };
  const hook = (one: unknown) => sotto(["hook", "qwen-code"], JSON.stringify(one)).stdout;

  beforeEach(() => {
    const root = dirname(world.cwd);
    for (const path of [root, world.cwd]) if (other.uid) chownSync(path, other.uid, other.gid);
    hook(prompt());
  });
  const files = () => readdirSync(world.state).map((name) => join(world.state, name));

  test("with its files: the store cannot be written, and hooks cannot record", () => {
    for (const file of files()) chmodSync(file, 0o400);
    chmodSync(world.state, 0o500);
    expect(hook(prompt())).toBe("");
    const { code, store, calls } = doctor();
    expect(code).toBe(1);
    const words = expect.stringContaining(`this user cannot write ${world.store}`);
    expect(store).toMatchObject([{ status: "problem", words, fix: expect.stringContaining("chmod u+w") }]);
    expect(calls).toMatchObject([{ status: "problem", words }]);
  });

  test("alone: neither waiting events nor the log can be written", () => {
    chmodSync(world.state, 0o500);
    const { code, store, calls } = doctor();
    expect(code).toBe(1);
    const words = expect.stringContaining(`this user cannot create files in ${world.state} (EACCES)`);
    expect([...store, ...calls]).toMatchObject([
      { status: "problem", words },
      { status: "problem", words },
    ]);
  });

  test("only the store: events wait for the day it can be written", () => {
    for (const file of files()) chmodSync(file, 0o400);
    const path = world.write("a.ts", "one\n");
    hook(read(path));
    expect(readdirSync(`${world.store}-waiting`)).toHaveLength(1);
    expect(doctor()).toMatchObject({ code: 1, store: [{ status: "problem" }] });
    for (const file of files()) if (!file.endsWith("waiting")) chmodSync(file, 0o600);
    hook(prompt());
    writeFileSync(path, "two\n");
    expect(hook(prompt())).toContain("+ two");
  });
});

test("where no state directory can be made, no check says that all is well", async () => {
  for (const home of ["/dev/null", "/proc"].filter(existsSync)) {
    const env = { ...world.env, XDG_STATE_HOME: home };
    const { code, stdout } = await sottoHere(["doctor", "--json", "--cwd", world.cwd], { env });
    expect(code).toBe(1);
    expect(linesIn(stdout, "store")).toMatchObject([
      { status: "problem", words: expect.stringContaining(`cannot create ${home}/sotto/sotto.db: `) },
    ]);
    expect(linesIn(stdout, "hook calls")).toMatchObject([{ status: "problem" }]);
  }
});
