// An event as an agent writes it on stdin, read as far as it is known. What is missing or odd is left out.

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
