// Whatever goes wrong in `sotto hook`, the agent hears nothing of it: exit code 0, no word on stdout, a line in the log.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { built } from "../../packages/cli/test/built.ts";
import { runSotto, sottoHere } from "../../packages/cli/test/run-sotto.ts";
import { createHookWorld, ended, type HookWorld } from "../support/hook-program.ts";

let world: HookWorld;
beforeEach(() => useWorld());
afterEach(() => world.remove());

function useWorld(how: { inProcess?: boolean } = {}): void {
  world?.remove();
  world = createHookWorld(how);
  world.writeConfig('[system_reminder]\ncritical_instruction = "Run the tests."\n');
}

const prompt = () => ({ hook_event_name: "UserPromptSubmit", session_id: "s1", cwd: world.cwd, prompt: "x" });
const logged = () => {
  const path = join(world.state, "hook.log");
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

describe("an agent that waits", () => {
  const odd: [string, string, string][] = [
    ["no JSON", "{", "codex - stdin is not JSON"],
    ["nothing", "", "codex - stdin is empty"],
    ["a list", "[]", "codex - stdin is not a JSON object"],
    ["no event", '{"session_id":"s"}', "codex - hook_event_name is missing"],
  ];
  test.each(odd)("gets nothing for %s, and a line in the log says why", async (_, input, words) => {
    expect(await world.call("codex", input)).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    expect(logged()).toHaveLength(1);
    expect(logged()[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z /u);
    expect(logged()[0]).toContain(words);
  });

  test("is told of a wrong name, but not failed", async () => {
    const { code, stdout, stderr } = await world.call("nosuch", prompt());
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe(
      'sotto hook: unknown agent "nosuch": expected one of claude-code, codex, gemini-cli, qwen-code\n',
    );
    expect(logged()[0]).toContain("nosuch");
  });

  test("events and fields of newer versions are left alone, and nothing is opened for them", async () => {
    useWorld({ inProcess: true });
    const event = { ...prompt(), hook_event_name: "PostModelSwitch", to_model: "x" };
    expect(await world.call("codex", event)).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    expect(existsSync(world.store)).toBe(false);
    expect(logged()).toEqual([]);
    const { stdout } = await world.call("codex", { ...prompt(), tomorrow: { new: true } });
    expect(stdout).toContain("Run the tests.");
  });

  test("a config file with a mistake is named in the log, with each prompt", async () => {
    useWorld({ inProcess: true });
    world.writeConfig('[system_reminder]\ncritical_instruction = "Run the tests."\nplan_mod = false\n');
    expect((await world.call("codex", prompt())).stdout).not.toContain("Run the tests.");
    expect(logged()).toHaveLength(1);
    expect(logged()[0]).toContain("plan_mod");
  });

  test("a store that is no database, is locked, or cannot be written", async () => {
    mkdirSync(world.state, { recursive: true });
    writeFileSync(world.store, "this is no database, and never was one".repeat(100));
    expect(await world.call("codex", prompt())).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    rmSync(world.store);
    await world.call("codex", { ...prompt(), hook_event_name: "Stop" });
    const held = new DatabaseSync(world.store);
    held.exec("BEGIN EXCLUSIVE");
    expect(await world.call("codex", prompt())).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    held.exec("ROLLBACK");
    held.close();
    expect(logged()).toHaveLength(2);
    expect(logged()[1]).toMatch(/codex UserPromptSubmit .*locked/u);
    expect((await world.call("codex", prompt())).stdout).toContain("Run the tests.");
  });

  test("a store that is locked for longer than usual, where SOTTO_TIMEOUT_MS says to wait", async () => {
    world.env.SOTTO_TIMEOUT_MS = "60000";
    await world.call("codex", { ...prompt(), hook_event_name: "Stop" });
    const held = new DatabaseSync(world.store);
    held.exec("BEGIN EXCLUSIVE");
    const child = world.start("codex", prompt());
    const answer = ended(child);
    await pause(5000);
    expect(child.exitCode).toBe(null);
    held.exec("ROLLBACK");
    held.close();
    expect((await answer).stdout).toContain("Run the tests.");
    expect(logged()).toEqual([]);
  });

  test.each([
    ["claude-code", "Bash"],
    ["codex", "Bash"],
    ["gemini-cli", "run_shell_command"],
    ["qwen-code", "run_shell_command"],
  ])("AC-48 what waits for a locked store has no secrets of %s", async (agent, shell) => {
    useWorld({ inProcess: true });
    const word = ["ghp", "abcdefghijklmnopqrstuvwxyzABCDEF0123"].join("_");
    const value = "canary-of-the-environment";
    const inFile = "canary of a file";
    const secrets = world.write(".env", `GREETING="${inFile}"\n`);
    const names =
      agent === "gemini-cli"
        ? { prompt: "BeforeAgent", end: "AfterTool" }
        : { prompt: "UserPromptSubmit", end: "PostToolUse" };
    const begin = () =>
      world.call(agent, {
        hook_event_name: names.prompt,
        session_id: "s1",
        cwd: world.cwd,
        prompt: "Go on.",
      });
    const end = (tool_name: string, tool_input: object, text: string) =>
      world.call(agent, {
        ...{ hook_event_name: names.end, session_id: "s1", cwd: world.cwd, tool_name, tool_input },
        ...{ tool_use_id: tool_name, tool_response: { llmContent: text, stdout: text } },
      });
    await begin();
    const patient = { ...world.env };
    Object.assign(world.env, { SOTTO_TIMEOUT_MS: "10", DEPLOY_PASSWORD: value });
    const held = new DatabaseSync(world.store);
    held.exec("BEGIN EXCLUSIVE");
    await end(shell, { command: `python3 deploy.py src/${word}.ts --with ${value}` }, `${word} ${value}`);
    const read = agent === "claude-code" ? "Read" : "read_file";
    await end(read, { file_path: secrets, absolute_path: secrets }, `GREETING="${inFile}"`);
    held.exec("ROLLBACK");
    held.close();
    Object.assign(world.env, patient);
    // Whoever records it does not know the value.
    delete world.env.DEPLOY_PASSWORD;
    const waiting = readdirSync(`${world.store}-waiting`).map((name) => join(`${world.store}-waiting`, name));
    expect(waiting.length).toBeGreaterThan(0);
    const kept = waiting.map((path) => readFileSync(path, "utf8")).join("\n");
    await begin();
    const told = (await begin()).stdout;
    const logged = JSON.stringify(await world.log(`${agent}/s1`));
    expect(logged).toContain("command_ran");
    for (const secret of [word, value, inFile])
      for (const where of [kept, told, logged]) expect(where).not.toContain(secret);
  });

  test("a store that is locked for too long: what the agent did meanwhile is recorded with the next call", async () => {
    useWorld({ inProcess: true });
    const path = world.write("a.ts", "one\ntwo\n");
    const other = world.write("b.ts", "one\n");
    const tool = (name: string, input: Record<string, unknown>, hook_event_name = "PostToolUse") => ({
      ...{ hook_event_name, session_id: "s1", cwd: world.cwd, tool_name: name },
      ...{ tool_input: input, tool_response: {}, tool_use_id: JSON.stringify(input) },
    });
    const edit = { file_path: path, old_string: "two", new_string: "three" };
    await world.call("qwen-code", prompt());
    await world.call("qwen-code", tool("read_file", { file_path: path }));

    const patient = { ...world.env };
    world.env.SOTTO_TIMEOUT_MS = "10";
    const held = new DatabaseSync(world.store);
    held.exec("BEGIN EXCLUSIVE");
    await world.call("qwen-code", tool("edit", edit, "PreToolUse"));
    world.write("a.ts", "one\nthree\n");
    await world.call("qwen-code", tool("edit", edit));
    await world.call("qwen-code", tool("read_file", { file_path: other }));
    held.exec("ROLLBACK");
    held.close();
    Object.assign(world.env, patient);
    expect(logged().filter((line) => line.includes("the event is kept for the next call"))).toHaveLength(3);
    const waiting = `${world.store}-waiting`;
    const [first = "", second = "", ...more] = readdirSync(waiting).sort();
    expect(more).toHaveLength(1);
    expect(statSync(join(waiting, first)).mode & 0o77).toBe(0);

    // A process that was about to record it has been killed; another still runs.
    renameSync(join(waiting, first), join(waiting, `${first}.4194304`));
    renameSync(join(waiting, second), join(waiting, `${second}.${process.pid}`));
    await world.call("qwen-code", prompt());
    expect(readdirSync(waiting)).toEqual([`${second}.${process.pid}`]);
    renameSync(join(waiting, `${second}.${process.pid}`), join(waiting, second));
    expect((await world.call("qwen-code", prompt())).stdout).not.toContain("a.ts");
    expect(readdirSync(waiting)).toEqual([]);
    const kinds = (await world.log("qwen-code/s1")).map(
      (entry) => entry.kind === "event" && entry.event.type,
    );
    for (const [type, times] of Object.entries({ file_read: 2, file_written: 1 }))
      expect(kinds.filter((kind) => kind === type)).toHaveLength(times);

    world.write("a.ts", "one\nfour\n");
    world.write("b.ts", "two\n");
    expect((await world.call("qwen-code", prompt())).stdout).toMatch(/a\.ts.*b\.ts|b\.ts.*a\.ts/su);
  });

  test("events that wait for the store are removed with their session", async () => {
    await world.call("codex", prompt());
    world.env.SOTTO_TIMEOUT_MS = "10";
    const held = new DatabaseSync(world.store);
    held.exec("BEGIN EXCLUSIVE");
    for (const session_id of ["s1", "s2"])
      await world.call("codex", { ...prompt(), session_id, hook_event_name: "Stop" });
    held.exec("ROLLBACK");
    held.close();
    const waiting = () => readdirSync(`${world.store}-waiting`);
    expect(waiting()).toHaveLength(2);
    const purge = (...of: string[]) => sottoHere(["store", "purge", "--yes", "--store", world.store, ...of]);
    expect(await purge("codex/s1")).toMatchObject({ code: 0 });
    expect(waiting()).toHaveLength(1);
    expect(await purge("--all")).toMatchObject({ code: 0 });
    expect(waiting()).toEqual([]);
  });

  test("a state directory that is a file", async () => {
    world.env.XDG_STATE_HOME = world.write("state-file", "");
    expect(await world.call("codex", prompt())).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  test.skipIf(process.platform !== "linux")(
    "a state directory that cannot be made, and says so oddly",
    async () => {
      world.env.XDG_STATE_HOME = "/proc";
      expect(await world.call("codex", prompt())).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
      expect(await world.call("codex", "")).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
    },
  );

  test("stdout that is closed: it stays due, and the log says so", async () => {
    const line = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(built().bin)} hook codex >&-`;
    const ran = spawnSync("sh", ["-c", line], { env: world.env, input: JSON.stringify(prompt()) });
    expect(ran).toMatchObject({ status: 0 });
    expect(logged()[0]).toContain("stdout is closed");
    expect((await world.call("codex", prompt())).stdout).toContain("Run the tests.");
  });

  test("nobody who reads: it stays due", async () => {
    const child = world.start("codex", prompt());
    child.stdout?.destroy();
    expect((await ended(child)).code).toBe(0);
    expect((await world.call("codex", prompt())).stdout).toContain("Run the tests.");
  });

  test("a config that is wrong costs what it says, and nothing else", async () => {
    world.writeConfig("[system_reminder\n");
    expect((await world.call("codex", prompt())).code).toBe(0);
    world.env.SOTTO_HOOK_DEBUG = "1";
    const { code, stdout, stderr } = await world.call("codex", prompt());
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("config.toml");
  });
});

describe("a person", () => {
  test("sees in `sotto doctor` what went wrong", async () => {
    await world.call("codex", "{");
    const { stdout } = await sottoHere(["doctor", "--cwd", world.cwd], { env: world.env });
    expect(stdout).toMatch(/warning\s+hook calls\s+1 problem [\s\S]*codex - stdin is not JSON/u);
    rmSync(join(world.state, "hook.log"));
    const after = await sottoHere(["doctor", "--cwd", world.cwd], { env: world.env });
    expect(after.stdout).toMatch(/ok\s+hook calls\s+no problems/u);
  });

  test("is told with --debug what was done, also where that is nothing", async () => {
    world.env.SOTTO_HOOK_DEBUG = "1";
    const told = async (event: string) =>
      (await world.call("codex", { ...prompt(), hook_event_name: event })).stderr;
    expect(await told("UserPromptSubmit")).toMatch(
      /^sotto hook: UserPromptSubmit: critical_system_reminder, \d+ tokens\n$/u,
    );
    expect(await told("UserPromptSubmit")).toBe("sotto hook: UserPromptSubmit: no reminders\n");
    expect(await told("Stop")).toBe("sotto hook: Stop: recorded; this event takes no text\n");
    expect(await told("PostModelSwitch")).toBe("sotto hook: PostModelSwitch: nothing to do\n");
  });

  test("finds help, and the same command in the whole program", async () => {
    const help = await runSotto(["hook", "--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("sotto hook codex --debug < event.json");
    const ran = await runSotto(["hook", "codex", "--odd"], {
      input: JSON.stringify(prompt()),
      env: world.env,
    });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("sotto hook: unknown arguments: --odd\n");
    expect(JSON.parse(ran.stdout).hookSpecificOutput.additionalContext).toContain("Run the tests.");
  });
});
