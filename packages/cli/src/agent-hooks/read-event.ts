// An event as an agent writes it on stdin. Missing, unknown and malformed fields are ignored.

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

/** Throws if the text is not an event. */
export function readEvent(text: string): HookInput {
  let given: unknown;
  try {
    given = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    throw new Error(text.trim() === "" ? "stdin is empty" : `stdin is not JSON: ${(error as Error).message}`);
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error("stdin is not a JSON object");
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

/** The session an event belongs to. */
export interface SessionName {
  main: string;
  /** The sub-agent's session, if the event comes from one. */
  sub?: string;
}

export function sessionName(agent: string, input: HookInput, parentProcess: number): SessionName {
  const { sessionId, agentId } = input;
  const main = `${agent}/${sessionId === undefined ? derived(input, parentProcess) : word(sessionId)}`;
  return agentId === undefined ? { main } : { main, sub: `${main}/${word(agentId)}` };
}

/** Without an id: the same agent process, in the same directory, with the same transcript, is one conversation. */
function derived({ cwd = "", transcriptPath = "" }: HookInput, parentProcess: number): string {
  return `unnamed-${shortHash(`${cwd}\n${transcriptPath}\n${parentProcess}`)}`;
}

/** Unchanged, unless it is too long or has characters with a meaning in session names. */
function word(id: string): string {
  return /^[\w.:@-]{1,120}$/u.test(id) ? id : `odd-${shortHash(id)}`;
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
