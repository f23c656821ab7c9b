// Hook blocking error: a hook held up what the agent was about to do, and says why.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { longData, longFields, partInBrackets, restNote } from "../shared/long-text.ts";

const schema = v.object({
  hookName: v.string(),
  command: v.optional(v.string()),
  blockingError: v.string(),
  ...longFields,
});

export const hookBlockingError = defineAttachment({
  type: "hook_blocking_error",
  summary: "A hook blocked an action.",
  tier: "event",
  when: "a hook that was waited for ended with a blocking error",
  needs: ["hooks"],
  schema,
  oneShot: true,
  inParts: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "blocking_error").map((edge) => {
      const { hookName, command } = edge.hook;
      return {
        data: {
          hookName,
          ...(command === undefined ? {} : { command }),
          blockingError: edge.text,
          ...longData(edge),
        },
        covers: [edge.id],
      };
    });
    return due.length > 0 ? due : skip("no hook blocked anything");
  },
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
