// What happens around an agent, at random: each thing that must be said once carries a mark of its own.

import type { StoredEvent } from "sotto/extend";
import type { Random } from "./seeded.ts";

export interface World {
  /** Something that happens. */
  event(): StoredEvent;
  /** Something that must be said once. */
  oneShot(): StoredEvent;
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

  const oneShots: (() => StoredEvent)[] = [
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
      origin: random.pick(["host", "lsp"]),
      filePath: `/repo/${tag}-${count}.ts`,
      diagnostics: [{ message: mark(), severity: "Error", line: 1 }],
    }),
    () => ({ type: "agent_mentioned", agentType: mark() }),
    () => ({
      type: "resource_attached",
      server: "docs",
      uri: `docs://${tag}/${count}`,
      contents: [{ text: mark() }, { blob: PNG, mimeType: "image/png" }],
    }),
    () => hook(random, ++count, mark()),
    () => finished(running.shift() ?? `${tag}-unknown-${count}`, mark(), random.chance(0.5)),
  ];
  const others: (() => StoredEvent)[] = [
    () => ({
      type: "mode_changed",
      mode: random.pick(["plan", "plan", "normal", "normal", "accept_edits", "delegate"]),
      planFilePath: "/repo/plan.md",
      team: { name: "parsers" },
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
        taskType: random.pick(["shell", "agent", "remote_session"]),
        description: "npm test",
      };
    },
    () => ({
      type: "task_output",
      taskId: running[0] ?? `${tag}-task-${++count}`,
      deltaSummary: `news ${++count}`,
    }),
    () => ({
      type: "past_sessions_found",
      memories: [{ fullPath: "/repo/a.md", content: "one", lastModified: STAMP, remainingLines: 0 }],
    }),
    () => ({
      type: "task_progress",
      taskId: running[0] ?? `${tag}-task-${++count}`,
      message: `progress ${++count}`,
    }),
    () => ({
      type: "usage_reported",
      usedTokens: random.below(200_000),
      totalTokens: 200_000,
      usedUsd: random.below(500) / 100,
    }),
    () => smallThing(random, ++count),
    () => smallThing(random, ++count),
    () => ({ type: "tool_finished", toolName: "Bash", callId: "c", success: true, durationMs: 3 }),
  ];
  return {
    marks,
    oneShot: () => random.pick(oneShots)(),
    event: () => random.pick(random.chance(0.5) ? oneShots : others)(),
  };
}

/** What hooks can say to the model, each in another way. */
function hook(random: Random, processId: number, text: string): StoredEvent {
  const ran = { type: "hook_finished", hookName: "PostToolUse:Bash", processId, command: "check" } as const;
  return random.pick<() => StoredEvent>([
    () => ({ ...ran, hookEvent: "PostToolUse", outcome: "success", async: false, additionalContext: text }),
    () => ({ ...ran, hookEvent: "PostToolUse", outcome: "blocking_error", async: false, message: text }),
    () => ({ ...ran, hookEvent: "PostToolUse", outcome: "stopped", async: false, message: text }),
    () => ({ ...ran, hookEvent: "UserPromptSubmit", outcome: "success", async: false, stdout: text }),
    () => ({ ...ran, hookEvent: "PostToolUse", outcome: "success", async: true, systemMessage: text }),
  ])();
}

/** What may be overtaken, or is said again: it carries no mark. */
function smallThing(random: Random, count: number): StoredEvent {
  const name = `n${count}`;
  const openFile = `/repo/${name}.ts`;
  const ran = { type: "hook_finished", hookName: name, hookEvent: "Stop", async: false } as const;
  return random.pick<StoredEvent>([
    { type: "chats_changed", chats: [{ handle: name, unreadCount: 1 + random.below(3) }] },
    { type: "chats_changed", chats: [] },
    { type: "skill_invoked", name, path: `/repo/${name}/SKILL.md`, content: `Skill ${name}.` },
    { type: "style_changed", style: random.pick(["default", "Explanatory", name]) },
    { type: "ultramemory_changed", content: random.pick(["", `Remember ${name}.`]) },
    { type: "tool_results_cleared", count },
    { type: "plan_implemented" },
    { type: "ide_changed", ideName: "VS Code", openFile },
    {
      type: "ide_changed",
      ideName: "VS Code",
      openFile,
      selection: { filename: openFile, lineStart: 1, lineEnd: 1, content: name },
    },
    { ...ran, outcome: "cancelled" },
    { ...ran, outcome: "non_blocking_error", stderr: name },
    { ...ran, outcome: "success", systemMessage: name },
    { type: "noted", attachment: { type: "autocheckpointing", at: count } },
    { type: "noted", attachment: { type: "hook_permission_decision", hookName: name } },
  ]);
}

function finished(taskId: string, text: string, works: boolean): StoredEvent {
  const news = works ? { deltaSummary: text, exitCode: 0 } : { error: text };
  return { type: "task_finished", taskId, status: works ? "completed" : "failed", ...news };
}
