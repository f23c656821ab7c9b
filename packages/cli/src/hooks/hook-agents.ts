// The agents whose command hooks are known: what each of their events means here, and what it takes.

import { type Profile, profiles } from "sotto";
import { estimateTokens } from "sotto/internal";
import type { AgentName } from "../init/hook-table.ts";

/** What an event tells. */
export type Meaning =
  /** A conversation begins, goes on, was cleared or compacted: `source` tells which. */
  | "start"
  | "prompt"
  | "before_tool"
  | "tool_done"
  | "tool_failed"
  /** All tools of one message of the model are done. */
  | "tools_done"
  | "compacted"
  /** The same, of a sub-agent only: the main one tells of it when it starts again. */
  | "agent_compacted"
  /** The model has answered, and waits. */
  | "answered"
  | "agent_start"
  | "agent_stop"
  | "end";

export interface HookEventRule {
  means: Meaning;
  /** Whether text for the model may be given there; nothing is ever printed where not. */
  takesContext: boolean;
  /** What stands before the text, where the agent puts nothing around it. */
  lead?: string;
  /** Without a prompt it is of no interest. */
  onlyWithPrompt?: true;
  /** Where the user did not ask for it, it means nothing. */
  onlyByHand?: true;
}

export interface HookAgent {
  name: AgentName;
  profile: Profile;
  events: Readonly<Record<string, HookEventRule>>;
  limit: Limit;
  /** Whether our own tags stand around each reminder: where the agent keeps them as they are and adds none. */
  tags: boolean;
  /** Whether a finished tool is the only sign of a message of the model: no event tells when all of them are done. */
  toolsCountTurns: boolean;
  /** Whether its transcript holds every text it was given; where not, nothing can be told by it. */
  showsTexts: boolean;
  /** The variable that names the directory the agent was started in, where there is one. */
  directory?: string;
}

const answers = (means: Meaning): HookEventRule => ({ means, takesContext: true });
const records = (means: Meaning): HookEventRule => ({ means, takesContext: false });

// Bare text behind the output of a tool: without a word before it, it would seem to be part of that.
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
    // Both would take text, and go on working because of it.
    SubagentStop: records("agent_stop"),
    PostCompact: records("agent_compacted"),
    Stop: records("answered"),
    SessionEnd: records("end"),
  },
  // It takes 10 000 characters, and makes a file of what is longer.
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
  // It takes about 2 500 tokens, by its own estimate of four bytes each, and makes a file of what is longer.
  limit: bytesAndTokens(2400),
  tags: true,
  toolsCountTurns: true,
  showsTexts: true,
};

const geminiCli: HookAgent = {
  name: "gemini-cli",
  profile: profiles["gemini-cli"],
  events: {
    // It puts text in front of the prompt there, and leaves such a prompt out when it goes on with the session.
    SessionStart: records("start"),
    BeforeAgent: answers("prompt"),
    // It takes no text there.
    BeforeTool: records("before_tool"),
    AfterTool: answers("tool_done"),
    // No event tells that it is over. It comes before every request, with the trigger "auto", compressed or not.
    PreCompress: { ...records("compacted"), onlyByHand: true },
    AfterAgent: records("answered"),
    SessionEnd: records("end"),
  },
  // It names no limit: what the others take is plenty for one step.
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
    // It puts text into the system prompt there, and takes it out again when it goes on with the session.
    SessionStart: records("start"),
    // Without a terminal it comes with each result of a tool as well, without a prompt; text is then not kept.
    UserPromptSubmit: { ...answers("prompt"), onlyWithPrompt: true },
    // It takes text before a tool, and shows it to nobody.
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
  // Where it names a limit at all, for prompts that a command expands to, it is 10 000 characters.
  limit: characters(9800),
  tags: false,
  toolsCountTurns: false,
  // What stands beside a prompt is not always written down.
  showsTexts: false,
  directory: "QWEN_PROJECT_DIR",
};

const agents: Readonly<Record<AgentName, HookAgent>> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  "qwen-code": qwenCode,
};

export function hookAgent(name: string): HookAgent | undefined {
  return Object.hasOwn(agents, name) ? agents[name as AgentName] : undefined;
}

// How much an agent takes at once, in the way it counts.

export interface Limit {
  /** For people. */
  words: string;
  fits(text: string): boolean;
  /** What the engine may spend on each kind of reminder: one that is larger is cut by it, with a word about the rest. */
  tokens: number;
}

export function characters(most: number): Limit {
  return {
    words: `${most} characters`,
    fits: (text) => text.length <= most,
    tokens: Math.floor(most / 4.9),
  };
}

/** By the larger of two estimates: four bytes each, and ours. */
export function bytesAndTokens(most: number): Limit {
  return {
    words: `${most} tokens`,
    fits: (text) => Buffer.byteLength(text) <= most * 4 && estimateTokens(text) <= most,
    tokens: Math.floor(most * 0.82),
  };
}
