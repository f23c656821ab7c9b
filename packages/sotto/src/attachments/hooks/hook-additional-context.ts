// Hook additional context: what a hook wants the agent to know besides.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { longData, longFields, partInBrackets, restNote } from "../shared/long-text.ts";

const schema = v.object({ hookName: v.string(), content: v.array(v.string()), ...longFields });

export const hookAdditionalContext = defineAttachment({
  type: "hook_additional_context",
  summary: "A hook gave context.",
  tier: "event",
  when: "a hook that was waited for gave additional context, whatever its outcome",
  needs: ["hooks"],
  schema,
  oneShot: true,
  inParts: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "additional_context").map((edge) => ({
      data: { hookName: edge.hook.hookName, content: edge.text.split(/\r?\n/u), ...longData(edge) },
      covers: [edge.id],
    }));
    return due.length > 0 ? due : skip("no hook gave context");
  },
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
