// Hook stopped continuation: a hook stopped the agent, and why.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({ hookName: v.string(), message: v.string(), ...longFields });

export const hookStoppedContinuation = sendOnce({
  type: "hook_stopped_continuation",
  summary: "A hook stopped the agent.",
  tier: "event",
  when: "a hook that was waited for told the agent not to go on",
  needs: ["hooks"],
  schema,
  repeat: "never",
  whenTooLong: "split",
  pending: ({ hooks }) => hookEdges(hooks, "stopped"),
  each: ({ hook: { hookName }, text, part, cut }) => withoutUndefined({ hookName, message: text, part, cut }),
  none: "no hook stopped the agent",
  render({ hookName, message, part, cut }) {
    const reason = message === "" ? "no reason was given" : message;
    return `${inLine(hookName)} hook stopped continuation${partInBrackets(part)}: ${reason}${restNote({ part, cut })}`;
  },
  examples: [
    { title: "stopped", data: { hookName: "PostToolUse:Bash", message: "The build is broken." } },
    { title: "no reason", data: { hookName: "PostToolUse:Bash", message: "" } },
  ],
});
