// Async hook response: a hook that ran in the background has answered.

import * as v from "valibot";
import { answerOf, hookEdges } from "../../facts/hooks.ts";
import { inLine, NOBODY } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";
import { longData, longFields, partInBrackets, restNote } from "../shared/long-text.ts";

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

export const asyncHookResponse = defineAttachment({
  type: "async_hook_response",
  generator: "async_hook_responses",
  summary: "A hook that ran in the background has answered.",
  tier: "main_agent",
  when: "an async hook finished; one without message and context is noted, and nothing is said",
  needs: ["hooks"],
  schema,
  oneShot: true,
  inParts: true,
  carries: "untrusted",
  trigger({ hooks }) {
    const due = hookEdges(hooks, "async_response").map((edge) => {
      const { systemMessage, additionalContext, command: _command, message: _message, ...rest } = edge.hook;
      const isWhole = edge.part === undefined && edge.cut === undefined;
      const response = isWhole
        ? {
            ...(systemMessage === undefined ? {} : { systemMessage }),
            ...(additionalContext === undefined ? {} : { additionalContext }),
          }
        : { additionalContext: edge.text };
      return { data: { ...rest, response, ...longData(edge) }, covers: [edge.id] };
    });
    return due.length > 0 ? due : skip("no async hook has answered");
  },
  render({ hookName, response, part, cut }) {
    const words = part === undefined ? answerOf(response) : (response.additionalContext ?? "");
    if (words === "") return "";
    // Words alone could pass for the user's.
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
