// Background agents in the classic style: a notification when one ends.

import * as v from "valibot";
import { element } from "../../render/content.ts";
import { inLine } from "../../render/wording.ts";
import { skip } from "../attachment.ts";
import { sendOnce } from "../common-kinds.ts";
import { restOfOutput } from "../shared/read-more.ts";
import { tasksToReport } from "../shared/task-news.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  agentId: v.string(),
  description: v.string(),
  status: v.picklist(["running", "completed", "failed"]),
  error: v.optional(v.string()),
});

export const asyncAgentStatus = sendOnce({
  type: "async_agent_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background agent ended, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and an agent ends; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  repeat: "never",
  wrap: "own-tags",
  pending({ tasks, taskStyle, view }, sent) {
    if (taskStyle !== "classic") return skip(`tasks.style is ${taskStyle}`);
    // News of an agent that runs is reported when it ends.
    const running = new Set(Object.values(tasks.running).map(({ taskId }) => taskId));
    const pending = tasks.pending.filter(
      ({ taskId, status }) => status !== "running" || !running.has(taskId),
    );
    return tasksToReport({ ...tasks, pending }, { view, sent, taskType: "agent" });
  },
  each: ({ taskId, description, status, error }) =>
    withoutUndefined({ agentId: taskId, description, status, error }),
  keyOf: ({ taskId }) => taskId,
  none: "no agent has ended since the last one was sent",
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
  readMoreAt: ({ agentId }, context) =>
    restOfOutput({ tool: "AgentOutputTool", id: agentId, whose: "agent" }, context),
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
