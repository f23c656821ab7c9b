// Hook stopped continuation: a hook ended the agent's work, and says why.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { hookEdges } from "../../core/facts/hooks.ts";
import { inLine } from "../../core/wording.ts";

const schema = v.object({ hookName: v.string(), message: v.string() });

export const hookStoppedContinuation = defineAttachment({
  type: "hook_stopped_continuation",
  summary: "A hook stopped the agent.",
  tier: "event",
  when: "a hook that was waited for told the agent not to go on",
  needs: ["hooks"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "stopped").map(({ id, hook: { hookName }, text }) => ({
      data: { hookName, message: text },
      covers: [id],
    }));
    return due.length > 0 ? due : skip("no hook stopped the agent");
  },
  render: ({ hookName, message }) =>
    `${inLine(hookName)} hook stopped continuation: ${message === "" ? "no reason was given" : message}`,
  rest: () => "the hook's output has the rest",
  examples: [
    { title: "stopped", data: { hookName: "PostToolUse:Bash", message: "The build is broken." } },
    { title: "no reason", data: { hookName: "PostToolUse:Bash", message: "" } },
  ],
});
