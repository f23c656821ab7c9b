// Hook non-blocking error: a hook failed without holding anything up. Noted, nothing is said.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { notedAs } from "../../facts/notes.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.looseObject({ hookName: v.string(), hookEvent: v.optional(v.string()) });

export const hookNonBlockingError = defineAttachment({
  type: "hook_non_blocking_error",
  summary: "A hook failed without blocking anything. Silent.",
  tier: "event",
  when: "a hook that was waited for ended with an error that blocks nothing, or a host notes one",
  needs: ["hooks", "notes"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks, notes }) {
    const ran = hookEdges(hooks, "non_blocking_error").map(({ id, hook }) => ({
      data: { ...hook },
      covers: [id],
    }));
    const due = [...ran, ...notedAs<(typeof ran)[number]["data"]>(notes, "hook_non_blocking_error")];
    return due.length > 0 ? due : skip("no hook failed");
  },
  render: () => [],
  examples: [
    {
      title: "a hook",
      data: { hookName: "PostToolUse:Edit", hookEvent: "PostToolUse", stderr: "not found", exitCode: 1 },
    },
  ],
});
