// What an agent tells whoever shows it, as it happens: the terminal, a JSON stream, a test.

export interface TokenUsage {
  /** Everything in the request, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type AgentEvent =
  /** A model call begins. */
  | { type: "turn_started"; turn: number; mode: string }
  /** A reminder that stands in this call's request for the first time, or again because it was not confirmed. */
  | { type: "reminder"; reminder: ShownReminder }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool_started"; callId: string; toolName: string; title: string }
  | {
      type: "tool_finished";
      callId: string;
      toolName: string;
      title: string;
      success: boolean;
      summary: string;
    }
  /** The model has answered. */
  | { type: "turn_finished"; turn: number; usage: TokenUsage; costUsd?: number; mode: string }
  /** The call failed and is made again. */
  | { type: "retrying"; attempt: number; waitMs: number; why: string }
  /** The call failed for good: the session goes on, nothing undelivered counts as delivered. */
  | { type: "failed"; message: string }
  | { type: "aborted" }
  | { type: "compacted"; tokensBefore: number; tokensAfter: number }
  | { type: "results_cleared"; count: number }
  /** What a sub-agent does, folded into its parent's events. */
  /** `ofProject`: a file of the project defines that kind of agent. */
  | { type: "subagent"; agentType: string; ofProject?: true; sessionId: string; event: AgentEvent }
  /** A background task began or ended. */
  | { type: "task"; taskId: string; description: string; status: "running" | "completed" | "failed" }
  | { type: "mode_changed"; mode: string }
  /** A word from the host itself. */
  | { type: "notice"; text: string }
  /** A prompt has been worked off. */
  | { type: "finished"; text: string; turns: number; usage: TokenUsage; costUsd?: number };

export interface ShownReminder {
  id: string;
  /** The type, as `edited_text_file`. */
  type: string;
  /** The generator, as `changed_files`: the name of its switch. */
  generator: string;
  /** What it is about, in a few words: a path, a task, nothing. */
  about: string;
  tokens: number;
  text: string;
  again: boolean;
}

export type Listener = (event: AgentEvent) => void;
