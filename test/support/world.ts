// What happens around an agent, at random: each thing that must be said once carries a mark of its own.

import type { SessionEvent } from "sotto";
import type { Random } from "./seeded.ts";

export interface World {
  /** Something that happens. */
  event(): SessionEvent;
  /** Something that must be said once. */
  oneShot(): SessionEvent;
  /** Marks of everything that must be said once and cannot be overtaken. */
  readonly marks: readonly string[];
}

export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const STAMP = "2026-11-15T10:00:00Z";

/** `tag`, in capitals, keeps the marks of several worlds apart. */
export function createWorld(random: Random, tag = "M"): World {
  const marks: string[] = [];
  const running: string[] = [];
  let count = 0;
  const mark = () => {
    const next = `${tag}${++count}X`;
    marks.push(next);
    return next;
  };

  const oneShots: (() => SessionEvent)[] = [
    () => ({
      type: "message_received",
      id: `${tag}-mail-${count}`,
      from: "ada",
      text: mark(),
      timestamp: STAMP,
    }),
    () => ({ type: "prompt_queued", id: `${tag}-prompt-${count}`, prompt: mark() }),
    () => ({
      type: "prompt_queued",
      id: `${tag}-prompt-${count}`,
      prompt: [
        { type: "text", text: mark() },
        { type: "image", mediaType: "image/png", data: PNG },
      ],
    }),
    () => ({
      type: "diagnostics_published",
      origin: "host",
      filePath: `/repo/${tag}-${count}.ts`,
      diagnostics: [{ message: mark(), severity: "Error", line: 1 }],
    }),
    () => ({
      type: "hook_finished",
      hookName: "PostToolUse:Bash",
      hookEvent: "PostToolUse",
      processId: ++count,
      outcome: "success",
      async: false,
      additionalContext: mark(),
    }),
    () => ({ type: "agent_mentioned", agentType: mark() }),
    () => ({
      type: "resource_attached",
      server: "docs",
      uri: `docs://${tag}/${count}`,
      contents: [{ text: mark() }, { blob: PNG, mimeType: "image/png" }],
    }),
    () => finished(running.shift() ?? `${tag}-unknown-${count}`, mark()),
  ];
  const others: (() => SessionEvent)[] = [
    () => ({
      type: "mode_changed",
      mode: random.pick(["plan", "plan", "normal", "normal", "accept_edits"]),
      planFilePath: "/repo/plan.md",
    }),
    () => ({
      type: "todos_written",
      items: Array.from({ length: random.below(3) }, (_, index) => ({
        content: `item ${index}`,
        status: random.pick(["pending", "in_progress", "completed"] as const),
      })),
    }),
    () => {
      running.push(`${tag}-task-${++count}`);
      return {
        type: "task_started",
        taskId: `${tag}-task-${count}`,
        taskType: "shell",
        description: "npm test",
      };
    },
    () => ({
      type: "task_output",
      taskId: running[0] ?? `${tag}-task-${++count}`,
      deltaSummary: `news ${++count}`,
    }),
    () => ({ type: "usage_reported", usedTokens: random.below(200_000), totalTokens: 200_000 }),
    () => ({
      type: "past_sessions_found",
      memories: [{ fullPath: "/repo/a.md", content: "one", lastModified: STAMP, remainingLines: 0 }],
    }),
    () => ({ type: "tool_finished", toolName: "Bash", callId: "c", success: true, durationMs: 3 }),
  ];
  return {
    marks,
    oneShot: () => random.pick(oneShots)(),
    event: () => random.pick(random.chance(0.5) ? oneShots : others)(),
  };
}

function finished(taskId: string, text: string): SessionEvent {
  return { type: "task_finished", taskId, status: "completed", deltaSummary: text };
}
