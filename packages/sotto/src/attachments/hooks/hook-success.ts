// Hook success: the output of a hook at the start of a session or a prompt.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

const schema = v.object({ hookEvent: v.string(), hookName: v.string(), content: v.string(), ...longFields });

export const hookSuccess = sendOnce({
  type: "hook_success",
  summary: "A hook at the start of a session or a prompt returned text.",
  tier: "event",
  when: "a SessionStart or UserPromptSubmit hook that was waited for succeeded with text",
  needs: ["hooks"],
  schema,
  repeat: "never",
  whenTooLong: "split",
  pending: ({ hooks }) => hookEdges(hooks, "success"),
  each: ({ hook: { hookEvent, hookName }, text, part, cut }) =>
    withoutUndefined({ hookEvent, hookName, content: text, part, cut }),
  none: "no SessionStart or UserPromptSubmit hook returned text",
  render: ({ hookName, content, part, cut }) =>
    `${inLine(hookName)} hook success${partInBrackets(part)}: ${content}${restNote({ part, cut })}`,
  examples: [
    {
      title: "at the start",
      data: {
        hookEvent: "SessionStart",
        hookName: "SessionStart:startup",
        content: "The database is seeded.",
      },
    },
  ],
});
