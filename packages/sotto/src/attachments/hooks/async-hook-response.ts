// Async hook response: a hook that ran in the background has answered.

import * as v from "valibot";
import { defineAttachment, skip } from "../../core/attachment.ts";
import { hookEdges } from "../../core/facts/hooks.ts";
import { inLine } from "../../core/wording.ts";

const schema = v.object({
  processId: v.optional(v.union([v.string(), v.number()])),
  hookName: v.string(),
  hookEvent: v.string(),
  toolName: v.optional(v.string()),
  response: v.object({
    systemMessage: v.optional(v.string()),
    additionalContext: v.optional(v.string()),
  }),
  stdout: v.optional(v.string()),
  stderr: v.optional(v.string()),
  exitCode: v.optional(v.number()),
});

export const asyncHookResponse = defineAttachment({
  type: "async_hook_response",
  generator: "async_hook_responses",
  summary: "A hook that ran in the background has answered.",
  tier: "main_agent",
  when: "an async hook finished; one without message and context is noted, and nothing is said",
  needs: ["hooks"],
  schema,
  oneShot: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "async_response").map(({ id, hook }) => {
      const { systemMessage, additionalContext, command: _command, message: _message, ...rest } = hook;
      const response = {
        ...(systemMessage === undefined ? {} : { systemMessage }),
        ...(additionalContext === undefined ? {} : { additionalContext }),
      };
      return { data: { ...rest, response }, covers: [id] };
    });
    return due.length > 0 ? due : skip("no async hook has answered");
  },
  render({ hookName, response: { systemMessage = "", additionalContext = "" } }) {
    const parts = [systemMessage, additionalContext].filter((part) => part.trim() !== "");
    if (parts.length === 0) return "";
    // Words alone could pass for the user's.
    return `Automatic answer of the background hook ${inLine(hookName)}:\n${parts.join("\n\n")}`;
  },
  rest: () => "the hook's output has the rest",
  examples: [
    {
      title: "a message and context",
      data: {
        processId: 4711,
        hookName: "PostToolUse:Write",
        hookEvent: "PostToolUse",
        toolName: "Write",
        response: {
          systemMessage: "The type check has finished.",
          additionalContext: "src/parser.ts: 2 errors, lines 10 and 12.",
        },
        exitCode: 0,
      },
    },
    {
      title: "context alone",
      data: {
        hookName: "PostToolUse:Write",
        hookEvent: "PostToolUse",
        response: { additionalContext: "src/parser.ts: no errors." },
      },
    },
  ],
});
