// Tools that finished since the last turn, one line each: for hosts whose model does not see the results.

import * as v from "valibot";
import { sendOnce } from "../common-kinds.ts";

const schema = v.object({
  toolName: v.string(),
  callId: v.string(),
  success: v.boolean(),
  durationMs: v.number(),
});

export const toolResult = sendOnce({
  type: "tool_result",
  generator: "tool_results",
  summary: "A tool finished.",
  tier: "core",
  when: "switched on, and tools finished since the last turn",
  needs: ["finishedTools", "turns"],
  schema,
  defaultEnabled: false,
  repeat: "never",
  // What finished before it was switched on is old by now.
  pending: ({ finishedTools: { pending }, turns }) => pending.filter((one) => one.turns >= turns.assistant),
  each: ({ toolName, callId, success, durationMs }) => ({ toolName, callId, success, durationMs }),
  none: "no tool finished since the last turn",
  render({ toolName, callId, success, durationMs }) {
    const outcome = success ? "finished" : "failed";
    return `Tool ${toolName} (call ${callId}) ${outcome} after ${Math.round(durationMs)} ms.`
      .replace(/\s+/gu, " ")
      .trim();
  },
  examples: [
    { title: "finished", data: { toolName: "Bash", callId: "call_1", success: true, durationMs: 1250 } },
    { title: "failed", data: { toolName: "Edit", callId: "call_2", success: false, durationMs: 3.4 } },
  ],
});
