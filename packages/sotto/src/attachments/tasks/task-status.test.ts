import { describe, expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import {
  answered,
  openSession,
  outcomeOf,
  says,
  story,
  textOf,
} from "../../../../../test/support/telling.ts";
import { taskStatus } from "./task-status.ts";

const start = (taskId: string, description = "npm test") =>
  ({ type: "task_started", taskId, taskType: "shell", description }) as const;
const output = (taskId: string, deltaSummary: string) =>
  ({ type: "task_output", taskId, deltaSummary }) as const;
const finish = (taskId: string, rest: object = {}) =>
  ({ type: "task_finished", taskId, status: "completed", ...rest }) as const;

describe("task_status, as the model reads it", () => {
  it("AC-2 is one line with single spaces", () => {
    expect(examplesAsRead(taskStatus)).toMatchInlineSnapshot(`
      "# finished
      <system-reminder>
      Task b7 (type: shell) (status: completed) (description: npm test) Delta: 142 passed You can check its output using the TaskOutput tool.
      </system-reminder>

      # failed
      <system-reminder>
      Task b8 (type: shell) (status: failed) (description: npm run build) Delta: exit code 1 You can check its output using the TaskOutput tool.
      </system-reminder>

      # running
      <system-reminder>
      Task a2 (type: agent) (status: running) (description: look for callers) You can check its output using the TaskOutput tool.
      </system-reminder>"
    `);
  });

  it("AC-2 stays one line whatever the description and the news look like", () => {
    const data = {
      taskId: "b7",
      taskType: "shell",
      status: "running",
      description: "  npm test \\\n    --  watch",
      deltaSummary: "1 failed\r\n\r\n  2 passed\t\u2028done ",
    };
    expect(asRead(taskStatus, data)).toMatchInlineSnapshot(`
      "<system-reminder>
      Task b7 (type: shell) (status: running) (description: npm test \\ -- watch) Delta: 1 failed 2 passed done You can check its output using the TaskOutput tool.
      </system-reminder>"
    `);
  });

  it("names no tool that the agent lacks", () => {
    expect(examplesAsRead(taskStatus, { tools: ["Read"] })).toMatchInlineSnapshot(`
      "# finished
      <system-reminder>
      Task b7 (type: shell) (status: completed) (description: npm test) Delta: 142 passed
      </system-reminder>

      # failed
      <system-reminder>
      Task b8 (type: shell) (status: failed) (description: npm run build) Delta: exit code 1
      </system-reminder>

      # running
      <system-reminder>
      Task a2 (type: agent) (status: running) (description: look for callers)
      </system-reminder>"
    `);
  });
});

describe("task_status, when", () => {
  it("tells news and the end, each once, merged where they come together", async () => {
    expect(
      await story(openSession(), [
        start("b7"),
        "turn",
        output("b7", "10 of 142"),
        output("b7", "60 of 142"),
        "turn",
        "turn",
        output("b7", "140 of 142"),
        finish("b7", { deltaSummary: "142 passed", exitCode: 0 }),
        "turn",
        "turn",
      ]),
    ).toMatchInlineSnapshot(`
      "> task_started {"taskId":"b7","taskType":"shell","description":"npm test"}
      turn: nothing
      > task_output {"taskId":"b7","deltaSummary":"10 of 142"}
      > task_output {"taskId":"b7","deltaSummary":"60 of 142"}
      turn
        task_status: Task b7 (type: shell) (status: running) (description: npm test) Delta: 10 of 142; 60 of 142 You can check its output using the TaskOutput tool.
      turn: nothing
      > task_output {"taskId":"b7","deltaSummary":"140 of 142"}
      > task_finished {"taskId":"b7","status":"completed","deltaSummary":"142 passed","exitCode":0}
      turn
        task_status: Task b7 (type: shell) (status: completed) (description: npm test) Delta: 140 of 142; 142 passed You can check its output using the TaskOutput tool.
      turn: nothing"
    `);
  });

  it("says how a task failed", async () => {
    expect(
      await story(openSession(), [
        start("b7"),
        { type: "task_finished", taskId: "b7", status: "failed", exitCode: 2, error: "out of memory" },
        "turn",
      ]),
    ).toMatchInlineSnapshot(`
      "> task_started {"taskId":"b7","taskType":"shell","description":"npm test"}
      > task_finished {"taskId":"b7","status":"failed","exitCode":2,"error":"out of memory"}
      turn
        task_status: Task b7 (type: shell) (status: failed) (description: npm test) Delta: out of memory; exit code 2 You can check its output using the TaskOutput tool."
    `);
  });

  it("the end ends it: nothing about a finished task is news, and it is said once", async () => {
    const session = openSession();
    await session.record(start("b7"));
    await session.record(finish("b7"));
    await answered(session);
    await session.record(output("b7", "a late line"));
    await session.record(finish("b7", { status: "failed" }));
    expect(outcomeOf(await answered(session), "task_status")).toBe(
      "nothing: no news: 0 running, none has ended since the last one was sent",
    );
  });

  it("stays due until it was heard, under the same id, and what comes meanwhile is not repeated by it", async () => {
    const session = openSession();
    await session.record(start("b7"));
    await session.record(output("b7", "half"));
    const offered = await session.turn();
    await session.record(finish("b7", { deltaSummary: "all" }));
    await offered.commit();
    const turn = await answered(session);
    expect(textOf(turn, "task_status")).toContain(
      "(status: completed) (description: npm test) Delta: all You",
    );
    expect(says(await answered(session), "task_status")).toBe(false);
  });

  it("a lost turn loses neither news nor end", async () => {
    const session = openSession();
    await session.record(start("b7"));
    await session.record(output("b7", "half"));
    await (await session.turn()).abandon();
    await session.record(finish("b7", { deltaSummary: "all" }));
    const turn = await answered(session);
    const said = turn.reminders.map(({ text }) => text).join("\n");
    expect(said).toContain("Delta: half");
    expect(said).toContain("(status: completed)");
    expect(says(await answered(session), "task_status")).toBe(false);
  });

  it("tells of tasks that were started elsewhere, whatever they are called", async () => {
    expect(
      await story(openSession(), [
        output("x1", "still at it"),
        finish("x1"),
        finish("constructor"),
        start("__proto__", "odd name"),
        finish("__proto__"),
        "turn",
      ]),
    ).toMatchInlineSnapshot(`
      "> task_output {"taskId":"x1","deltaSummary":"still at it"}
      > task_finished {"taskId":"x1","status":"completed"}
      > task_finished {"taskId":"constructor","status":"completed"}
      > task_started {"taskId":"__proto__","taskType":"shell","description":"odd name"}
      > task_finished {"taskId":"__proto__","status":"completed"}
      turn
        task_status: Task x1 (type: shell) (status: completed) (description: started outside this session) Delta: still at it You can check its output using the TaskOutput tool.
        task_status: Task constructor (type: shell) (status: completed) (description: started outside this session) You can check its output using the TaskOutput tool.
        task_status: Task __proto__ (type: shell) (status: completed) (description: odd name) You can check its output using the TaskOutput tool."
    `);
  });

  it("a task started anew under the same id is another one", async () => {
    expect(
      await story(openSession(), [
        start("b7"),
        finish("b7", { status: "failed", exitCode: 1 }),
        start("b7"),
        output("b7", "second run"),
        "turn",
      ]),
    ).toMatchInlineSnapshot(`
      "> task_started {"taskId":"b7","taskType":"shell","description":"npm test"}
      > task_finished {"taskId":"b7","status":"failed","exitCode":1}
      > task_started {"taskId":"b7","taskType":"shell","description":"npm test"}
      > task_output {"taskId":"b7","deltaSummary":"second run"}
      turn
        task_status: Task b7 (type: shell) (status: failed) (description: npm test) Delta: exit code 1 You can check its output using the TaskOutput tool.
        task_status: Task b7 (type: shell) (status: running) (description: npm test) Delta: second run You can check its output using the TaskOutput tool."
    `);
  });

  it("keeps the latest news of a task that says too much, and says that it dropped some", async () => {
    const session = openSession();
    await session.record(start("b7"));
    for (let count = 1; count <= 12; count++) await session.record(output("b7", `line ${count}`));
    expect(textOf(await answered(session), "task_status")).toContain(
      "Delta: line 8; line 9; line 10; line 11; line 12 You",
    );
  });

  it("an output without a summary is no news", async () => {
    const session = openSession();
    await session.record(start("b7"));
    await session.record({ type: "task_output", taskId: "b7" });
    expect(says(await answered(session), "task_status")).toBe(false);
  });

  it("AC-36 tells running tasks once more after compaction", async () => {
    const session = openSession();
    await session.record(start("b7"));
    await session.record(start("b8", "npm run build"));
    await session.record(start("b9", "over soon"));
    await answered(session);
    await session.record({ type: "compacted" });
    await session.record(finish("b9"));
    const turn = await answered(session);
    expect(turn.attachments.map(({ data }) => data)).toEqual([
      { taskId: "b9", taskType: "shell", status: "completed", description: "over soon" },
      { taskId: "b7", taskType: "shell", status: "running", description: "npm test" },
      { taskId: "b8", taskType: "shell", status: "running", description: "npm run build" },
    ]);
    expect(says(await answered(session), "task_status")).toBe(false);
  });

  it("AC-25 is not for sub-agents", async () => {
    const session = openSession();
    const child = session.subagent({ agentType: "Explore" });
    await child.record(finish("b7"));
    expect(says(await child.turn(), "task_status")).toBe(false);
  });
});
