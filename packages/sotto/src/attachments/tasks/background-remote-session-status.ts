// Remote sessions in the classic style: what each has done since it was last told.

import * as v from "valibot";
import { element } from "../../render/content.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { tasksToReport } from "../shared/task-news.ts";

const schema = v.object({
  taskId: v.string(),
  title: v.string(),
  status: v.picklist(["running", "completed", "failed"]),
  deltaSummarySinceLastFlushToAttachment: v.string(),
});

export const backgroundRemoteSessionStatus = defineAttachment({
  type: "background_remote_session_status",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "A remote session ended or has news, in the classic style.",
  tier: "main_agent",
  when: 'tasks.style = "classic", and a remote session ends or reports news; running ones once more after compaction',
  needs: ["tasks", "taskStyle", "view"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ tasks, taskStyle, view }, said) {
    if (taskStyle !== "classic") return skip(`tasks are told in the ${taskStyle} style`);
    const told = tasksToReport(tasks, { view, said, taskType: "remote_session" });
    if (told.length === 0) return skip("no remote session ended or has news since it was last said");
    return told.map(({ taskId, description, status, deltas, covers }) => ({
      data: {
        taskId,
        title: description,
        status,
        deltaSummarySinceLastFlushToAttachment: deltas.join("; "),
      },
      covers,
      key: taskId,
    }));
  },
  render({ taskId, title, status, deltaSummarySinceLastFlushToAttachment: delta }) {
    const lines = [
      `Task id:${oneLine(taskId)}`,
      `Title:${oneLine(title)}`,
      `Status:${status}`,
      `Delta summary since last flush:${delta}`,
    ];
    return [element("background-remote-session-status", lines.join("\n"))];
  },
  rest: () => "the remote session has the rest",
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

/** So that a title cannot pose as another field. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
