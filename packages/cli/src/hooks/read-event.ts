// An event as an agent writes it on stdin, read as far as it is known. What is missing or odd is left out.

import { createHash } from "node:crypto";

export interface HookInput {
  event: string;
  sessionId?: string;
  cwd?: string;
  transcriptPath?: string;
  permissionMode?: string;
  source?: string;
  trigger?: string;
  prompt?: string;
  toolName?: string;
  toolInput?: unknown;
  toolUseId?: string;
  toolResponse?: unknown;
  durationMs?: number;
  agentId?: string;
  agentType?: string;
  timestamp?: string;
}

/** Throws in words where it is no event at all. */
export function readEvent(text: string): HookInput {
  let given: unknown;
  try {
    given = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    throw new Error(
      text.trim() === "" ? "stdin was empty" : `stdin was no JSON: ${(error as Error).message}`,
    );
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error("stdin was JSON, but no object");
  const fields = given as Record<string, unknown>;
  const event = fields.hook_event_name;
  if (typeof event !== "string" || event === "") throw new Error("hook_event_name is missing");
  const duration = fields.duration_ms;
  return {
    event,
    ...texts(fields),
    ...("tool_input" in fields ? { toolInput: fields.tool_input } : {}),
    ...("tool_response" in fields ? { toolResponse: fields.tool_response } : {}),
    ...(typeof duration === "number" && duration >= 0 && Number.isFinite(duration)
      ? { durationMs: duration }
      : {}),
  };
}

const TEXTS = {
  session_id: "sessionId",
  cwd: "cwd",
  transcript_path: "transcriptPath",
  permission_mode: "permissionMode",
  source: "source",
  trigger: "trigger",
  prompt: "prompt",
  tool_name: "toolName",
  tool_use_id: "toolUseId",
  agent_id: "agentId",
  agent_type: "agentType",
  timestamp: "timestamp",
} as const;

type Texts = { [Name in (typeof TEXTS)[keyof typeof TEXTS]]?: string };

function texts(fields: Record<string, unknown>): Texts {
  const found: Texts = {};
  for (const [field, name] of Object.entries(TEXTS)) {
    const value = fields[field];
    if (typeof value === "string" && value !== "") found[name] = value;
  }
  return found;
}

// Which session an event belongs to: the agent, its conversation, and the sub-agent it comes from.

export interface SessionName {
  /** The conversation's own. */
  main: string;
  /** The sub-agent's, where the event comes from one. */
  sub?: string;
}

export function sessionName(agent: string, input: HookInput, parentProcess: number): SessionName {
  const { sessionId, agentId } = input;
  const main = `${agent}/${sessionId === undefined ? derived(input, parentProcess) : word(sessionId)}`;
  return agentId === undefined ? { main } : { main, sub: `${main}/${word(agentId)}` };
}

/** Without an id: the same agent process, in the same directory, with the same transcript, is one conversation. */
function derived({ cwd = "", transcriptPath = "" }: HookInput, parentProcess: number): string {
  return `unnamed-${short(`${cwd}\n${transcriptPath}\n${parentProcess}`)}`;
}

/** As it is, unless it has characters that mean something in a session's name, or is endless. */
function word(id: string): string {
  return /^[\w.:@-]{1,120}$/u.test(id) ? id : `odd-${short(id)}`;
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
