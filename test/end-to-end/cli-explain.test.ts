// `sotto explain`: two reasons for the same silence are told apart, on a session a real host left on disk.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession, createSqliteStore } from "sotto";
import type { Source } from "sotto/extend";
import { expect, test } from "vitest";
import { runSotto, sottoHere, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

/** Four turns in a project with a rule for Python: plan mode in the first, a read and two letters before the second. */
async function makeSession(): Promise<string> {
  const directory = temporaryDirectory();
  const cwd = join(directory, "project");
  mkdirSync(join(cwd, ".claude", "rules"), { recursive: true });
  mkdirSync(join(cwd, ".git"));
  writeFileSync(
    join(cwd, ".claude", "rules", "python.md"),
    '---\npaths: ["**/*.py"]\n---\nUse type hints.\n',
  );
  writeFileSync(join(cwd, "a.ts"), "export const a = 1;\n");
  const path = join(directory, "sotto.db");
  const store = createSqliteStore({ path });
  const down: Source = {
    fact: "calendar",
    observe: () => Promise.reject(new Error("the clock server is down")),
  };
  const session = createSession({
    id: "build-7",
    cwd,
    home: directory,
    agent: { kind: "main" },
    store,
    sources: [down],
    config: { timeout_ms: 30_000, max_tokens_per_turn: 100, attachments: { todo_reminder: false } },
  });
  const turn = async () => {
    await (await session.turn()).commit();
    await session.record({ type: "assistant_turn" });
  };
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: join(cwd, "plan.md") });
  await turn();
  await session.record({ type: "file_read", path: "a.ts" });
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
  await session.record({ type: "task_started", taskId: "b1", taskType: "shell", description: words(12) });
  await session.record({ type: "task_finished", taskId: "b1", status: "completed" });
  await session.record({
    type: "message_received",
    ...{ id: "m", from: "ada", text: words(20), timestamp: "2026-11-15T00:00:00Z" },
  });
  await turn();
  await turn();
  await session.close();
  await store.close();
  return path;
}

test("a session that its log switches off says since when, until it is on again", async () => {
  const path = await makeSession();
  const change = async (enabled: boolean | null) => {
    const store = createSqliteStore({ path });
    const session = createSession({
      id: "build-7",
      cwd: temporaryDirectory(),
      store,
      configFiles: { read: false },
    });
    await session.record({ type: "config_changed", config: { enabled } });
    await session.close();
    await store.close();
  };
  const explained = async () => (await runSotto(["explain", "build-7", "--store", path])).stdout;
  const off =
    /\n\nswitched off since .*: enabled = false, by a config_changed event; turns are not recorded\n$/u;
  expect(await explained()).not.toMatch(off);
  await change(false);
  expect(await explained()).toMatch(off);
  await change(null);
  expect(await explained()).not.toMatch(off);
});

