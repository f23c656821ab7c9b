// What one hook call has to do, from the event alone: what to record, what to look up, whether to run a turn.

import { isAbsolute, join } from "node:path";
import type { SessionEvent } from "sotto";
import { type ToolUse, toolEvents } from "sotto/extend";
import { commandStarts, looksFailed, writtenPaths } from "sotto/internal";
import type { HookAgent, HookEventRule } from "./event-rules.ts";
import { type HookInput, shortHash } from "./read-event.ts";

export interface CallPlan {
  /** The agent itself was started: texts sent before may never have been seen. */
  starts: boolean;
  record: SessionEvent[];
  /** The call is about to write files, or has. */
  writes?: Writes;
  /** Undefined if the event takes no text, or there is no reason to send any. */
  turn?: { prompt?: string };
}

export interface Writes {
  /** The same before and after. */
  callId: string;
  tool: string;
  paths: string[];
  /** What it is going to write, as far as its input says. */
  writes: Writing[];
  isOver: boolean;
}

type Writing = Extract<SessionEvent, { type: "file_written" }>;

/** When the call was made, and a unique word for it. */
export interface CallMoment {
  now: number;
  nonce: string;
}

/** Undefined if there is nothing to do: then not even the store is opened. */
export function planCall(agent: HookAgent, input: HookInput, moment: CallMoment): CallPlan | undefined {
  const rule = ruleFor(agent, input.event);
  if (rule === undefined || isIdle(rule, input)) return undefined;
  const record = eventsOf(agent, rule, { input, moment }).map((event) => inDirectory(event, input.cwd));
  const isBefore = rule.means === "before_tool";
  const isAfter = rule.means === "tool_done" || rule.means === "tool_failed";
  const paths = isBefore || isAfter ? pathsIn(agent, input) : [];
  if (isBefore && paths.length === 0 && record.length === 0) return undefined;
  // Before a command there is nothing to send.
  const runsTurn = rule.takesContext && (!isBefore || paths.length > 0);
  return {
    starts: rule.means === "start" && input.source !== "clear" && input.source !== "compact",
    record,
    ...(paths.length === 0 ? {} : { writes: writesOf(agent, input, { paths, isOver: isAfter }) }),
    ...(runsTurn ? { turn: promptOf(rule, input) } : {}),
  };
}

function writesOf(
  { profile }: HookAgent,
  input: HookInput,
  { paths, isOver }: Pick<Writes, "paths" | "isOver">,
): Writes {
  const callId = callIdOf(input);
  const { toolName: name = "a tool", toolInput } = input;
  const use = { name, input: toolInput, callId, success: true };
  const writes = isOver
    ? []
    : toolEvents(profile, use)
        .filter((event): event is Writing => event.type === "file_written" && event.edits !== undefined)
        .map((event) => ({ ...event, path: absolute(event.path, input.cwd) }));
  return { callId, tool: name, paths, writes, isOver };
}

/** Not every agent gives its calls an id. */
function callIdOf({ toolName = "", toolInput, toolUseId }: HookInput): string {
  return toolUseId ?? `${toolName} ${shortHash(JSON.stringify(toolInput) ?? "")}`;
}

export function ruleFor(agent: HookAgent, event: string): HookEventRule | undefined {
  return Object.hasOwn(agent.events, event) ? agent.events[event] : undefined;
}

/** The event means nothing here. */
function isIdle({ means, onlyWithPrompt, onlyByHand }: HookEventRule, input: HookInput): boolean {
  if (means === "agent_compacted" && input.agentId === undefined) return true;
  if (onlyWithPrompt && input.prompt === undefined) return true;
  return onlyByHand === true && input.trigger === "auto";
}

function promptOf({ means }: HookEventRule, { prompt }: HookInput): { prompt?: string } {
  return means === "prompt" && prompt !== undefined ? { prompt } : {};
}

function eventsOf(
  agent: HookAgent,
  { means }: HookEventRule,
  { input, moment }: { input: HookInput; moment: CallMoment },
): SessionEvent[] {
  switch (means) {
    case "start":
      if (input.source === "clear") return [{ type: "session_started", reason: "clear" }];
      return input.source === "compact" ? [{ type: "compacted" }] : [];
    case "tool_done":
    case "tool_failed": {
      const success = means === "tool_done" && !saysFailed(agent, input);
      const turn: SessionEvent[] = agent.toolsCountTurns ? [{ type: "assistant_turn" }] : [];
      return [...turn, ...toolEvents(agent.profile, toolUse(input, success, moment))];
    }
    case "tools_done":
    case "answered":
    case "agent_stop":
      return [{ type: "assistant_turn" }];
    case "compacted":
    case "agent_compacted":
      return [{ type: "compacted" }];
    case "end":
      return [{ type: "session_ended" }];
    case "before_tool": {
      const { success: _success, endedAt: startedAt = moment.now, ...use } = toolUse(input, true, moment);
      return commandStarts(agent.profile, { ...use, startedAt });
    }
    case "prompt":
    case "agent_start":
      return [];
  }
}

function toolUse(
  { toolName = "", toolInput, toolResponse, toolUseId, durationMs }: HookInput,
  success: boolean,
  { now, nonce }: CallMoment,
): ToolUse {
  return {
    name: toolName,
    input: toolInput,
    callId: toolUseId ?? `hook-${nonce}`,
    success,
    output: toolResponse,
    endedAt: now,
    ...(durationMs === undefined ? {} : { durationMs, startedAt: now - durationMs }),
  };
}

/** Some agents report failed tools with the same event: in a field, or in words. */
function saysFailed(agent: HookAgent, input: HookInput): boolean {
  const { toolResponse: response } = input;
  // What a file or a command says is its own.
  const answers = pathsIn(agent, input).length > 0;
  if (typeof response === "string") return answers && looksFailed(response);
  if (typeof response !== "object" || response === null) return false;
  const { error, llmContent } = response as { error?: unknown; llmContent?: unknown };
  if (error !== undefined && error !== null && error !== false && error !== "") return true;
  return answers && looksFailed(llmContent);
}

function pathsIn({ profile }: HookAgent, { toolName = "", toolInput, cwd }: HookInput): string[] {
  return writtenPaths(profile, toolName, toolInput).map((path) => absolute(path, cwd));
}

/** Paths in tool calls are relative to the agent's current directory, not to where it started. */
function inDirectory(event: SessionEvent, cwd: string | undefined): SessionEvent {
  if (event.type === "file_written" && event.movedFrom !== undefined)
    return { ...event, path: absolute(event.path, cwd), movedFrom: absolute(event.movedFrom, cwd) };
  if ("path" in event && typeof event.path === "string") return { ...event, path: absolute(event.path, cwd) };
  if (event.type !== "tool_finished" || event.paths === undefined) return event;
  return { ...event, paths: event.paths.map((path) => absolute(path, cwd)) };
}

function absolute(path: string, cwd: string | undefined): string {
  return cwd === undefined || isAbsolute(path) || path.startsWith("~") ? path : join(cwd, path);
}
