// Background agents in the classic style: a notification when one ends.

import * as v from "valibot";
import { element } from "../../render/content.ts";
import { inLine } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { tasksToReport } from "../shared/task-news.ts";

const schema = v.object({
  agentId: v.string(),
  description: v.string(),
  status: v.picklist(["running", "completed", "failed"]),
  error: v.optional(v.string()),
});

export const asyncAgentStatus = defineAttachment({
  type: "async_agent_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background agent ended, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and an agent ends; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  oneShot: true,
  wrap: "own-tags",
  carries: "untrusted",
  trigger({ tasks, taskStyle, view }, said) {
    if (taskStyle !== "classic") return skip(`tasks are told in the ${taskStyle} style`);
    // News of one that runs wait for its end, and are settled by it.
    const running = new Set(Object.values(tasks.running).map(({ taskId }) => taskId));
    const pending = tasks.pending.filter(
      ({ taskId, status }) => status !== "running" || !running.has(taskId),
    );
    const told = tasksToReport({ ...tasks, pending }, { view, said, taskType: "agent" });
    if (told.length === 0) return skip("no agent ended since it was last said");
    return told.map(({ taskId, description, status, error, covers }) => ({
      data: { agentId: taskId, description, status, ...(error === undefined ? {} : { error }) },
      covers,
      key: taskId,
    }));
  },
  render({ agentId, description, status, error }, { tools }) {
    const tool = tools.tool("AgentOutputTool");
    const what = status === "running" ? "is still running" : status;
    const why = status === "failed" && error !== undefined ? `: ${inLine(error)}` : "";
    const output =
      tool === undefined
        ? ""
        : ` The output can be retrieved using ${tool} with agentId: "${inLine(agentId)}"`;
    return [element("system-notification", `Async agent "${inLine(description)}" ${what}${why}.${output}`)];
  },
  rest: ({ agentId }, { tools }) =>
    tools.tool("AgentOutputTool") === undefined
      ? "the rest is in the agent's output"
      : `${tools.tool("AgentOutputTool")} with ${agentId} has the rest`,
  examples: [
    {
      title: "completed",
      data: { agentId: "a2", description: "look for callers", status: "completed" },
    },
    {
      title: "failed",
      data: { agentId: "a3", description: "write tests", status: "failed", error: "out of tokens" },
    },
    { title: "failed, no reason known", data: { agentId: "a3", description: "tests", status: "failed" } },
    { title: "running", data: { agentId: "a4", description: "look for callers", status: "running" } },
  ],
});
