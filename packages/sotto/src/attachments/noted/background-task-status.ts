// Background task status: the state of a task, as other hosts keep it. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ taskId: v.optional(v.string()) });

export const backgroundTaskStatus = defineAttachment({
  type: "background_task_status",
  summary: "The state of a background task. Silent.",
  tier: "event",
  when: "a host notes the state of a background task",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "background_task_status");
    return due.length > 0 ? due : skip("the host noted no state of a task");
  },
  render: () => [],
  examples: [{ title: "a task", data: { taskId: "b7", status: "running" } }],
});
