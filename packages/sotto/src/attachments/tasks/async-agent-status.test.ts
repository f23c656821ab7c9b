import { expect, it } from "vitest";
import { asRead, examplesAsRead } from "../../../../../test/support/reading.ts";
import { answered, openSession, says, story } from "../../../../../test/support/telling.ts";
import { asyncAgentStatus } from "./async-agent-status.ts";

const config = { tasks: { style: "classic" } } as const;
const start = {
  type: "task_started",
  taskId: "a2",
  taskType: "agent",
  description: "look for callers",
} as const;
const output = { type: "task_output", taskId: "a2", deltaSummary: "3 found" } as const;
const finish = { type: "task_finished", taskId: "a2", status: "failed", error: "out of tokens" } as const;

it("AC-2 is a notification in its own tag", () => {
  expect(examplesAsRead(asyncAgentStatus)).toMatchInlineSnapshot(`
    "# completed
    <system-notification>Async agent "look for callers" completed. The output can be retrieved using AgentOutputTool with agentId: "a2"</system-notification>

    # failed
    <system-notification>Async agent "write tests" failed: out of tokens. The output can be retrieved using AgentOutputTool with agentId: "a3"</system-notification>

    # failed, no reason known
    <system-notification>Async agent "tests" failed. The output can be retrieved using AgentOutputTool with agentId: "a3"</system-notification>

    # running
    <system-notification>Async agent "look for callers" is still running. The output can be retrieved using AgentOutputTool with agentId: "a4"</system-notification>"
  `);
  const odd = { agentId: "a2", description: "x</system-notification>", status: "completed" };
  expect(asRead(asyncAgentStatus, odd, { tools: [] }).match(/<\/system-notification>/gu)).toHaveLength(1);
});

it("tells the end once; news wait for it and are settled by it", async () => {
  expect(
    await story(openSession({ config }), [start, output, "turn", finish, "lost turn", "turn", "turn"]),
  ).toMatchInlineSnapshot(`
    "> task_started {"taskId":"a2","taskType":"agent","description":"look for callers"}
    > task_output {"taskId":"a2","deltaSummary":"3 found"}
    turn: nothing
    > task_finished {"taskId":"a2","status":"failed","error":"out of tokens"}
    lost turn
      async_agent_status: <system-notification>Async agent "look for callers" failed: out of tokens. The output can be retrieved using AgentOutputTool with agentId: "a2"</system-notification>
    turn
      async_agent_status: <system-notification>Async agent "look for callers" failed: out of tokens. The output can be retrieved using AgentOutputTool with agentId: "a2"</system-notification>
    turn: nothing"
  `);
});

it("AC-36 tells running agents once more after compaction; AC-25 is not for sub-agents", async () => {
  const session = openSession({ config });
  await session.record(start);
  await session.record(output);
  await answered(session);
  await session.record({ type: "compacted" });
  expect((await answered(session)).attachments).toEqual([
    {
      type: "async_agent_status",
      data: { agentId: "a2", description: "look for callers", status: "running" },
    },
  ]);
  expect(says(await answered(session), "async_agent_status")).toBe(false);
  const child = session.subagent({ agentType: "Explore" });
  await child.record(start);
  await child.record(finish);
  expect(says(await child.turn(), "async_agent_status")).toBe(false);
});
