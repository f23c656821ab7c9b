// Background shells in the classic style: one line about each that ended or has news.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";
import { tasksToReport } from "../shared/task-news.ts";

const schema = v.object({
  taskId: v.string(),
  command: v.optional(v.string()),
  status: v.picklist(["running", "completed", "failed"]),
  exitCode: v.optional(v.number()),
  hasNewOutput: v.boolean(),
});

export const backgroundShellStatus = defineAttachment({
  type: "background_shell_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A background shell ended or has news, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and a shell ends or reports news; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ tasks, taskStyle, view }, said) {
    if (taskStyle !== "classic") return skip(`tasks are told in the ${taskStyle} style`);
    const told = tasksToReport(tasks, { view, said, taskType: "shell" });
    if (told.length === 0) return skip("no shell ended or has news since it was last said");
    return told.map(({ taskId, command, status, exitCode, hasNewOutput, covers }) => ({
      data: {
        taskId,
        status,
        hasNewOutput,
        ...(command === undefined ? {} : { command }),
        ...(exitCode === undefined ? {} : { exitCode }),
      },
      covers,
      key: taskId,
    }));
  },
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
  rest: ({ taskId }, { tools }) =>
    tools.tool("BashOutput") === undefined
      ? "the rest is in the shell's output"
      : `${tools.tool("BashOutput")} with ${taskId} has the rest`,
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
