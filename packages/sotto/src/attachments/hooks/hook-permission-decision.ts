// Hook permission decision: a hook allowed or refused a tool. Noted, nothing is said.

import * as v from "valibot";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ hookName: v.string(), hookEvent: v.optional(v.string()) });

export const hookPermissionDecision = defineAttachment({
  type: "hook_permission_decision",
  summary: "A hook decided on a permission. Silent.",
  tier: "event",
  when: "a host notes what a hook decided on a permission",
  needs: ["notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ notes }) {
    const due = notedAs<v.InferOutput<typeof schema>>(notes, "hook_permission_decision");
    return due.length > 0 ? due : skip("the host noted no decision of a hook");
  },
  render: () => [],
  examples: [
    { title: "allowed", data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse", decision: "allow" } },
  ],
});
