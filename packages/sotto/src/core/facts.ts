// What sources and the log can tell, one key each: the facts attachments ask for by name.

import type { AgentFact } from "./agent.ts";
import type { ActivityFact } from "./facts/activity.ts";
import type { AgentMentionsFact } from "./facts/agent-mentions.ts";
import type { AttachedFact } from "./facts/attached.ts";
import type { CallsFact } from "./facts/calls.ts";
import type { ChatsFact } from "./facts/chats.ts";
import type { ClearedFact } from "./facts/cleared.ts";
import type { DiagnosticsFact } from "./facts/diagnostics.ts";
import type { FilesFact } from "./facts/files.ts";
import type { FinishedToolsFact } from "./facts/finished-tools.ts";
import type { HooksFact } from "./facts/hooks.ts";
import type { IdeFact, IdeLink } from "./facts/ide.ts";
import type { MailboxFact } from "./facts/mailbox.ts";
import type { MemoryFact } from "./facts/memory.ts";
import type { ModeFact } from "./facts/mode.ts";
import type { NotesFact } from "./facts/notes.ts";
import type { PastSessionsFact } from "./facts/past-sessions.ts";
import type { PlanFact } from "./facts/plan.ts";
import type { PromptsFact } from "./facts/prompts.ts";
import type { ReadsFact } from "./facts/reads.ts";
import type { ReminderFilesFact } from "./facts/reminder-files.ts";
import type { ResourcesFact } from "./facts/resources.ts";
import type { SkillsFact } from "./facts/skills.ts";
import type { StartFact } from "./facts/start.ts";
import type { StyleFact } from "./facts/style.ts";
import type { TasksFact } from "./facts/tasks.ts";
import type { TodosFact } from "./facts/todos.ts";
import type { TurnsFact } from "./facts/turns.ts";
import type { UltramemoryFact } from "./facts/ultramemory.ts";
import type { UsageFact } from "./facts/usage.ts";
import type { ViewFact } from "./facts/view.ts";
import type { WorkFact } from "./facts/work.ts";
import type { UserReminders } from "./user-reminder.ts";

/** What a source said, or that it cannot tell now: which never means "nothing there". */
export type Observed<T> = { known: true; value: T } | { known: false; why: string };

/** Facts that sources observe. A host adds its own by declaration merging. */
export interface ObservedFacts {
  /** Whether the plan file of the current mode exists; why one that the model has yet to see is not shown. */
  planFile: { exists: boolean; untold?: string };
  /** Local dates, `YYYY-MM-DD`. */
  calendar: { today: string; start: string };
  /** That tracked files were looked at: what changed is recorded. */
  fileChanges: FileChanges;
  /** That what the user mentioned was looked up: what was found is recorded. */
  mentioned: Mentioned;
  /** That agents the user mentioned were looked for: they are recorded. */
  mentionedAgents: { found: number; unknown?: readonly string[] };
  /** That resources the user mentioned were read: they are recorded. */
  mentionedResources: Mentioned;
  /** That summaries of earlier sessions were looked for: they are recorded. Why there are none. */
  sessionNotes: { untold?: string };
  /** The reminders that the user and the project have defined. */
  userReminders: UserReminders;
  /** That what comes back after compaction was read: it is recorded. */
  restoredFiles: { restored: number };
  /** That instruction files for touched paths were looked up: what was found is recorded. */
  instructions: { unknown: readonly Doubt[] };
  /** Instruction files that hold from the start. */
  projectContext: ProjectContext;
  /** Whether an editor tells what the user looks at. A source of the host's. */
  ideLink: IdeLink;
  /** Whether the file that the user looks at in the IDE may be shown. */
  ideAccess: IdeAccess;
  /** Files whose diagnostics are not kept, as they may not be shown. */
  diagnosticsAccess: { hidden: readonly Doubt[] };
  /** Which language servers are asked about files, and how they are: what they said is recorded. */
  languageServers: LanguageServers;
  /** That the mailbox was looked into: letters are recorded, what is none was set aside. */
  mail: Mail;
  /** That the team's chats were looked at: what is unread is recorded. */
  collab: Collab;
  /** Sections a host adds to them, by their heading: git status, date. No built-in source. */
  contextSections: Readonly<Record<string, string>>;
}

