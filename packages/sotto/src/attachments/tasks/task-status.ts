// Background tasks: finished, failed, or with news; running ones again after compaction.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import type { TaskEdge } from "../../core/facts/tasks.ts";

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
  needs: ["tasks", "view"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ tasks, view }, said) {
    const due = inRuns(tasks.pending).map((edges) => {
      const { taskId, taskType, description, status } = edges.at(-1) as (typeof edges)[number];
      const deltas = edges.flatMap(({ deltaSummary }) => (deltaSummary === undefined ? [] : [deltaSummary]));
      const data: Status = { taskId, taskType, status, description };
      if (deltas.length > 0) data.deltaSummary = deltas.join("; ");
      return { data, covers: edges.map(({ id }) => id), key: taskId };
    });
    if (view.compacted)
      for (const { taskId, taskType, description } of Object.values(tasks.running))
        if (!due.some(({ key }) => key === taskId) && said.about(taskId).count === 0)
          due.push({ data: { taskId, taskType, status: "running", description }, covers: [], key: taskId });
    const running = Object.keys(tasks.running).length;
    return due.length > 0 ? due : skip(`no news: ${running} running, none ended since it was last said`);
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

/** What belongs into one line: the news of a task and its end. A task started anew is another one. */
function inRuns(pending: readonly TaskEdge[]): TaskEdge[][] {
  const runs: TaskEdge[][] = [];
  const open = new Map<string, TaskEdge[]>();
  for (const edge of pending) {
    const run = open.get(edge.taskId);
    if (run === undefined) runs.push([edge]);
    else run.push(edge);
    if (edge.status !== "running") open.delete(edge.taskId);
    else if (run === undefined) open.set(edge.taskId, runs.at(-1) as TaskEdge[]);
  }
  return runs;
}
