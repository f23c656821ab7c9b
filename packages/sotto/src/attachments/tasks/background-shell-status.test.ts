import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, outcomeOf, says, story } from "../../../../../test/support/telling.ts";
import { backgroundShellStatus } from "./background-shell-status.ts";

const config = { tasks: { style: "classic" } } as const;
const start = {
  type: "task_started",
  taskId: "b7",
  taskType: "shell",
  description: "Run the tests",
  command: "npm test",
} as const;
const output = { type: "task_output", taskId: "b7", deltaSummary: "60 of 142" } as const;
const finish = { type: "task_finished", taskId: "b7", status: "failed", exitCode: 1 } as const;

it("AC-2 is one line with single spaces, and names no tool that the agent lacks", () => {
  expect(examplesAsRead(backgroundShellStatus)).toMatchInlineSnapshot(`
    "# failed, with output
    <system-reminder>
    Background Bash b7 (command: npm test) (status: failed) (exit code: 1) Has new output available. You can check its output using the BashOutput tool.
    </system-reminder>

    # completed, without output
    <system-reminder>
    Background Bash b8 (command: true) (status: completed) (exit code: 0)
    </system-reminder>

    # running, no command known
    <system-reminder>
    Background Bash b9 (status: running) Has new output available. You can check its output using the BashOutput tool.
    </system-reminder>"
  `);
  const odd = { taskId: "b7", command: "npm \\\n  test", status: "running", hasNewOutput: true };
  expect(asRead(backgroundShellStatus, odd, { tools: [] })).toMatchInlineSnapshot(`
    "<system-reminder>
    Background process b7 (command: npm \\ test) (status: running) Has new output available.
    </system-reminder>"
  `);
});

it("tells news and the end in the classic style, each once; task_status is silent then", async () => {
  const session = openSession({ config });
  expect(
    await story(session, [start, "turn", output, "turn", "turn", finish, "lost turn", "turn", "turn"]),
  ).toMatchInlineSnapshot(`
    "> task_started {"taskId":"b7","taskType":"shell","description":"Run the tests","command":"npm test"}
    turn: nothing
    > task_output {"taskId":"b7","deltaSummary":"60 of 142"}
    turn
      background_shell_status: Background Bash b7 (command: npm test) (status: running) Has new output available. You can check its output using the BashOutput tool.
    turn: nothing
    > task_finished {"taskId":"b7","status":"failed","exitCode":1}
    lost turn
      background_shell_status: Background Bash b7 (command: npm test) (status: failed) (exit code: 1)
    turn
      background_shell_status: Background Bash b7 (command: npm test) (status: failed) (exit code: 1)
    turn: nothing"
  `);
  expect(outcomeOf(await session.turn(), "task_status")).toBe("nothing: tasks.style is classic");
});

it("an output without a summary is told with the end", async () => {
  const session = openSession({ config });
  await session.record(start);
  await session.record({ type: "task_output", taskId: "b7" });
  expect(says(await answered(session), "background_shell_status")).toBe(false);
  await session.record({ type: "task_finished", taskId: "b7", status: "completed", exitCode: 0 });
  expect((await answered(session)).attachments.map(({ data }) => data)).toEqual([
    { taskId: "b7", command: "npm test", status: "completed", exitCode: 0, hasNewOutput: true },
  ]);
});

it("is silent in the unified style", async () => {
  const session = openSession();
  await session.record(start);
  await session.record(finish);
  const turn = await answered(session);
  expect(turn.reminders.map(({ type }) => type)).toEqual(["task_status"]);
  expect(outcomeOf(turn, "background_shell_status")).toBe("nothing: tasks.style is unified");
});

it("AC-36 tells running shells once more after compaction; AC-25 is not for sub-agents", async () => {
  const session = openSession({ config });
  await session.record(start);
  await answered(session);
  await session.record({ type: "compacted" });
  expect((await answered(session)).attachments).toEqual([
    {
      type: "background_shell_status",
      data: { taskId: "b7", command: "npm test", status: "running", hasNewOutput: false },
    },
  ]);
  expect(says(await answered(session), "background_shell_status")).toBe(false);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(finish);
  expect(says(await child.turn(), "background_shell_status")).toBe(false);
});
