// Hook cancelled: noted, nothing is said.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ hookName: v.string(), hookEvent: v.optional(v.string()) });

export const hookCancelled = defineAttachment({
  type: "hook_cancelled",
  summary: "A hook was cancelled. Silent.",
  tier: "event",
  when: "a hook that was waited for was cancelled, or a host notes one",
  needs: ["hooks", "notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks, notes }) {
    const ran = hookEdges(hooks, "cancelled").map(({ id, hook }) => ({ data: { ...hook }, covers: [id] }));
    const due = [...ran, ...notedAs<(typeof ran)[number]["data"]>(notes, "hook_cancelled")];
    return due.length > 0 ? due : skip("no hook was cancelled");
  },
  render: () => [],
  examples: [{ title: "a hook", data: { hookName: "PreToolUse:Bash", hookEvent: "PreToolUse" } }],
});
