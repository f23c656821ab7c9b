// What an agent tells whoever shows it, as it happens: the terminal, a JSON stream, a test.

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

// Questions to the person in front of the agent.

export interface Asker {
  /**
   * Whether something that changes things may be done. `always`: and everything of this kind from now on. `nobody`: no
   * one is there to be asked, so it is a no that no person said.
   */
  permit(request: PermitRequest): Promise<Permit>;
  /** One of the options, or words of the person's own. */
  choose(
    question: string,
    options: readonly { label: string; description?: string | undefined }[],
  ): Promise<string>;
  /** The plan as it stands: approved, or with words about what is missing. `nobody`: it is what was allowed beforehand. */
  approvePlan(plan: string, path: string | undefined): Promise<PlanAnswer>;
}

export type Permit = "yes" | "no" | "always" | "nobody";
export type PlanAnswer = { approved: boolean; feedback?: string; nobody?: true };

export interface PermitRequest {
  toolName: string;
  /** What would be done, in one line. */
  title: string;
  /** More of it, where one line is not enough: a diff, a command. */
  detail?: string;
  /** The option that allows it beforehand, for where nobody can be asked. */
  allowedBy?: string;
}

// What a reminder is about, in a few words, for the mark that stands for it.

const generators = new Map(catalogue.map(({ type, generator }) => [type, generator]));

/** Each reminder of a turn that was not told yet, with what it is about. */
export function showReminders(
  { reminders, attachments }: Turn<unknown>,
  { listen, told }: { listen: Listener; told: Set<string> },
): void {
  const left = [...attachments];
  for (const reminder of reminders) {
    const at = left.findIndex(({ type }) => type === reminder.type);
    const [attachment] = at < 0 ? [] : left.splice(at, 1);
    if (told.has(reminder.id)) continue;
    told.add(reminder.id);
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
