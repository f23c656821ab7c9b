import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { planModeReentry } from "./plan-mode-reentry.ts";

let cwd: string;
let planFilePath: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "sotto-plan-"));
  planFilePath = join(cwd, "plan.md");
});
afterEach(() => rm(cwd, { recursive: true }));

async function planTwice() {
  const session = openSession({ cwd });
  await session.record({ type: "mode_changed", mode: "plan", planFilePath });
  await answered(session);
  await session.record({ type: "mode_changed", mode: "normal" });
  await answered(session);
  await session.record({ type: "mode_changed", mode: "plan" });
  return session;
}

it("AC-2 says where the plan is, and to compare, start afresh or revise", () => {
  expect(examplesAsRead(planModeReentry)).toMatchInlineSnapshot(`
    "# a plan exists
    <system-reminder>
    ## Re-entering Plan Mode

    You left plan mode earlier; the plan of that time is at /repo/.claude/plans/main.md.

    Read it first, and compare it with what the user asks for now. For another task, start afresh and replace it; for the same task, revise it. Either way, bring the plan file up to date before you call ExitPlanMode.
    </system-reminder>"
  `);
});

it("names no tool that the agent lacks", () => {
  expect(examplesAsRead(planModeReentry, { tools: [] })).toMatchInlineSnapshot(`
    "# a plan exists
    <system-reminder>
    ## Re-entering Plan Mode

    You left plan mode earlier with a plan.

    Compare it with what the user asks for now. For another task, start afresh and replace it; for the same task, revise it. Either way, bring the plan up to date before you end your turn.
    </system-reminder>"
  `);
});

it("AC-22 comes once, before the full text, when a plan from before exists", async () => {
  await writeFile(planFilePath, "# Plan");
  const session = await planTwice();
  const turn = await session.turn();
  expect(turn.reminders.map(({ type }) => type)).toEqual(["plan_mode_reentry", "plan_mode"]);
  await turn.abandon();
  expect(says(await answered(session), "plan_mode_reentry")).toBe(true);
  expect(outcomeOf(await answered(session), "plan_mode_reentry")).toBe(
    "nothing: plan mode was not left before, or the re-entry was sent already",
  );
});

it("AC-22 does not come when there was no plan, nor for one that is written later", async () => {
  const session = await planTwice();
  expect(outcomeOf(await answered(session), "plan_mode_reentry")).toBe(
    `nothing: there is no plan file at ${planFilePath}`,
  );
  await writeFile(planFilePath, "# A first plan");
  expect(outcomeOf(await answered(session), "plan_mode_reentry")).toBe(
    "nothing: the entry into plan mode was sent when there was no earlier plan",
  );
});

it("does not come at the first entry of the session, whatever is on disk", async () => {
  await writeFile(planFilePath, "# Plan");
  const session = openSession({ cwd });
  await session.record({ type: "mode_changed", mode: "plan", planFilePath });
  expect(says(await session.turn(), "plan_mode_reentry")).toBe(false);
});
