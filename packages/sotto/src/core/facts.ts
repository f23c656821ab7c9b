// What sources and the log can tell, one key each: the facts attachments ask for by name.

import type { AgentFact } from "./agent.ts";
import type { DiagnosticsFact } from "./facts/diagnostics.ts";
import type { MailboxFact } from "./facts/mailbox.ts";
import type { ModeFact } from "./facts/mode.ts";
import type { PromptsFact } from "./facts/prompts.ts";
import type { TasksFact } from "./facts/tasks.ts";
import type { TodosFact } from "./facts/todos.ts";
import type { TurnsFact } from "./facts/turns.ts";
import type { UsageFact } from "./facts/usage.ts";

/** What a source said, or that it cannot tell now: which never means "nothing there". */
export type Observed<T> = { known: true; value: T } | { known: false; why: string };

/** Facts that sources observe. A host adds its own by declaration merging. */
export interface ObservedFacts {
  /** Whether the plan file of the current mode exists. */
  planFile: { exists: boolean };
}

export interface Facts extends RecordedFacts, ObservedView {
  agent: AgentFact;
  /** What is to be said every turn: from config, and from the sub-agent's definition. */
  critical: { instruction?: string; definition?: string };
  /** How the model's view of this conversation began. */
  view: { compacted: boolean };
}

/** Folded from the log. */
export interface RecordedFacts {
  turns: TurnsFact;
  todos: TodosFact;
  mode: ModeFact;
  tasks: TasksFact;
  diagnostics: DiagnosticsFact;
  prompts: PromptsFact;
  mailbox: MailboxFact;
  usage: UsageFact;
}

type ObservedView = { [Name in keyof ObservedFacts]: Observed<ObservedFacts[Name]> };

export type FactName = keyof Facts;
export type ObservedName = keyof ObservedFacts;
