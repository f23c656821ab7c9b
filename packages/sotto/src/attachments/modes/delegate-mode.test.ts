import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, turnsThatSay } from "../../../../../test/support/telling.ts";
import { delegateMode } from "./delegate-mode.ts";

const enter = { type: "mode_changed", mode: "delegate", team: { name: "parsers" } } as const;
const leave = { type: "mode_changed", mode: "normal" } as const;

it("AC-2 names the team and the task list", () => {
  expect(examplesAsRead(delegateMode)).toMatchInlineSnapshot(`
    "# a team
    <system-reminder>
    Delegate mode is on, with the team parsers. Hand work to your team mates through the task list at /home/u/.claude/tasks/parsers/ rather than doing it yourself. This holds until delegate mode is left.
    </system-reminder>

    # no task list known
    <system-reminder>
    Delegate mode is on, with the team parsers. Hand work to your team mates rather than doing it yourself. This holds until delegate mode is left.
    </system-reminder>"
  `);
});

it("is said at every entry at once, then every 5 assistant turns", async () => {
  const session = openSession();
  await session.record(enter);
  expect(await turnsThatSay(session, "delegate_mode", 12)).toEqual([0, 5, 10]);
  await session.record(leave);
  await answered(session);
  await session.record(enter);
  expect(await turnsThatSay(session, "delegate_mode", 7)).toEqual([0, 5]);
});

it("goes by the path of the task list: the host's, the configured directory's, the usual one", async () => {
  const pathOf = async (team: { name: string; taskListPath?: string }, config = {}) => {
    const session = openSession({ config, home: "/home/u" });
    await session.record({ type: "mode_changed", mode: "delegate", team });
    return (await session.turn()).attachments.map(({ data }) => data);
  };
  expect(await pathOf({ name: "p" })).toEqual([{ teamName: "p", taskListPath: "/home/u/.claude/tasks/p/" }]);
  expect(await pathOf({ name: "p", taskListPath: "~/lists/p" })).toEqual([
    { teamName: "p", taskListPath: "/home/u/lists/p" },
  ]);
  expect(await pathOf({ name: "p", taskListPath: "/lists/p" })).toEqual([
    { teamName: "p", taskListPath: "/lists/p" },
  ]);
  expect(await pathOf({ name: "p" }, { task_dir: "/var/tasks/" })).toEqual([
    { teamName: "p", taskListPath: "/var/tasks/p/" },
  ]);
  expect(await pathOf({ name: "p" }, { task_dir: "" })).toEqual([{ teamName: "p" }]);
});

it("says nothing without a team, and at once when there is one", async () => {
  const session = openSession();
  await session.record({ type: "mode_changed", mode: "delegate" });
  expect(outcomeOf(await answered(session), "delegate_mode")).toBe(
    "nothing: delegate mode is on, but no team is known",
  );
  await session.record(enter);
  expect(says(await answered(session), "delegate_mode")).toBe(true);
});

it("AC-36 comes back after compaction, and AC-25 sub-agents work in the mode of their parent", async () => {
  const session = openSession();
  await session.record(enter);
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "delegate_mode")).toBe(true);
  const child = session.subagent({ agentType: "Explore" });
  expect(says(await answered(child), "delegate_mode")).toBe(true);
});
