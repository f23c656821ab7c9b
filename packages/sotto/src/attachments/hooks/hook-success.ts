// Hook success: what a hook at the start of a session, or of a prompt, has to say.

import * as v from "valibot";
import { hookEdges } from "../../facts/hooks.ts";
import { inLine } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { longData, longFields, partInBrackets, restNote } from "../shared/long-text.ts";

const schema = v.object({ hookEvent: v.string(), hookName: v.string(), content: v.string(), ...longFields });

export const hookSuccess = defineAttachment({
  type: "hook_success",
  summary: "A hook at the start of a session or a prompt answered with text.",
  tier: "event",
  when: "a SessionStart or UserPromptSubmit hook that was waited for succeeded with text",
  needs: ["hooks"],
  schema,
  oneShot: true,
  inParts: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "success").map((edge) => ({
      data: {
        hookEvent: edge.hook.hookEvent,
        hookName: edge.hook.hookName,
        content: edge.text,
        ...longData(edge),
      },
      covers: [edge.id],
    }));
    return due.length > 0 ? due : skip("no SessionStart or UserPromptSubmit hook answered with text");
  },
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
