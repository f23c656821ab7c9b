// Task reminder: a word about the task list, as other hosts keep it. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({});

export const taskReminder = defineAttachment({
  type: "task_reminder",
  summary: "A word about the task list. Silent.",
  tier: "event",
  when: "a host notes a word about its task list",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "task_reminder");
    return due.length > 0 ? due : skip("the host noted no task reminder");
  },
  render: () => [],
  examples: [
    {
      title: "a list",
      data: { content: [{ id: "1", subject: "Fix the parser", status: "pending" }], itemCount: 1 },
    },
  ],
});
