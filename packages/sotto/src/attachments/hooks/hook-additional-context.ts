// Hook additional context: text that a hook adds for the agent.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({ hookName: v.string(), content: v.array(v.string()), ...longFields });

export const hookAdditionalContext = sendOnce({
  type: "hook_additional_context",
  summary: "A hook gave additional context.",
  tier: "event",
  when: "a hook that was waited for gave additional context, whatever its outcome",
  needs: ["hooks"],
  schema,
  repeat: "never",
  whenTooLong: "split",
  pending: ({ hooks }) => hookEdges(hooks, "additional_context"),
  each: ({ hook: { hookName }, text, part, cut }) =>
    withoutUndefined({ hookName, content: text.split(/\r?\n/u), part, cut }),
  none: "no hook gave additional context",
  render: ({ hookName, content, part, cut }) =>
    `${inLine(hookName)} hook additional context${partInBrackets(part)}: ${content.join("\n")}${restNote({ part, cut })}`,
  examples: [
    {
      title: "two lines",
      data: {
        hookName: "PostToolUse:Edit",
        content: ["The formatter ran.", "src/parser.ts was changed by it."],
      },
    },
  ],
});
