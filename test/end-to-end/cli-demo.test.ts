// `sotto demo`, what `npm start` runs: the rehearsal holds what it promises, and clears away behind itself.

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  finished,
  runSotto,
  sottoHere,
  startSotto,
  temporaryDirectory,
} from "../../packages/cli/test/run-sotto.ts";

/** As people see it: it takes its time, and is always the same. */
let run: Promise<string> | undefined;
const shown = () => {
  run ??= sottoHere(["demo"]).then(({ stdout }) => stdout);
  return run;
};

const DEMO = fileURLToPath(new URL("../../packages/cli/scenarios/demo.yaml", import.meta.url));

test("nothing is lost, said twice or moved, the prefix holds, the retry has the same bytes", async () => {
  const directory = temporaryDirectory();
  const { code, stdout, stderr } = await runSotto(["demo", "--json"], { env: { TMPDIR: directory } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const measured = JSON.parse(stdout);
  expect(measured).toMatchObject({
    good: true,
    requests: 21,
    conversations: 3,
    prefix: { kept: 17, broken: 0, rewritten: 1 },
    retries: { sameBytes: 1, others: 0 },
    lost: [],
    saidTwice: 0,
    takenOut: 0,
    forgedTags: 0,
  });
  const said = Object.fromEntries(
    measured.types.map(({ type, said }: Record<string, unknown>) => [type, said]),
  );
  expect(said).toMatchObject({
    project_context: 3,
    file: 6,
    nested_memory: 4,
    edited_text_file: 1,
    deleted_file: 1,
    task_status: 3,
    task_progress: 2,
    hook_additional_context: 1,
    // In an attempt that failed, in the one that was answered, and in what was summed up: said once.
    queued_command: 1,
    opened_file_in_ide: 2,
    diagnostics: 1,
    plan_file_reference: 1,
    verify_plan_reminder: 1,
    plan_mode: 2,
    plan_mode_exit: 1,
    critical_system_reminder: 2,
    todo: 1,
  });
  // How many thresholds are crossed depends on how long the paths are here.
  expect(said.token_usage).toBeGreaterThanOrEqual(1);
  expect(measured.seconds).toBeLessThan(60);
  expect(readdirSync(directory)).toEqual([]);
});

test("for people: three reminders in full in their requests, then what would not be known without them", async () => {
  const folded = await shown();
  expect(folded).toMatch(/^This is a rehearsal: /u);
  expect(folded).toMatch(/^· edited_text_file src\/money\.js, \d+ tokens$/mu);
  expect(folded).toMatch(/^↻ attempt 1 failed, .*529/mu);
  expect(folded).toMatch(/reminders: lost 0, sent twice 0, moved or removed 0, forged 0$/mu);
  const full = [
    ...folded.matchAll(/^ {2}╭─[^╰]*?<system-reminder>[^╰]*<\/system-reminder>[^╰]*╰─ (\w+): /gmu),
  ];
  expect(full.map(([, type]) => type)).toEqual(["task_status", "edited_text_file", "queued_command"]);
  expect(folded.match(/<system-reminder>/gu)).toHaveLength(3);
  const [, beside = ""] = folded.split("The same conversation without reminders");
  expect(beside).toContain("Only the calls of your first prompt are shown");
  expect(folded).toMatch(/╰─ task_status: the tests it started in the background have failed; /u);
  expect(beside).toMatch(/^call 3 {2}3 tool results +│ 3 tool results$/mu);
  expect(beside).toMatch(/^ {8}\+ task_status +│ ✗ that the tests it started have failed$/mu);
  expect(folded.trimEnd().split("\n\n").at(-1)).toMatch(/^Next: run `npx sotto run`/u);
});

test("one name for each reminder, and no line is longer than the page", async () => {
  const stdout = await shown();
  const marked = [...stdout.matchAll(/^ *· (\w+)/gmu)].map(([, name]) => name);
  const measured = [...stdout.matchAll(/^ {2}(\w+) +\d+ +\d[\d ]*$/gmu)].map(([, name]) => name);
  expect(new Set(marked)).toEqual(new Set(measured.filter((name) => name !== "all")));
  expect(stdout).toMatch(new RegExp(`^ {2}all +${marked.length} `, "mu"));
  expect(stdout.split("\n").filter((line) => line.length > 110)).toEqual([]);
});

test("the model hears of the tests in the same call, however slow the machine is", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "slow.yaml");
  const slow = "        - Bash: { command: sleep 3, description: A machine that is busy }\n";
  writeFileSync(
    path,
    readFileSync(DEMO, "utf8").replace("        - TodoWrite:\n", `${slow}        - TodoWrite:\n`),
  );
  const { stdout } = await sottoHere(["run", "--scenario", path, "--store", "memory:"], {
    env: { TMPDIR: directory },
  });
  expect(stdout).toMatch(/^● Bash sleep 3/mu);
  expect(stdout).toMatch(/^· task_status b1 failed/mu);
  expect(stdout).not.toContain("expected the reminder task_status");
});

test("--show-reminders unfolds all of them, --keep leaves a log to look at", async () => {
  const directory = temporaryDirectory();
  const args = ["demo", "--show-reminders", "--keep"];
  const { stdout } = await sottoHere(args, { env: { TMPDIR: directory } });
  expect(stdout).toMatch(/^ {4}<system-reminder>\n {4}Note: .*money\.js was modified outside/mu);
  const [store = ""] = /\/\S+\.db/u.exec(stdout) ?? [];
  const explained = await sottoHere(["explain", "demo", "--store", store, "--turn", "5"]);
  expect(explained.stdout).toMatch(/^ {4}queued_command +\d+ tokens +confirmed +/mu);
});

test("deleting the outside edit from the scenario deletes its reminder", async () => {
  const directory = temporaryDirectory();
  const scenario = readFileSync(DEMO, "utf8");
  const edit =
    /\n {4}meanwhile:\n {6}- write:\n {10}path: src\/money\.js\n(?: {10}.*\n| {12}.*\n)+/u.exec(
      scenario,
    )?.[0] ?? "";
  expect(edit).toContain("Half a cent is rounded up");
  const path = join(directory, "quiet.yaml");
  writeFileSync(path, scenario.replace(edit, "\n"));
  const args = ["run", "--scenario", path, "--store", "memory:"];
  const { stdout } = await sottoHere(args, { env: { TMPDIR: directory } });
  expect(stdout).not.toMatch(/edited_text_file src\/money\.js/u);
  expect(stdout).toMatch(/quiet\.yaml:\d+: expected the reminder edited_text_file/u);
});

test("Ctrl-C ends it and clears away", async () => {
  const directory = temporaryDirectory();
  const child = startSotto(["demo"], { env: { TMPDIR: directory } });
  const ended = finished(child);
  await once(child.stdout, "data");
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect({ code, stderr, left: existsSync(directory) && readdirSync(directory) }).toEqual({
    code: 130,
    stderr: "",
    left: [],
  });
});
