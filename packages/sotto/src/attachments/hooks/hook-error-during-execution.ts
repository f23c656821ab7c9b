// Hook error during execution: a hook could not run to its end. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ hookName: v.string(), hookEvent: v.optional(v.string()) });

export const hookErrorDuringExecution = defineAttachment({
  type: "hook_error_during_execution",
  summary: "A hook could not run to its end. Silent.",
  tier: "event",
  when: "a host notes that a hook could not run to its end",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "hook_error_during_execution");
    return due.length > 0 ? due : skip("the host noted no hook that could not run");
  },
  render: () => [],
  examples: [
    {
      title: "a hook",
      data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", content: "spawn ENOENT" },
    },
  ],
});
