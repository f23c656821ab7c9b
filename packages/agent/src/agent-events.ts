// The events an agent emits for whatever shows it (the terminal, a JSON stream, a test), and the questions it asks.

import type { Reminder, Turn } from "sotto";
import { catalogue } from "sotto/inspect";

export interface TokenUsage {
  /** Everything in the request, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export type AgentEvent =
  /** A model call starts. */
  | { type: "turn_started"; turn: number; mode: string }
  /** A reminder in this call's request: new, or sent again because it was not confirmed. */
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
  /** The call failed and will be retried. */
  | { type: "retrying"; attempt: number; waitMs: number; why: string }
  /** The call failed for good. The session continues; reminders that were not delivered are still pending. */
  | { type: "failed"; message: string }
  | { type: "aborted" }
  | { type: "compacted"; tokensBefore: number; tokensAfter: number }
  | { type: "results_cleared"; count: number }
  /** An event of a sub-agent. `ofProject`: a file of the project defines that type of agent. */
  | { type: "subagent"; agentType: string; ofProject?: true; sessionId: string; event: AgentEvent }
  /** A background task started or ended. */
  | { type: "task"; taskId: string; description: string; status: "running" | "completed" | "failed" }
  | { type: "mode_changed"; mode: string }
  /** A message from the host itself. */
  | { type: "notice"; text: string }
  /** The work on a prompt is over. */
  | { type: "finished"; text: string; turns: number; usage: TokenUsage; costUsd?: number };

export interface ShownReminder {
  id: string;
  /** For example `edited_text_file`. */
  type: string;
  /** For example `changed_files`: the name of its switch in config. */
  generator: string;
  /** What it is about: a path, a task, or empty. */
  about: string;
  tokens: number;
  text: string;
  again: boolean;
}

export type Listener = (event: AgentEvent) => void;

// Questions to the user.

export interface Asker {
  /**
   * Asks whether a call may run. `always`: yes, and everything of this kind from now on. `nobody`: refused because no
   * user is there to ask.
   */
  permit(request: PermitRequest): Promise<Permit>;
  /** Returns one of the options, or the user's own words. */
  choose(
    question: string,
    options: readonly { label: string; description?: string | undefined }[],
  ): Promise<string>;
  /** Asks the user to approve a plan. `nobody`: nobody was asked; what was allowed in advance decides. */
  approvePlan(plan: string, path: string | undefined): Promise<PlanAnswer>;
}

export type Permit = "yes" | "no" | "always" | "nobody";
export type PlanAnswer = { approved: boolean; feedback?: string; nobody?: true };

export interface PermitRequest {
  toolName: string;
  /** What the call would do, in one line. */
  title: string;
  /** More detail: a diff, a command. */
  detail?: string;
  /** The command-line option that allows it in advance, for runs without a user. */
  allowedBy?: string;
}

// Reminders as events.

const generators = new Map(catalogue.map(({ type, generator }) => [type, generator]));

/** Emits each reminder of a turn that was not announced before. */
export function announceReminders(
  { reminders, attachments }: Turn<unknown>,
  { listen, announced }: { listen: Listener; announced: Set<string> },
): void {
  const left = [...attachments];
  for (const reminder of reminders) {
    const at = left.findIndex(({ type }) => type === reminder.type);
    const [attachment] = at < 0 ? [] : left.splice(at, 1);
    if (announced.has(reminder.id)) continue;
    announced.add(reminder.id);
    listen({ type: "reminder", reminder: toShown(reminder, attachment?.data) });
  }
}

function toShown(reminder: Reminder, data: unknown): ShownReminder {
  const { id, type, tokens, text, again } = reminder;
  return { id, type, generator: generators.get(type) ?? type, about: aboutOf(data), tokens, text, again };
}

/** The first of its fields that names something. */
function aboutOf(data: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  const { filename, path, taskId, status, planFilePath, prompt, agentType } = data as Record<string, unknown>;
  if (typeof taskId === "string")
    return [taskId, status].filter((part) => typeof part === "string").join(" ");
  const name = [filename, path, planFilePath, agentType, prompt].find((value) => typeof value === "string");
  return String(name ?? "")
    .replace(/\s+/gu, " ")
    .slice(0, 80);
}
