// Progress of background tasks that run: the latest word of each, not more often than every third turn.

import * as v from "valibot";
import { inLine, NOBODY } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  taskId: v.string(),
  taskType: v.picklist(["shell", "agent", "remote_session"]),
  message: v.string(),
});

export const taskProgress = defineAttachment({
  type: "task_progress",
  generator: "unified_tasks",
  aliases: ["background_task"],
  summary: "How far a running background task has come.",
  tier: "main_agent",
  when: "a running task reports progress: its latest word, every 3 assistant turns at most",
  needs: ["tasks"],
  schema,
  repeats: true,
  throttle: { minTurnsBetween: 3 },
  carries: "untrusted",
  trigger({ tasks: { progress } }, said) {
    const all = Object.values(progress);
    if (all.length === 0) return skip("no running task reports progress");
    const unsaid = all.filter(({ taskId, seq }) => (said.about(taskId).last?.seq ?? 0) < seq);
    if (unsaid.length === 0) return skip(`${all.length} running, no progress since it was last said`);
    return unsaid.map(({ taskId, taskType, message }) => ({
      data: { taskId, taskType, message },
      key: taskId,
    }));
  },
  // A message alone could pass for the user's word.
  render: ({ taskId, taskType, message }) =>
    `Automatic note of the running task ${inLine(taskId)} (type: ${taskType}); ${NOBODY}:\n${message}`,
  rest: ({ taskId }, { tools }) =>
    tools.tool("TaskOutput") === undefined
      ? "the rest is in the task's output"
      : `${tools.tool("TaskOutput")} with ${taskId} has the rest`,
  examples: [
    {
      title: "a shell",
      data: { taskId: "b7", taskType: "shell", message: "60 of 142 tests have run, none failed" },
    },
  ],
});
