// The coding agents with command hooks: what each event means, and whether and how much text it takes.

import { type Profile, profiles } from "sotto";
import { estimateTokens } from "sotto/internal";
import type { AgentName } from "../init/hook-table.ts";

export type Meaning =
  /** A conversation starts, continues, was cleared or compacted, depending on `source`. */
  | "start"
  | "prompt"
  | "before_tool"
  | "tool_done"
  | "tool_failed"
  /** All tool calls of one message of the model are done. */
  | "tools_done"
  | "compacted"
  /** The same, but only for a sub-agent: the main agent reports it with its next start event. */
  | "agent_compacted"
  /** The model has finished its answer. */
  | "answered"
  | "agent_start"
  | "agent_stop"
  | "end";

export interface HookEventRule {
  means: Meaning;
  /** Whether this event takes text for the model; if not, nothing is printed. */
  takesContext: boolean;
  /** Put before the text if the agent does not mark it itself. */
  lead?: string;
  /** Ignored without a prompt. */
  onlyWithPrompt?: true;
  /** Ignored unless the user asked for it. */
  onlyByHand?: true;
}

export interface HookAgent {
  name: AgentName;
  profile: Profile;
  events: Readonly<Record<string, HookEventRule>>;
  limit: Limit;
  /** Whether to keep our tags around each reminder: if the agent passes them on and adds none of its own. */
  tags: boolean;
  /** Whether to count each finished tool call as a message of the model, because no event follows all of them. */
  toolsCountTurns: boolean;
  /** Whether its transcript holds every text it received. */
  showsTexts: boolean;
  /** Environment variable with the directory the agent was started in. */
  directory?: string;
}

const answers = (means: Meaning): HookEventRule => ({ means, takesContext: true });
const records = (means: Meaning): HookEventRule => ({ means, takesContext: false });

// The text follows a tool's output directly: without this it would look like part of it.
const BARE = "[reminder, not part of the output above]";

const claudeCode: HookAgent = {
  name: "claude-code",
  profile: profiles["claude-code"],
  events: {
    SessionStart: answers("start"),
    UserPromptSubmit: answers("prompt"),
    PreToolUse: answers("before_tool"),
    PostToolUse: answers("tool_done"),
    PostToolUseFailure: answers("tool_failed"),
    PostToolBatch: answers("tools_done"),
    SubagentStart: answers("agent_start"),
    // Text here would make the agent continue working.
    SubagentStop: records("agent_stop"),
    PostCompact: records("agent_compacted"),
    Stop: records("answered"),
    SessionEnd: records("end"),
  },
  // It takes 10,000 characters, and writes longer texts to a file.
  limit: characters(9800),
  tags: false,
  toolsCountTurns: false,
  showsTexts: true,
  directory: "CLAUDE_PROJECT_DIR",
};

const codex: HookAgent = {
  name: "codex",
  profile: profiles.codex,
  events: {
    SessionStart: answers("start"),
    UserPromptSubmit: answers("prompt"),
    PreToolUse: answers("before_tool"),
    PostToolUse: answers("tool_done"),
    SubagentStart: answers("agent_start"),
    SubagentStop: records("agent_stop"),
    PostCompact: records("agent_compacted"),
    Stop: records("answered"),
    SessionEnd: records("end"),
  },
  // It takes about 2,500 tokens, estimated at four bytes each, and writes longer texts to a file.
  limit: bytesAndTokens(2400),
  tags: true,
  toolsCountTurns: true,
  showsTexts: true,
};

const geminiCli: HookAgent = {
  name: "gemini-cli",
  profile: profiles["gemini-cli"],
  events: {
    // It would put text before the prompt, and drop that prompt when the session is resumed.
    SessionStart: records("start"),
    BeforeAgent: answers("prompt"),
    // It takes no text here.
    BeforeTool: records("before_tool"),
    AfterTool: answers("tool_done"),
    // There is no event after compression. With the trigger "auto" this comes before every request, compressed or not.
    PreCompress: { ...records("compacted"), onlyByHand: true },
    AfterAgent: records("answered"),
    SessionEnd: records("end"),
  },
  // It documents no limit; this is the others'.
  limit: characters(9800),
  tags: false,
  toolsCountTurns: true,
  showsTexts: true,
  directory: "GEMINI_PROJECT_DIR",
};

const qwenCode: HookAgent = {
  name: "qwen-code",
  profile: profiles["qwen-code"],
  events: {
    // It would put text into the system prompt, and drop it when the session is resumed.
    SessionStart: records("start"),
    // Without a terminal it also comes with each tool result, without a prompt; text is then not kept.
    UserPromptSubmit: { ...answers("prompt"), onlyWithPrompt: true },
    // It takes text here, but does not pass it on.
    PreToolUse: records("before_tool"),
    PostToolUse: { ...answers("tool_done"), lead: BARE },
    PostToolUseFailure: { ...answers("tool_failed"), lead: BARE },
    PostToolBatch: { ...answers("tools_done"), lead: BARE },
    SubagentStart: answers("agent_start"),
    SubagentStop: records("agent_stop"),
    PostCompact: records("agent_compacted"),
    Stop: records("answered"),
    SessionEnd: records("end"),
  },
  // Its only documented limit, for prompts expanded from commands, is 10,000 characters.
  limit: characters(9800),
  tags: false,
  toolsCountTurns: false,
  // Text beside a prompt is not always written to the transcript.
  showsTexts: false,
  directory: "QWEN_PROJECT_DIR",
};

/** A call needs one of them. */
const agents: Readonly<Record<AgentName, () => HookAgent>> = {
  "claude-code": () => claudeCode,
  codex: () => codex,
  "gemini-cli": () => geminiCli,
  "qwen-code": () => qwenCode,
};

export function hookAgent(name: string): HookAgent | undefined {
  return Object.hasOwn(agents, name) ? agents[name as AgentName]() : undefined;
}

/** How much text an agent takes at once, counted as it does. */
export interface Limit {
  words: string;
  fits(text: string): boolean;
  /** Token budget for the engine, which truncates longer reminders with a notice. */
  tokens: number;
}

export function characters(most: number): Limit {
  return {
    words: `${most} characters`,
    fits: (text) => text.length <= most,
    tokens: Math.floor(most / 4.9),
  };
}

/** By the larger of two estimates: four bytes per token, and ours. */
export function bytesAndTokens(most: number): Limit {
  return {
    words: `${most} tokens`,
    fits: (text) => Buffer.byteLength(text) <= most * 4 && estimateTokens(text) <= most,
    tokens: Math.floor(most * 0.82),
  };
}
