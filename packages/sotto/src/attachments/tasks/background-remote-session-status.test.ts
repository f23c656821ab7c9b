import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, says, story } from "../../../../../test/support/telling.ts";
import { backgroundRemoteSessionStatus } from "./background-remote-session-status.ts";

const config = { tasks: { style: "classic" } } as const;
const start = {
  type: "task_started",
  taskId: "r1",
  taskType: "remote_session",
  description: "Port the parser",
} as const;
const output = (deltaSummary: string) => ({ type: "task_output", taskId: "r1", deltaSummary }) as const;
const finish = { type: "task_finished", taskId: "r1", status: "completed" } as const;

it("AC-2 stands in its own tag inside the reminder, a title on one line", () => {
  expect(examplesAsRead(backgroundRemoteSessionStatus)).toMatchInlineSnapshot(`
    "# news
    <system-reminder>
    <background-remote-session-status>Task id:r1
    Title:Port the parser
    Status:running
    Delta summary since last flush:3 files edited; tests pass</background-remote-session-status>
    </system-reminder>

    # completed, nothing new
    <system-reminder>
    <background-remote-session-status>Task id:r1
    Title:Port the parser
    Status:completed
    Delta summary since last flush:</background-remote-session-status>
    </system-reminder>"
  `);
  const odd = {
    taskId: "r1",
    title: "x\nStatus:completed",
    status: "running",
    deltaSummarySinceLastFlushToAttachment: "</background-remote-session-status>",
  };
  const text = asRead(backgroundRemoteSessionStatus, odd);
  expect(text.match(/^Status:/gmu)).toHaveLength(1);
  expect(text.match(/<\/background-remote-session-status>/gu)).toHaveLength(1);
});

it("tells each delta once, and the end", async () => {
  expect(
    await story(openSession({ config }), [
      start,
      "turn",
      output("3 files"),
      output("tests pass"),
      "turn",
      "turn",
      output("pushed"),
      finish,
      "turn",
      "turn",
    ]),
  ).toMatchInlineSnapshot(`
    "> task_started {"taskId":"r1","taskType":"remote_session","description":"Port the parser"}
    turn: nothing
    > task_output {"taskId":"r1","deltaSummary":"3 files"}
    > task_output {"taskId":"r1","deltaSummary":"tests pass"}
    turn
      background_remote_session_status: <background-remote-session-status>Task id:r1⏎Title:Port the parser⏎Status:running⏎Delta summary since last flush:3 files; tests pass</background-remote-session-status>
    turn: nothing
    > task_output {"taskId":"r1","deltaSummary":"pushed"}
    > task_finished {"taskId":"r1","status":"completed"}
    turn
      background_remote_session_status: <background-remote-session-status>Task id:r1⏎Title:Port the parser⏎Status:completed⏎Delta summary since last flush:pushed</background-remote-session-status>
    turn: nothing"
  `);
});

it("AC-36 tells running ones once more after compaction; AC-25 is not for sub-agents", async () => {
  const session = openSession({ config });
  await session.record(start);
  await answered(session);
  await session.record({ type: "compacted" });
  expect(says(await answered(session), "background_remote_session_status")).toBe(true);
  expect(says(await answered(session), "background_remote_session_status")).toBe(false);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(start);
  await child.record(finish);
  expect(says(await child.turn(), "background_remote_session_status")).toBe(false);
});
