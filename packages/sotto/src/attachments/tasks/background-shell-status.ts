// Background shells in the classic style: one line for each that has ended or has news.

import * as v from "valibot";
import { skip } from "../attachment.ts";
import { sendOnce } from "../common-kinds.ts";
import { restOfOutput } from "../shared/read-more.ts";
import { tasksToReport } from "../shared/task-news.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  taskId: v.string(),
  command: v.optional(v.string()),
  status: v.picklist(["running", "completed", "failed"]),
  exitCode: v.optional(v.number()),
  hasNewOutput: v.boolean(),
});

export const backgroundShellStatus = sendOnce({
  type: "background_shell_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background shell ended or has news, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and a shell ends or reports news; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  repeat: "never",
  pending: ({ tasks, taskStyle, view }, sent) =>
    taskStyle === "classic"
      ? tasksToReport(tasks, { view, sent, taskType: "shell" })
      : skip(`tasks.style is ${taskStyle}`),
  each: ({ taskId, command, status, exitCode, hasNewOutput }) =>
    withoutUndefined({ taskId, status, hasNewOutput, command, exitCode }),
  keyOf: ({ taskId }) => taskId,
  none: "no shell has ended or has news since the last one was sent",
  render({ taskId, command, status, exitCode, hasNewOutput }, { tools }) {
    const output = tools.tool("BashOutput");
    const parts = [
      `Background ${tools.tool("Bash") ?? "process"} ${taskId}`,
      ...(command === undefined ? [] : [`(command: ${command})`]),
      `(status: ${status})`,
      ...(exitCode === undefined ? [] : [`(exit code: ${exitCode})`]),
      ...(hasNewOutput ? ["Has new output available."] : []),
      ...(hasNewOutput && output !== undefined ? [`You can check its output using the ${output} tool.`] : []),
    ];
    return parts.join(" ").replace(/\s+/gu, " ").trim();
  },
  readMoreAt: ({ taskId }, context) =>
    restOfOutput({ tool: "BashOutput", id: taskId, whose: "shell" }, context),
  examples: [
    {
      title: "failed, with output",
      data: { taskId: "b7", command: "npm test", status: "failed", exitCode: 1, hasNewOutput: true },
    },
    {
      title: "completed, without output",
      data: { taskId: "b8", command: "true", status: "completed", exitCode: 0, hasNewOutput: false },
    },
    { title: "running, no command known", data: { taskId: "b9", status: "running", hasNewOutput: true } },
  ],
});
