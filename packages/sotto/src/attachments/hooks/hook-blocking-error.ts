// Hook blocking error: a hook blocked what the agent was about to do, and why.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({
  hookName: v.string(),
  command: v.optional(v.string()),
  blockingError: v.string(),
  ...longFields,
});

export const hookBlockingError = sendOnce({
  type: "hook_blocking_error",
  summary: "A hook blocked an action.",
  tier: "event",
  when: "a hook that was waited for ended with a blocking error",
  needs: ["hooks"],
  schema,
  repeat: "never",
  whenTooLong: "split",
  pending: ({ hooks }) => hookEdges(hooks, "blocking_error"),
  each: ({ hook: { hookName, command }, text, part, cut }) =>
    withoutUndefined({ hookName, command, blockingError: text, part, cut }),
  none: "no hook blocked anything",
  render({ hookName, command, blockingError, part, cut }) {
    const from = command === undefined ? "" : ` from command: "${inLine(command)}"`;
    const reason = blockingError === "" ? "no reason was given" : blockingError;
    return `${inLine(hookName)} hook blocking error${from}${partInBrackets(part)}: ${reason}${restNote({ part, cut })}`;
  },
  examples: [
    {
      title: "blocked",
      data: {
        hookName: "PreToolUse:Bash",
        command: "node hooks/check.js",
        blockingError: "rm -rf is not allowed here.",
      },
    },
    { title: "no command known", data: { hookName: "Stop", blockingError: "The tests have not run." } },
    { title: "no reason", data: { hookName: "Stop", command: "exit 2", blockingError: "" } },
  ],
});
