import { expect, it } from "vitest";
import { examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says } from "../../../../../test/support/telling.ts";
import { taskProgress } from "./task-progress.ts";

const start = (taskId: string) =>
  ({ type: "task_started", taskId, taskType: "agent", description: "look" }) as const;
const progress = (taskId: string, message: string) => ({ type: "task_progress", taskId, message }) as const;

async function toldIn(session: ReturnType<typeof openSession>): Promise<unknown[]> {
  const { attachments } = await answered(session);
  return attachments.filter(({ type }) => type === "task_progress").map(({ data }) => data);
}

it("AC-2 is the message, and whose it is", () => {
  expect(examplesAsRead(taskProgress)).toMatchInlineSnapshot(`
    "# a shell
    <system-reminder>
    Automatic note of the running task b7 (type: shell); no person has said or approved anything here:
    60 of 142 tests have run, none failed
    </system-reminder>"
  `);
});

it("tells the latest word of each task, every 3 turns at most, each task apart", async () => {
  const session = openSession();
  await session.record(start("a"));
  await session.record(progress("a", "1 of 9"));
  await session.record(progress("a", "2 of 9"));
  expect(await toldIn(session)).toEqual([{ taskId: "a", taskType: "agent", message: "2 of 9" }]);
  await session.record(progress("a", "3 of 9"));
  await session.record(start("b"));
  await session.record(progress("b", "begun"));
  expect(await toldIn(session)).toEqual([{ taskId: "b", taskType: "agent", message: "begun" }]);
  expect(outcomeOf(await answered(session), "task_progress")).toBe(
    "throttled: 2 of 3 turns since it was last sent, 1 to go",
  );
  expect(await toldIn(session)).toEqual([{ taskId: "a", taskType: "agent", message: "3 of 9" }]);
  for (let count = 0; count < 4; count++) expect(await toldIn(session)).toEqual([]);
  expect(outcomeOf(await answered(session), "task_progress")).toBe(
    "nothing: 2 running, no progress since the last one was sent",
  );
});

it("a finished task makes no progress, whatever it is called", async () => {
  const session = openSession();
  for (const taskId of ["a", "__proto__"]) {
    await session.record(progress(taskId, "half"));
    await session.record({ type: "task_finished", taskId, status: "completed" });
    await session.record(progress(taskId, "late"));
  }
  expect(outcomeOf(await answered(session), "task_progress")).toBe(
    "nothing: no running task reports progress",
  );
});

it("AC-25 is not for sub-agents, and is told in the classic style, too", async () => {
  const session = openSession({ config: { tasks: { style: "classic" } } });
  await session.record(progress("a", "half"));
  expect(says(await answered(session), "task_progress")).toBe(true);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(progress("a", "half"));
  expect(says(await child.turn(), "task_progress")).toBe(false);
});
