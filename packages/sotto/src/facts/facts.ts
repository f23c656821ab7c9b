// What sources and the log can tell, one key each: the facts attachments ask for by name.

import type { AgentFact } from "./agent.ts";
import type { ActivityFact } from "./activity.ts";
import type { AgentMentionsFact } from "./agent-mentions.ts";
import type { AttachedFact } from "./attached.ts";
import type { CallsFact } from "./calls.ts";
import type { ChatsFact } from "./chats.ts";
import type { ClearedFact } from "./cleared.ts";
import type { DiagnosticsFact } from "./diagnostics.ts";
import type { FilesFact } from "./files.ts";
import type { FinishedToolsFact } from "./finished-tools.ts";
import type { HooksFact } from "./hooks.ts";
import type { IdeFact, IdeLink } from "./ide.ts";
import type { MailboxFact } from "./mailbox.ts";
import type { MemoryFact } from "./memory.ts";
import type { ModeFact } from "./mode.ts";
import type { NotesFact } from "./notes.ts";
import type { PastSessionsFact } from "./past-sessions.ts";
import type { PlanFact } from "./plan.ts";
import type { PromptsFact } from "./prompts.ts";
import type { ReadsFact } from "./reads.ts";
import type { ReminderFilesFact } from "./reminder-files.ts";
import type { ResourcesFact } from "./resources.ts";
import type { SkillsFact } from "./skills.ts";
import type { StartFact } from "./start.ts";
import type { StyleFact } from "./style.ts";
import type { TasksFact } from "./tasks.ts";
import type { TodosFact } from "./todos.ts";
import type { TurnsFact } from "./turns.ts";
import type { UltramemoryFact } from "./ultramemory.ts";
import type { UsageFact } from "./usage.ts";
import type { ViewFact } from "./view.ts";
import type { WorkFact } from "./work.ts";
import type { UserReminders } from "./user-reminders.ts";

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
