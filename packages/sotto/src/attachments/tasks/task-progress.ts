// Progress of running background tasks: the latest report of each, at most every third turn.

import * as v from "valibot";
import { inLine, NOBODY } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { restOfOutput } from "../shared/read-more.ts";

// Progress is not urgent; the end of a task is reported at once.
const TURNS_BETWEEN = 3;

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
  when: `a running task reports progress: the latest, at most every ${TURNS_BETWEEN} assistant turns`,
  needs: ["tasks"],
  schema,
  repeat: "always",
  throttle: { minTurnsBetween: TURNS_BETWEEN },
  trigger({ tasks: { progress } }, sent) {
    const all = Object.values(progress);
    if (all.length === 0) return skip("no running task reports progress");
    const unsent = all.filter(({ taskId, seq }) => (sent.about(taskId).last?.seq ?? 0) < seq);
    if (unsent.length === 0) return skip(`${all.length} running, no progress since the last one was sent`);
    return unsent.map(({ taskId, taskType, message }) => ({
      data: { taskId, taskType, message },
      key: taskId,
    }));
  },
  // The message alone could be mistaken for the user's.
  render: ({ taskId, taskType, message }) =>
    `Automatic note of the running task ${inLine(taskId)} (type: ${taskType}); ${NOBODY}:\n${message}`,
  readMoreAt: ({ taskId }, context) =>
    restOfOutput({ tool: "TaskOutput", id: taskId, whose: "task" }, context),
  examples: [
    {
      title: "a shell",
      data: { taskId: "b7", taskType: "shell", message: "60 of 142 tests have run, none failed" },
    },
  ],
});
