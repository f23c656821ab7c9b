// @anthropic-ai/claude-agent-sdk: reminders are what its hooks add to a prompt and to tool results.

import type { Session } from "../engine/session.ts";
import type { Turn } from "../engine/turn.ts";
import type { SessionEvent } from "../facts/session-events.ts";
import { errorText } from "../platform/errors.ts";
import { absolutePath } from "../platform/paths.ts";
import { claudeCode } from "../profiles/claude-code.ts";
import { type ToolUse, toolEvents } from "../profiles/tool-events.ts";
import type { Reminder } from "../render/reminder.ts";
import type { SessionFor } from "./remind.ts";
import { checkReminders, hookOptions, notify } from "./remind.ts";

/** The fields of a hook's input that are read. */
export interface HookInput {
  hook_event_name: string;
  session_id: string;
  cwd: string;
  /** If it comes from a sub-agent. */
  agent_id?: string;
  agent_type?: string;
}

/** What a hook returns to the Claude Agent SDK. */
export interface HookOutput {
  hookSpecificOutput?: { hookEventName: SpeakingEvent; additionalContext: string };
}

type Hook = (input: HookInput) => Promise<HookOutput>;
/** Hooks, as `options.hooks` of the Claude Agent SDK takes them. */
export type RemindersHooks = Record<HookedEvent, { hooks: Hook[] }[]>;

/** What `reminders` takes. */
export interface RemindersOptions {
  /** Called with each turn: what was sent, and why the rest was not. */
  onTurn?: (turn: Turn) => void;
  /** Called with the reason if nothing could be sent. */
  onProblem?: (problem: string) => void;
}

// Each of these is followed by one model call.
const speaking = ["UserPromptSubmit", "PostToolBatch", "SubagentStart"] as const;
const telling = ["SessionStart", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop"] as const;
type SpeakingEvent = (typeof speaking)[number];
type HookedEvent = SpeakingEvent | (typeof telling)[number];

/** For `hooks`, with a session of the profile `claude-code`. */
export function reminders(of: SessionFor<HookInput>, options: RemindersOptions = {}): RemindersHooks {
  checkReminders(of, options, hookOptions);
  const listener = createListener(of);
  const hook: Hook = async (input) => {
    try {
      return await listener(input, options);
    } catch (error) {
      notify(options.onProblem, errorText(error));
      return {};
    }
  };
  const events: readonly HookedEvent[] = [...speaking, ...telling];
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]])) as RemindersHooks;
}

function createListener(of: SessionFor<HookInput>) {
  /** What each agent got last: confirmed by its next event. */
  const held = new Map<Session, Turn>();
  const subagents = new Map<string, Session>();

  return async (input: HookInput, { onTurn, onProblem }: RemindersOptions): Promise<HookOutput> => {
    const parent = typeof of === "function" ? await of(input) : of;
    if (parent === undefined) return {};
    const session = sessionOf(parent, input, subagents);
    const { hook_event_name: event } = input;
    const before = held.get(session);
    held.delete(session);
    await before?.commit();
    await Promise.all(eventsOf(input).map((one) => session.record(one)));
    if (event === "SubagentStop") {
      subagents.delete(keyOf(parent, input));
      if (session !== parent) await session.close();
    }
    if (!isSpeaking(event)) return {};
    const userPrompt = promptOf(input);
    const turn = await session.turn(userPrompt === undefined ? {} : { userPrompt });
    held.set(session, turn);
    notify(onTurn, turn);
    if (turn.problem !== undefined) notify(onProblem, turn.problem);
    const additionalContext = turn.reminders.map(wordsOf).join("\n\n");
    return additionalContext === ""
      ? {}
      : { hookSpecificOutput: { hookEventName: event, additionalContext } };
  };
}

/** Undefined if a person did not write it: Claude Code also wakes itself with prompts. */
function promptOf(input: HookInput): string | undefined {
  const { prompt, source = "user" } = input as { prompt?: unknown; source?: unknown };
  const isPersons = source === "user" || source === "sdk";
  return typeof prompt === "string" && isPersons ? prompt : undefined;
}

function sessionOf(parent: Session, input: HookInput, subagents: Map<string, Session>): Session {
  const { agent_id: id, agent_type: agentType = "agent" } = input;
  if (id === undefined) return parent;
  const key = keyOf(parent, input);
  const session = subagents.get(key) ?? parent.subagent({ agentType, id: key });
  subagents.set(key, session);
  return session;
}

function keyOf(parent: Session, { agent_id: id = "" }: HookInput): string {
  return `${parent.id}/${id}`;
}

function eventsOf(input: HookInput): SessionEvent[] {
  switch (input.hook_event_name) {
    case "SessionStart": {
      const { source } = input as { source?: unknown };
      if (source === "clear") return [{ type: "session_started", reason: "clear" }];
      return source === "compact" ? [{ type: "compacted" }] : [];
    }
    case "PostToolUse":
    case "PostToolUseFailure":
      return usedTool(input);
    case "PostToolBatch":
    case "Stop":
    case "SubagentStop":
      return [{ type: "assistant_turn" }];
    default:
      return [];
  }
}

function usedTool(input: HookInput): SessionEvent[] {
  const { tool_name, tool_input, tool_response, tool_use_id, duration_ms } = input as HookInput &
    Record<string, unknown>;
  const events = toolEvents(claudeCode, {
    name: String(tool_name),
    input: tool_input,
    callId: String(tool_use_id),
    success: input.hook_event_name === "PostToolUse",
    output: tool_response,
    ...(typeof duration_ms === "number" ? timesOf(duration_ms) : {}),
  });
  return events.map((event) => inDirectory(event, input.cwd));
}

/** It has just ended. */
function timesOf(durationMs: number): Partial<ToolUse> {
  const endedAt = Date.now();
  return { durationMs, startedAt: endedAt - Math.max(0, durationMs), endedAt };
}

/** Paths in a command are relative to the agent's current directory, which may have changed. */
function inDirectory(event: SessionEvent, cwd: string): SessionEvent {
  if ("path" in event && typeof event.path === "string")
    return { ...event, path: absolutePath(event.path, cwd) };
  if (event.type !== "tool_finished" || event.paths === undefined) return event;
  return { ...event, paths: event.paths.map((path) => absolutePath(path, cwd)) };
}

function isSpeaking(event: string): event is SpeakingEvent {
  return (speaking as readonly string[]).includes(event);
}

const OPEN = "<system-reminder>\n";
const CLOSE = "\n</system-reminder>";
const NO_IMAGE = "(An image belongs here that cannot be passed on this way.)";

/** Without our tags: Claude Code adds its own around hook output. */
function wordsOf({ blocks }: Reminder): string {
  return blocks.map((block) => (block.type === "text" ? bareText(block.text) : NO_IMAGE)).join("\n");
}

function bareText(text: string): string {
  const isWrapped = text.startsWith(OPEN) && text.endsWith(CLOSE);
  return isWrapped ? text.slice(OPEN.length, -CLOSE.length) : text;
}
