import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, story } from "../../../../../test/support/telling.ts";
import { planModeExit } from "./plan-mode-exit.ts";

const enterPlanMode = { type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" } as const;
const leavePlanMode = { type: "mode_changed", mode: "normal" } as const;

it("AC-2 says that edits and tools are allowed again, and where the plan is if there is one", () => {
  expect(examplesAsRead(planModeExit)).toMatchInlineSnapshot(`
    "# with a plan file
    <system-reminder>
    ## Exited Plan Mode

    Plan mode was left: you may make changes and use all your tools again. The plan is at /repo/.claude/plans/main.md.
    </system-reminder>

    # no plan was written
    <system-reminder>
    ## Exited Plan Mode

    Plan mode was left: you may make changes and use all your tools again.
    </system-reminder>

    # no plan file known
    <system-reminder>
    ## Exited Plan Mode

    Plan mode was left: you may make changes and use all your tools again.
    </system-reminder>"
  `);
});

it("AC-22 the exit is said once, and stays due until it was heard", async () => {
  const session = openSession();
  expect(
    await story(session, [enterPlanMode, "turn", leavePlanMode, "lost turn", "turn", "turn"]),
  ).toMatchInlineSnapshot(`
    "> mode_changed {"mode":"plan","planFilePath":"/repo/plan.md"}
    turn
      plan_mode: Plan mode is on. The user wants a plan first and no changes yet: edit nothing but the plan file, and run no tool that changes files, settings or anything else. This holds until plan mode is left.⏎⏎## …
    > mode_changed {"mode":"normal"}
    lost turn
      plan_mode_exit: ## Exited Plan Mode⏎⏎Plan mode was left: you may make changes and use all your tools again.
    turn
      plan_mode_exit: ## Exited Plan Mode⏎⏎Plan mode was left: you may make changes and use all your tools again.
    turn: nothing"
  `);
});

it("AC-22 entered and left between two turns says nothing, and why", async () => {
  const session = openSession();
  await session.record(enterPlanMode);
  await session.record(leavePlanMode);
  const turn = await session.turn();
  expect(turn.reminders).toEqual([]);
  expect(outcomeOf(turn, "plan_mode_exit")).toBe(
    "nothing: plan mode was entered and left before anything was sent about it",
  );
});

it("AC-22 entering again before the exit was said cancels the exit", async () => {
  const session = openSession();
  await session.record(enterPlanMode);
  await answered(session);
  await session.record(leavePlanMode);
  await session.record(enterPlanMode);
  const turn = await answered(session);
  expect(turn.reminders.map(({ type }) => type)).toEqual(["plan_mode"]);
  expect(outcomeOf(turn, "plan_mode_exit")).toBe(
    "superseded: plan mode was entered again before its end was said",
  );
  await session.record(leavePlanMode);
  expect(says(await answered(session), "plan_mode_exit")).toBe(true);
});

it("AC-22 leaving for another mode is an exit, too", async () => {
  const session = openSession();
  await session.record(enterPlanMode);
  await answered(session);
  await session.record({ type: "mode_changed", mode: "review" });
  expect((await answered(session)).reminders.map(({ type }) => type)).toEqual(["plan_mode_exit"]);
});
