// Which events of each coding agent call `sotto hook`: what plugins and `sotto init` register.

export interface RegisteredEvent {
  event: string;
  /** Tools it applies to. Default: all. */
  matcher?: string;
  /** In the agent's unit. Default: the agent's own limit. */
  timeout?: number;
}

export interface HookSettings {
  timeoutUnit: "s" | "ms";
  /** Shown in the agent's list of hooks. */
  name?: string;
  /** Appended to the command, for agents that refuse a prompt when a hook cannot be started. */
  tail?: string;
  events: readonly RegisteredEvent[];
}

export interface HookHandler {
  type: "command";
  command: string;
  name?: string;
  timeout?: number;
}

export interface HookGroup {
  matcher?: string;
  hooks: HookHandler[];
}

export type HookTable = Record<string, HookGroup[]>;

export const agentNames = ["claude-code", "codex", "gemini-cli", "qwen-code"] as const;
export type AgentName = (typeof agentNames)[number];

const SECONDS = 5;
const MILLISECONDS = 5000;

export const hookSettings: Record<AgentName, HookSettings> = {
  "claude-code": {
    timeoutUnit: "s",
    events: [
      { event: "SessionStart", timeout: SECONDS },
      { event: "UserPromptSubmit", timeout: SECONDS },
      // Rules about a file are sent before it is written.
      { event: "PreToolUse", matcher: "Edit|Write|NotebookEdit", timeout: SECONDS },
      { event: "PostToolUse", timeout: SECONDS },
      { event: "PostToolUseFailure", timeout: SECONDS },
      // These two count the model's messages.
      { event: "PostToolBatch", timeout: SECONDS },
      { event: "Stop", timeout: SECONDS },
      { event: "SubagentStart", timeout: SECONDS },
      { event: "PostCompact", timeout: SECONDS },
      // All SessionEnd hooks share 1.5 s, and a plugin cannot ask for more.
      { event: "SessionEnd" },
    ],
  },
  codex: {
    timeoutUnit: "s",
    events: [
      { event: "SessionStart", timeout: SECONDS },
      { event: "SubagentStart", timeout: SECONDS },
      { event: "UserPromptSubmit", timeout: SECONDS },
      // Rules about a file are sent before it is written; later changes may come from the command.
      { event: "PreToolUse", matcher: "apply_patch|Bash", timeout: SECONDS },
      { event: "PostToolUse", timeout: SECONDS },
      { event: "Stop", timeout: SECONDS },
      { event: "PostCompact", timeout: SECONDS },
      // Its maximum.
      { event: "SessionEnd", timeout: 3 },
    ],
  },
  "gemini-cli": {
    timeoutUnit: "ms",
    name: "sotto",
    tail: " || true",
    events: [
      { event: "SessionStart", timeout: MILLISECONDS },
      { event: "BeforeAgent", timeout: MILLISECONDS },
      // Later changes may come from the command, or the write.
      { event: "BeforeTool", matcher: "run_shell_command|write_file|replace", timeout: MILLISECONDS },
      { event: "AfterTool", timeout: MILLISECONDS },
      { event: "AfterAgent", timeout: MILLISECONDS },
      { event: "PreCompress", timeout: MILLISECONDS },
      { event: "SessionEnd", timeout: MILLISECONDS },
    ],
  },
  "qwen-code": {
    timeoutUnit: "ms",
    name: "sotto",
    events: [
      { event: "SessionStart", timeout: MILLISECONDS },
      { event: "UserPromptSubmit", timeout: MILLISECONDS },
      // Later changes may come from the command, or the write.
      { event: "PreToolUse", matcher: "run_shell_command|write_file|edit", timeout: MILLISECONDS },
      { event: "PostToolUse", timeout: MILLISECONDS },
      { event: "PostToolUseFailure", timeout: MILLISECONDS },
      { event: "PostToolBatch", timeout: MILLISECONDS },
      { event: "Stop", timeout: MILLISECONDS },
      { event: "SubagentStart", timeout: MILLISECONDS },
      { event: "PostCompact", timeout: MILLISECONDS },
      { event: "SessionEnd", timeout: MILLISECONDS },
    ],
  },
};

/** The `hooks` table of an agent's settings; `program` is how a shell starts Sotto. */
export function hookTable(agent: AgentName, program = "sotto"): HookTable {
  const { events, name, tail = "" } = hookSettings[agent];
  const command = `${program} hook ${agent}${tail}`;
  return Object.fromEntries(
    events.map(({ event, matcher, timeout }) => [
      event,
      [
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            {
              type: "command" as const,
              command,
              ...(name === undefined ? {} : { name }),
              ...(timeout === undefined ? {} : { timeout }),
            },
          ],
        },
      ],
    ]),
  );
}
