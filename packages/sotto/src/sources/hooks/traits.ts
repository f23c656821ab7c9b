// What is special about each event of hooks: what its matcher is held against, who hears a block, how long it waits.

import type { HookEvent } from "./hook-format.ts";

export interface HookTraits {
  /** The field of the input that matchers are about; without one every hook of the event runs. */
  about?: string;
  /** Who hears why it is held up; nobody: at this event nothing can be. */
  blocks?: "model" | "user";
  timeoutMs: number;
}

const TIMEOUT_MS = 600_000;
// A person waits for these.
const PROMPT_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 1500;

const TRAITS: { [Event in HookEvent]?: Partial<HookTraits> } = {
  SessionStart: { about: "source" },
  SessionEnd: { about: "reason", timeoutMs: END_TIMEOUT_MS },
  // A prompt is often held up to keep it from the model: its reason may hold what must not get there.
  UserPromptSubmit: { blocks: "user", timeoutMs: PROMPT_TIMEOUT_MS },
  UserPromptExpansion: { about: "command_name", blocks: "user", timeoutMs: PROMPT_TIMEOUT_MS },
  PreToolUse: { about: "tool_name", blocks: "model" },
  PermissionRequest: { about: "tool_name", blocks: "model" },
  PermissionDenied: { about: "tool_name" },
  PostToolUse: { about: "tool_name", blocks: "model" },
  PostToolUseFailure: { about: "tool_name", blocks: "model" },
  PostToolBatch: { blocks: "model" },
  Stop: { blocks: "model" },
  SubagentStart: { about: "agent_type" },
  SubagentStop: { about: "agent_type", blocks: "model" },
  PreCompact: { about: "trigger", blocks: "user" },
  PostCompact: { about: "trigger" },
  Notification: { about: "notification_type" },
  TaskCreated: { blocks: "model" },
  TaskCompleted: { blocks: "model" },
  TeammateIdle: { blocks: "model" },
  InstructionsLoaded: { about: "load_reason" },
  ConfigChange: { about: "source", blocks: "user" },
};

export function traitsOf(event: HookEvent): HookTraits {
  return { timeoutMs: TIMEOUT_MS, ...TRAITS[event] };
}

/** What the event is about, in a word: the tool, the source. */
export function subjectOf(event: HookEvent, input: Readonly<Record<string, unknown>>): string | undefined {
  const { about } = traitsOf(event);
  const value = about === undefined ? undefined : input[about];
  return typeof value === "string" && value !== "" ? value : undefined;
}
