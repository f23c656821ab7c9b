// Async hook response: a hook that ran in the background has responded.

import * as v from "valibot";
import { answerOf, hookEdges } from "../../facts/hooks.ts";
import { inLine, NOBODY } from "../../render/wording.ts";
import { sendOnce } from "../common-kinds.ts";
import { longFields, partInBrackets, restNote } from "../shared/long-text.ts";
import { withoutUndefined } from "../shared/without-undefined.ts";

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
  ...longFields,
});

export const asyncHookResponse = sendOnce({
  type: "async_hook_response",
  generator: "async_hook_responses",
  summary: "A hook that ran in the background has responded.",
  tier: "main_agent",
  when: "an async hook finished; without a system message or context it is recorded and nothing is sent",
  needs: ["hooks"],
  schema,
  repeat: "never",
  whenTooLong: "split",
  pending: ({ hooks }) => hookEdges(hooks, "async_response"),
  each({ hook, text, part, cut }) {
    const { systemMessage, additionalContext, command: _command, message: _message, ...rest } = hook;
    const isWhole = part === undefined && cut === undefined;
    const response = isWhole ? { systemMessage, additionalContext } : { additionalContext: text };
    return { ...rest, ...withoutUndefined({ response: withoutUndefined(response), part, cut }) };
  },
  none: "no async hook has responded",
  render({ hookName, response, part, cut }) {
    const words = part === undefined ? answerOf(response) : (response.additionalContext ?? "");
    if (words === "") return "";
    // The text alone could be mistaken for the user's.
    return `Automatic answer of the background hook ${inLine(hookName)}${partInBrackets(part)}; ${NOBODY}:\n${words}${restNote({ part, cut })}`;
  },
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