/** Something that could not be told, and why. */
export interface Doubt {
  path: string;
  why: string;
}

export interface FileChanges {
  tracked: number;
  unknown: readonly Doubt[];
}

/** Something mentioned that does not come. `of`: the type whose silence it is, where that can be told. */
export interface Unresolved {
  text: string;
  reason: string;
  of?: "directory" | "compact_file_reference";
  /** Of a file that was named before: said again where that is no longer in view. */
  named?: { tooLarge?: boolean; slow?: boolean };
}

export interface Mentioned {
  found: number;
  unresolved: readonly Unresolved[];
}

export interface ProjectContext {
  files: readonly {
    path: string;
    realPath: string;
    kind: "managed" | "user" | "project" | "local";
    content: string;
    /** Of the whole file; and what tells versions of what is shown apart. */
    hash: string;
    version: string;
  }[];
  /** Files that did not come, while nobody can say that they no longer hold: they could not be read just now. */
  inDoubt: readonly string[];
  /** What does not load, or not as it was meant: the first of it, with reasons, and how many more there are. */
  skipped: readonly { path: string; reason: string }[];
  moreSkipped?: number;
}

export interface Mail {
  received: number;
  /** How many files were set aside, and the last of them. */
  aside: number;
  bad: readonly { file: string; reason: string }[];
  /** Why some of it is read later only. */
  later?: string;
}

export interface Collab {
  /** How many chats there are. */
  chats: number;
  /** Lines that are no message, files that cannot be read; the last of them. */
  problems: readonly { chat: string; reason: string }[];
}

export interface IdeAccess {
  /** Absent where nothing is open. */
  path?: string;
  access: "allowed" | "secret" | "denied";
  /** What denies it. */
  rule?: string;
}

export interface LanguageServers {
  servers: readonly LanguageServerState[];
}

export interface LanguageServerState {
  name: string;
  state: "idle" | "missing" | "untrusted" | "starting" | "ready" | "waiting" | "given up";
  /** What is wrong, or what it is, in words. */
  detail: string;
}

export interface CriticalWords {
  content: string;
  /** A project's file says it. */
  ofProject?: true;
  /** That file, where nobody has trusted it. */
  from?: string;
}

export interface Facts extends RecordedFacts, ObservedView {
  agent: AgentFact;
  /** What is to be said every turn: from config, and from the sub-agent's definition. */
  critical: { instruction?: string; definition?: CriticalWords; project?: CriticalWords };
  /** In which words background tasks are told. */
  taskStyle: "unified" | "classic";
  /** What may be spent. */
  budget: { maxUsd?: number };
  view: ViewFact;
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
  files: FilesFact;
  attached: AttachedFact;
  agentMentions: AgentMentionsFact;
  resources: ResourcesFact;
  pastSessions: PastSessionsFact;
  activity: ActivityFact;
  reminderFiles: ReminderFilesFact;
  memory: MemoryFact;
  hooks: HooksFact;
  notes: NotesFact;
  cleared: ClearedFact;
  reads: ReadsFact;
  plan: PlanFact;
  start: StartFact;
  ultramemory: UltramemoryFact;
  chats: ChatsFact;
  skills: SkillsFact;
  finishedTools: FinishedToolsFact;
  ide: IdeFact;
  style: StyleFact;
  calls: CallsFact;
  work: WorkFact;
}

type ObservedView = { [Name in keyof ObservedFacts]: Observed<ObservedFacts[Name]> };

export type FactName = keyof Facts;
export type ObservedName = keyof ObservedFacts;
