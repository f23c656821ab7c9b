// Background tasks: finished, failed, or with news; running ones again after compaction.

import * as v from "valibot";
import { skip } from "../attachment.ts";
import { sendOnce } from "../common-kinds.ts";
import { restOfOutput } from "../shared/read-more.ts";
import { tasksToReport } from "../shared/task-news.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  taskId: v.string(),
  taskType: v.picklist(["shell", "agent", "remote_session"]),
  status: v.picklist(["running", "completed", "failed"]),
  description: v.string(),
  deltaSummary: v.optional(v.string()),
});

export const taskStatus = sendOnce({
  type: "task_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background task finished, failed, or has news.",
  tier: "main_agent",
  when: "a task ends or reports news; running tasks once more after compaction",
  needs: ["tasks", "taskStyle", "view"],
  schema,
  repeat: "never",
  pending: ({ tasks, taskStyle, view }, sent) =>
    taskStyle === "unified" ? tasksToReport(tasks, { view, sent }) : skip(`tasks.style is ${taskStyle}`),
  each: ({ taskId, taskType, status, description, deltas }) => {
    const deltaSummary = deltas.length > 0 ? deltas.join("; ") : undefined;
    return withoutUndefined({ taskId, taskType, status, description, deltaSummary });
  },
  keyOf: ({ taskId }) => taskId,
  none: ({ tasks }) =>
    `no news: ${Object.keys(tasks.running).length} running, none has ended since the last one was sent`,
  render({ taskId, taskType, status, description, deltaSummary }, { tools }) {
    const output = tools.tool("TaskOutput");
    const parts = [
      `Task ${taskId} (type: ${taskType}) (status: ${status}) (description: ${description})`,
      ...(deltaSummary === undefined ? [] : [`Delta: ${deltaSummary}`]),
      ...(output === undefined ? [] : [`You can check its output using the ${output} tool.`]),
    ];
    return parts.join(" ").replace(/\s+/gu, " ").trim();
  },
  readMoreAt: ({ taskId }, context) =>
    restOfOutput({ tool: "TaskOutput", id: taskId, whose: "task" }, context),
  examples: [
    {
      title: "finished",
      data: {
        taskId: "b7",
        taskType: "shell",
        status: "completed",
        description: "npm test",
        deltaSummary: "142 passed",
      },
    },
    {
      title: "failed",
      data: {
        taskId: "b8",
        taskType: "shell",
        status: "failed",
        description: "npm run build",
        deltaSummary: "exit code 1",
      },
    },
    {
      title: "running",
      data: { taskId: "a2", taskType: "agent", status: "running", description: "look for callers" },
    },
  ],
});
