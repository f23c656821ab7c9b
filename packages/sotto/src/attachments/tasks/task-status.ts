// Background tasks: finished, failed, or with news; running ones again after compaction.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";
import { tasksToReport } from "../shared/task-news.ts";

const schema = v.object({
  taskId: v.string(),
  taskType: v.picklist(["shell", "agent", "remote_session"]),
  status: v.picklist(["running", "completed", "failed"]),
  description: v.string(),
  deltaSummary: v.optional(v.string()),
});

type Status = v.InferOutput<typeof schema>;

export const taskStatus = defineAttachment({
  type: "task_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background task finished, failed, or has news.",
  tier: "main_agent",
  when: "a task ends or reports news; running tasks once more after compaction",
  needs: ["tasks", "taskStyle", "view"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ tasks, taskStyle, view }, said) {
    if (taskStyle !== "unified") return skip(`tasks are told in the ${taskStyle} style`);
    const told = tasksToReport(tasks, { view, said });
    if (told.length === 0) {
      const running = Object.keys(tasks.running).length;
      return skip(`no news: ${running} running, none ended since it was last said`);
    }
    return told.map(({ taskId, taskType, status, description, deltas, covers }) => {
      const data: Status = { taskId, taskType, status, description };
      if (deltas.length > 0) data.deltaSummary = deltas.join("; ");
      return { data, covers, key: taskId };
    });
  },
  render({ taskId, taskType, status, description, deltaSummary }, { tools }) {
    const output = tools.tool("TaskOutput");
    const parts = [
      `Task ${taskId} (type: ${taskType}) (status: ${status}) (description: ${description})`,
      ...(deltaSummary === undefined ? [] : [`Delta: ${deltaSummary}`]),
      ...(output === undefined ? [] : [`You can check its output using the ${output} tool.`]),
    ];
    return parts.join(" ").replace(/\s+/gu, " ").trim();
  },
  rest: ({ taskId }, { tools }) =>
    tools.tool("TaskOutput") === undefined
      ? "the rest is in the task's output"
      : `${tools.tool("TaskOutput")} with ${taskId} has the rest`,
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
