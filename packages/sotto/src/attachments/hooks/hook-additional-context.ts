// Hook additional context: what a hook wants the agent to know besides.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { hookEdges } from "../../core/facts/hooks.ts";
import { inLine } from "../../core/wording.ts";

const schema = v.object({ hookName: v.string(), content: v.array(v.string()) });

export const hookAdditionalContext = defineAttachment({
  type: "hook_additional_context",
  summary: "A hook gave context.",
  tier: "event",
  when: "a hook that was waited for gave additional context, whatever its outcome",
  needs: ["hooks"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "additional_context").map(({ id, hook: { hookName }, text }) => ({
      data: { hookName, content: text.split(/\r?\n/u) },
      covers: [id],
    }));
    return due.length > 0 ? due : skip("no hook gave context");
  },
  render: ({ hookName, content }) => `${inLine(hookName)} hook additional context: ${content.join("\n")}`,
  rest: () => "the hook's output has the rest",
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
