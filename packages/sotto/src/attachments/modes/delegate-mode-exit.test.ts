import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, story } from "../../../../../test/support/telling.ts";
import { delegateModeExit } from "./delegate-mode-exit.ts";

const enter = { type: "mode_changed", mode: "delegate", team: { name: "parsers" } } as const;
const leave = { type: "mode_changed", mode: "normal" } as const;

it("AC-2 says that all tools are available again", () => {
  expect(examplesAsRead(delegateModeExit)).toMatchInlineSnapshot(`
    "# left
    <system-reminder>
    ## Exited Delegate Mode

    Delegate mode was left: all tools are available again.
    </system-reminder>"
  `);
});

it("AC-22 is said once, and stays due until it was heard", async () => {
  expect(
    await story(openSession({ home: "/home/u" }), [enter, "turn", leave, "lost turn", "turn", "turn"]),
  ).toMatchInlineSnapshot(`
    "> mode_changed {"mode":"delegate","team":{"name":"parsers"}}
    turn
      delegate_mode: Delegate mode is on, with the team parsers. Hand work to your team mates through the task list at /home/u/.claude/tasks/parsers/ rather than doing it yourself. This holds until delegate mode is left.
    > mode_changed {"mode":"normal"}
    lost turn
      delegate_mode_exit: ## Exited Delegate Mode⏎⏎Delegate mode was left: all tools are available again.
    turn
      delegate_mode_exit: ## Exited Delegate Mode⏎⏎Delegate mode was left: all tools are available again.
    turn: nothing"
  `);
});

it("AC-22 entered and left between two turns says nothing, nor does an exit that was taken back", async () => {
  const session = openSession();
  await session.record(enter);
  await session.record(leave);
  const turn = await answered(session);
  expect(turn.reminders).toEqual([]);
  expect(outcomeOf(turn, "delegate_mode_exit")).toBe(
    "nothing: delegate mode was entered and left before anything was sent about it",
  );
  await session.record(enter);
  await answered(session);
  await session.record(leave);
  await session.record(enter);
  const again = await answered(session);
  expect(again.reminders.map(({ type }) => type)).toEqual(["delegate_mode"]);
  expect(outcomeOf(again, "delegate_mode_exit")).toBe(
    "superseded: delegate mode was entered again before its end was said",
  );
});

it("AC-22 from delegate to plan mode: the one ends, the other begins", async () => {
  const session = openSession();
  await session.record(enter);
  await answered(session);
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
  expect((await answered(session)).reminders.map(({ type }) => type)).toEqual([
    "plan_mode",
    "delegate_mode_exit",
  ]);
});
