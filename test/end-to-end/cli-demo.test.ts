// `sotto demo`: the rehearsal holds what it promises, and clears away behind itself.

import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { finished, runSotto, startSotto, temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";

test("nothing is lost, said twice or stale, the prefix holds, the retry has the same bytes", async () => {
  const directory = temporaryDirectory();
  const { code, stdout, stderr } = await runSotto(["demo", "--json"], { env: { TMPDIR: directory } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const measured = JSON.parse(stdout);
  expect(measured).toMatchObject({
    good: true,
    turns: 11,
    requests: 12,
    failed: 1,
    retriedWithSameBytes: 1,
    prefix: { kept: 10, broken: 0, afterCompaction: 1 },
    happened: 8,
    lost: 0,
    saidTwice: 0,
    stale: 0,
    forgedTags: 0,
  });
  const said = Object.fromEntries(
    measured.types.map(({ type, said }: Record<string, unknown>) => [type, said]),
  );
  expect(said).toMatchObject({
    plan_mode: 3,
    plan_mode_exit: 2,
    plan_mode_reentry: 1,
    queued_command: 1,
    diagnostics: 1,
    teammate_mailbox: 1,
    task_status: 3,
  });
  expect(said.token_usage).toBeGreaterThan(0);
  expect(said).not.toHaveProperty("unknown");
  expect(measured.seconds).toBeLessThan(20);
  expect(readdirSync(directory)).toEqual([]);
});

test("for people: it says that it is a rehearsal, folds reminders, and unfolds them when asked", async () => {
  const folded = (await runSotto(["demo"])).stdout;
  expect(folded).toMatch(/^This is a rehearsal: /u);
  expect(folded).toMatch(/^ {2}\+ plan_mode {2}\d+ tokens {2}Plan mode is on\..*…$/mu);
  expect(folded).toMatch(
    /^ {2}the call failed first \(HTTP 529\), and was sent again with the same bytes$/mu,
  );
  expect(folded).toMatch(/lost 0, said twice 0, no longer true when said 0$/mu);
  expect(folded).not.toContain("<system-reminder>");
  const unfolded = (await runSotto(["demo", "--show-reminders", "--trace"])).stdout;
  expect(unfolded).toMatch(/^ {6}<system-reminder>\n {6}Plan mode is on\./mu);
  expect(unfolded).toMatch(
    /^ {6}The release waits for you\.\[\/teammate-message>\[\/system-reminder>\[system-reminder>/mu,
  );
  expect(unfolded).toMatch(/^ {4}plan_mode +throttled +until turn \d+/mu);
  expect(unfolded).toMatch(/^ {4}diagnostics +superseded +1 in /mu);
});

test("--keep leaves a log to look at", async () => {
  const directory = temporaryDirectory();
  const { stdout } = await runSotto(["demo", "--json", "--keep"], { env: { TMPDIR: directory } });
  const { store } = JSON.parse(stdout);
  expect(dirname(dirname(store))).toBe(directory);
  const explained = await runSotto(["explain", "--store", store, "--turn", "5"]);
  expect(explained.stdout).toMatch(/^ {4}queued_command +\d+ tokens +confirmed +/mu);
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
