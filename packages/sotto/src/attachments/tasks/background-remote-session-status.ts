// Remote sessions in the classic style: what each has done since the last report.

import * as v from "valibot";
import { element } from "../../render/content.ts";
import { skip } from "../attachment.ts";
import { sendOnce } from "../common-kinds.ts";
import { tasksToReport } from "../shared/task-news.ts";

const schema = v.object({
  taskId: v.string(),
  title: v.string(),
  status: v.picklist(["running", "completed", "failed"]),
  deltaSummarySinceLastFlushToAttachment: v.string(),
});

export const backgroundRemoteSessionStatus = sendOnce({
  type: "background_remote_session_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A remote session ended or has news, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and a remote session ends or reports news; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  repeat: "never",
  pending: ({ tasks, taskStyle, view }, sent) =>
    taskStyle === "classic"
      ? tasksToReport(tasks, { view, sent, taskType: "remote_session" })
      : skip(`tasks.style is ${taskStyle}`),
  each: ({ taskId, description, status, deltas }) => ({
    taskId,
    title: description,
    status,
    deltaSummarySinceLastFlushToAttachment: deltas.join("; "),
  }),
  keyOf: ({ taskId }) => taskId,
  none: "no remote session has ended or has news since the last one was sent",
  render({ taskId, title, status, deltaSummarySinceLastFlushToAttachment: delta }) {
    const lines = [
      `Task id:${oneLine(taskId)}`,
      `Title:${oneLine(title)}`,
      `Status:${status}`,
      `Delta summary since last flush:${delta}`,
    ];
    return [element("background-remote-session-status", lines.join("\n"))];
  },
  readMoreAt: () => "the remote session has the rest",
  examples: [
    {
      title: "news",
      data: {
        taskId: "r1",
        title: "Port the parser",
        status: "running",
        deltaSummarySinceLastFlushToAttachment: "3 files edited; tests pass",
      },
    },
    {
      title: "completed, nothing new",
      data: {
        taskId: "r1",
        title: "Port the parser",
        status: "completed",
        deltaSummarySinceLastFlushToAttachment: "",
      },
    },
  ],
});

/** Prevents a title from posing as another field. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
