// Tools that finished since the last turn, a line each: for hosts whose model does not see results itself.

import * as v from "valibot";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  toolName: v.string(),
  callId: v.string(),
  success: v.boolean(),
  durationMs: v.number(),
});

export const toolResult = defineAttachment({
  type: "tool_result",
  generator: "tool_results",
  summary: "A tool finished.",
  tier: "core",
  when: "switched on, and tools finished since the last turn",
  needs: ["finishedTools", "turns"],
  schema,
  defaultEnabled: false,
  oneShot: true,
  carries: "untrusted",
  trigger({ finishedTools: { pending }, turns }) {
    // What finished before it was switched on is old by now.
    const fresh = pending.filter((edge) => edge.turns >= turns.assistant);
    if (fresh.length === 0) return skip("no tool finished since the last turn");
    return fresh.map(({ id, toolName, callId, success, durationMs }) => ({
      data: { toolName, callId, success, durationMs },
      covers: [id],
    }));
  },
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