test("AC-43 a rule that did not match, a throttle, the budget, a switch and a source that is down each have their reason", async () => {
  const path = await makeSession();
  const { code, stdout, stderr } = await runSotto([
    "explain",
    "build-7",
    "--store",
    path,
    "--turn",
    "2",
    "--all",
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.split("\n").map((line) => line.trim());
  const reasons = (type: string) => {
    const at = lines.findIndex((line) => line.startsWith(`${type} `));
    const next = lines.findIndex((line, index) => index > at && /^\w+ {2,}|^skipped|^$/u.test(line));
    return lines.slice(at, next).join(" ").replace(/ +/gu, " ");
  };
  expect(["nested_memory", "plan_mode", "task_status", "todo_reminder", "date_change"].map(reasons)).toEqual([
    expect.stringMatching(
      /^nested_memory nothing no new instruction file applies to \S+a\.ts; \d+ left out, or with a problem: .*\S+python\.md: a\.ts does not match \*\*\/\*\.py/u,
    ),
    "plan_mode throttled 1 of 5 turns since it was last sent, 4 to go",
    expect.stringMatching(/^task_status over budget put off: \d+ tokens, \d+ of 100 left for this turn$/u),
    "todo_reminder off switched off: attachments.todo_reminder",
    "date_change failed the source of calendar failed: the clock server is down",
  ]);
  expect(lines).toContain("skipped");
  expect(lines).toContain("skipped for the same reason since turn 1");
});

test("what did not change is still shown in a later turn, with the turn it holds since", async () => {
  const path = await makeSession();
  const { stdout } = await sottoHere(["explain", "build-7", "--store", path, "--turn", "3", "--json"]);
  const [{ turn, outcomes }] = JSON.parse(stdout).turns;
  expect(turn).toBe(3);
  expect(outcomes.todo_reminder).toEqual({
    outcome: "off",
    reason: "switched off: attachments.todo_reminder",
    since: 1,
  });
  expect(outcomes.date_change).toMatchObject({ outcome: "failed", since: 1 });
  expect(outcomes.plan_mode).toMatchObject({ outcome: "throttled", since: 3 });
});

test("--type follows one type through the turns, those in which nothing changed taken together", async () => {
  const path = await makeSession();
  const explain = async (...args: string[]) => {
    const { stdout } = await sottoHere(["explain", "build-7", "--store", path, ...args]);
    return stdout.trimEnd().split("\n").slice(3);
  };
  expect(await explain("--type", "task_status")).toEqual([
    "task_status",
    expect.stringMatching(/^ {2}turn 1 {2}nothing /u),
    expect.stringMatching(/^ {2}turn 2 {2}over budget {2}put off: /u),
    expect.stringMatching(/^ {2}turn 3 {2}sent {9}1 sent; \d+ tokens, confirmed$/u),
  ]);
  expect(await explain("--type", "todo_reminder")).toEqual([
    "todo_reminder",
    "  turns 1 to 3  off  switched off: attachments.todo_reminder",
  ]);
  const { stdout } = await sottoHere([
    "explain",
    "build-7",
    "--store",
    path,
    "--type",
    "plan_mode",
    "--json",
  ]);
  const { turns } = JSON.parse(stdout);
  expect(turns.map((one: { outcomes: object }) => Object.keys(one.outcomes))).toEqual([
    ["plan_mode"],
    ["plan_mode"],
    ["plan_mode"],
  ]);
  expect(turns.map((one: { deliveries: { type: string }[] }) => one.deliveries.length)).toEqual([1, 0, 0]);
  expect(await sottoHere(["explain", "build-7", "--store", path, "--type", "plan_mod"])).toEqual({
    code: 2,
    stdout: "",
    stderr: 'sotto: --type: "plan_mod" is not a reminder type; did you mean "plan_mode"?\n',
  });
});

test("AC-43 a config file with a mistake is named where its silence is explained, and not once it is mended", async () => {
  const directory = temporaryDirectory();
  const config = join(directory, ".sotto", "config.toml");
  mkdirSync(join(directory, ".sotto"));
  const store = join(directory, "sotto.db");
  const options = ["--session", "s", "--store", store];
  const take = async (...words: string[]) => {
    const messages = words.map((content, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content,
    }));
    return sottoHere(["turn", ...options], {
      input: JSON.stringify({ cwd: directory, home: directory, messages }),
    });
  };
  const said = async (...more: string[]) =>
    (await sottoHere(["explain", "s", "--store", store, ...more])).stdout;

  writeFileSync(config, '[system_reminder]\ncritical_instruction = "Run the tests.\n');
  await take("Hi.");
  expect(await said()).toMatch(/problems\n\s+\S*config\.toml:2\S* it is not valid TOML/u);
  expect(await said("--type", "critical_system_reminder")).toMatch(/no critical instruction.*config\.toml/su);

  writeFileSync(config, '[system_reminder]\ncritical_instruction = "Run the tests."\n');
  await take("Hi.", "Hello.", "Go on.");
  expect(await said()).not.toContain("problems");
  const { turns } = JSON.parse(await said("--json")) as { turns: { problems: string[] }[] };
  expect(turns.map(({ problems }) => problems.length)).toEqual([1, 0]);

  // A key that was put into the wrong field.
  writeFileSync(config, '[system_reminder]\nenabled = "sk-ant-api03-abcdefghijkl0123456789"\n');
  const { stderr } = await take("Hi.", "Hello.", "Go on.", "Done.", "Once more.");
  const { stdout: checked } = await sottoHere(["doctor", "--json", "--store", store], { cwd: directory });
  for (const words of [stderr, await said(), await said("--json"), checked]) {
    expect(words).toMatch(/system_reminder\.enabled: expected boolean,\s+got/u);
    expect(words).not.toContain("sk-ant");
  }
});
