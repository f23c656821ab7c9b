// Hook stopped continuation: a hook ended the agent's work, and says why.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { longData, longFields, partInBrackets, restNote } from "../shared/long-text.ts";

const schema = v.object({ hookName: v.string(), message: v.string(), ...longFields });

export const hookStoppedContinuation = defineAttachment({
  type: "hook_stopped_continuation",
  summary: "A hook stopped the agent.",
  tier: "event",
  when: "a hook that was waited for told the agent not to go on",
  needs: ["hooks"],
  schema,
  oneShot: true,
  inParts: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "stopped").map((edge) => ({
      data: { hookName: edge.hook.hookName, message: edge.text, ...longData(edge) },
      covers: [edge.id],
    }));
    return due.length > 0 ? due : skip("no hook stopped the agent");
  },
  render({ hookName, message, part, cut }) {
    const reason = message === "" ? "no reason was given" : message;
    return `${inLine(hookName)} hook stopped continuation${partInBrackets(part)}: ${reason}${restNote({ part, cut })}`;
  },
  examples: [
    { title: "stopped", data: { hookName: "PostToolUse:Bash", message: "The build is broken." } },
    { title: "no reason", data: { hookName: "PostToolUse:Bash", message: "" } },
  ],
});
