// Things that have to be said once, each with a marker in its text.

import type { StoredEvent } from "sotto/extend";

const TIME = "2026-11-15T10:00:00Z";

export function eventOf(marker: string, shape: number): StoredEvent {
  const hook = { type: "hook_finished", hookName: "check", processId: marker } as const;
  const shapes: (() => StoredEvent)[] = [
    () => ({ type: "prompt_queued", id: marker, prompt: `Please see to ${marker}.` }),
    () => ({ type: "prompt_queued", id: marker, prompt: [{ type: "text", text: `And to ${marker}.` }] }),
    () => ({
      type: "message_received",
      id: marker,
      from: "ada",
      text: `A letter, ${marker}.`,
      timestamp: TIME,
    }),
    () => ({ type: "message_received", id: marker, from: "grace", text: marker, timestamp: TIME }),
    () => ({
      type: "task_finished",
      taskId: `t${marker.replace(/\D/gu, "")}`,
      status: "failed",
      error: marker,
    }),
    () => ({ type: "agent_mentioned", agentType: marker }),
    () => ({
      ...hook,
      hookEvent: "PostToolUse",
      outcome: "success",
      async: false,
      additionalContext: marker,
    }),
    () => ({ ...hook, hookEvent: "PostToolUse", outcome: "blocking_error", async: false, message: marker }),
    () => ({ ...hook, hookEvent: "UserPromptSubmit", outcome: "success", async: false, stdout: marker }),
    () => ({ ...hook, hookEvent: "PostToolUse", outcome: "success", async: true, systemMessage: marker }),
    () => ({
      type: "resource_attached",
      server: "docs",
      uri: `docs://${marker.length}/${marker.replace(/\D/gu, "")}`,
      contents: [{ text: marker }],
    }),
  ];
  const make = shapes[shape % shapes.length] as () => StoredEvent;
  return make();
}
