// What sources and the log can tell, one key each: the facts attachments ask for by name.

import { activity } from "./activity.ts";
import type { AgentFact } from "./agent.ts";
import { agentMentions } from "./agent-mentions.ts";
import { attached } from "./attached.ts";
import { calls } from "./calls.ts";
import { chats } from "./chats.ts";
import { cleared } from "./cleared.ts";
import { diagnostics } from "./diagnostics.ts";
import type { StoredEvent } from "./events.ts";
import { files } from "./files.ts";
import { finishedTools } from "./finished-tools.ts";
import { hooks } from "./hooks.ts";
import { notes } from "./host-notes.ts";
import { type IdeLink, ide } from "./ide.ts";
import { loadedInstructions } from "./instructions.ts";
import { mailbox } from "./mailbox.ts";
import { mode } from "./mode.ts";
import { pastSessions } from "./past-sessions.ts";
import {
  type Division,
  divideEdge,
  dropWords,
  type Edge,
  type Edges,
  type Finished,
  partsOf,
  renewWords,
  type SettledAt,
  settleEdges,
} from "./pending.ts";
import { plan } from "./plan.ts";
import { prompts } from "./prompts.ts";
import { reads } from "./reads.ts";
import { resources } from "./resources.ts";
import { skills } from "./skills.ts";
import type { FoldContext, Slice } from "./slice.ts";
import { start } from "./start.ts";
import { style } from "./style.ts";
import { tasks } from "./tasks.ts";
import { todos } from "./todos.ts";
import { turns } from "./turns.ts";
import { ultramemory } from "./ultramemory.ts";
import { usage } from "./usage.ts";
import { reminderFiles, type UserReminders } from "./user-reminders.ts";
import { work } from "./work.ts";

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

/** A language server and its state. */
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

/** All facts that a trigger can ask for: recorded and observed. */
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

type ObservedView = { [Name in keyof ObservedFacts]: Observed<ObservedFacts[Name]> };

export type FactName = keyof Facts;
export type ObservedName = keyof ObservedFacts;

/**
 * Every recorded fact, by its name: a slice is registered here and nowhere else. The id of a pending item begins with the
 * name of its fact. The order is the order of folding.
 */
const slices = {
  turns,
  todos,
  mode,
  tasks,
  diagnostics,
  prompts,
  mailbox,
  usage,
  files,
  attached,
  agentMentions,
  resources,
  pastSessions,
  activity,
  reminderFiles,
  memory: loadedInstructions,
  hooks,
  notes,
  cleared,
  reads,
  plan,
  start,
  ultramemory,
  chats,
  skills,
  finishedTools,
  ide,
  style,
  calls,
  work,
};

/** Facts folded from the log. */
export type RecordedFacts = { [Name in keyof typeof slices]: ReturnType<(typeof slices)[Name]["initial"]> };

const names = Object.keys(slices) as (keyof RecordedFacts)[];

export function initialFacts(): RecordedFacts {
  return Object.fromEntries(names.map((name) => [name, slices[name].initial()])) as unknown as RecordedFacts;
}

/** The versions of slices that have one, for the version of snapshots. */
export function sliceVersions(): Record<string, number> {
  const versions = names.map((name) => [name, (slices[name] as Slice<unknown>).version ?? 0] as const);
  return Object.fromEntries(versions.filter(([, version]) => version > 0));
}

export function applyFacts(facts: RecordedFacts, event: StoredEvent, context: FoldContext): void {
  for (const name of names) (slices[name] as Slice<unknown>).apply(facts[name], event, context);
}

/** Edges were said. `words`: somebody's, see `Edge`. */
export function settleFacts(
  facts: RecordedFacts,
  ids: readonly string[],
  at: SettledAt & { words?: boolean },
): void {
  for (const [name, own] of Map.groupBy(ids, factOf)) {
    const fact: unknown = facts[name];
    if (!hasEdges(fact)) continue;
    const { settled } = slices[name] as Slice<unknown>;
    const said = new Set(own);
    const first = fact.pending.filter(({ id }) => said.has(id));
    settleEdges(fact, said, at);
    for (const edge of first) settled?.(fact, edge);
  }
}

/** An edge in two parts, from now on; the id of the second, nothing where there is nothing to divide. */
export function divideFacts(
  facts: RecordedFacts,
  { id, at }: { id: string; at: number },
): string | undefined {
  const found = divisible(facts, id);
  return found && divideEdge(found.edges, { id, at, by: found.by });
}

/** What is pending, with the first part of an edge in its place, and nothing behind it; nothing where it cannot be. */
export function pendingUpTo<F extends Partial<RecordedFacts>>(
  facts: F,
  { id, at }: { id: string; at: number },
): F | undefined {
  const { name, edges, by } = divisible(facts, id) ?? {};
  const index = edges?.pending.findIndex((edge) => edge.id === id) ?? -1;
  const edge = edges?.pending[index];
  const parts = edge && by && partsOf(edge, at, by);
  if (name === undefined || parts === undefined) return undefined;
  return { ...facts, [name]: { ...edges, pending: [...(edges?.pending.slice(0, index) ?? []), parts[0]] } };
}

/** Where an edge can be divided: its text, and how much there is of it with all that stands behind. */
export function lengthsOf(
  facts: Partial<RecordedFacts>,
  id: string,
): { text: string; length: number } | undefined {
  const { edges, by } = divisible(facts, id) ?? {};
  const edge = edges?.pending.find((one) => one.id === id);
  if (edge === undefined || by === undefined) return undefined;
  const text = by.text(edge);
  return { text, length: text.length + (by.behind?.(edge) ?? 0) };
}

function divisible(
  facts: Partial<RecordedFacts>,
  id: string,
): { name: string; edges: Edges<Edge>; by: Division<Edge> } | undefined {
  const name = factOf(id);
  const fact: unknown = facts[name];
  const by = (slices[name] as Slice<Edges<Edge>> | undefined)?.parts;
  return hasEdges(fact) && by !== undefined ? { name, edges: fact, by } : undefined;
}

/** Each edge belongs to the fact its id begins with. */
function factOf(id: string): keyof RecordedFacts {
  return id.slice(0, id.indexOf("/")) as keyof RecordedFacts;
}

/** What people said under these ids is no longer in view: it is due again. */
export function renewFacts(facts: RecordedFacts, renewal: { seq: number; left(id: string): boolean }): void {
  for (const edges of edgesIn(facts)) renewWords(edges, renewal);
}

/** What people said is part of a summary, or of a conversation that was cleared. */
export function finishFacts(facts: RecordedFacts, finished: Finished): void {
  for (const edges of edgesIn(facts)) dropWords(edges, finished);
}

export function edgesIn(facts: Partial<RecordedFacts>): Edges<Edge>[] {
  return Object.values<unknown>(facts).filter(hasEdges);
}

export function hasEdges(fact: unknown): fact is Edges<Edge> {
  return typeof fact === "object" && fact !== null && "pending" in fact && "settled" in fact;
}

// How the model's view of this conversation began.

export interface ViewFact {
  /** The entry it last began anew with, where the history was replaced: what happened up to it stands there no more. */
  since?: number;
  /** How many assistant messages there had been by then. */
  sinceTurns?: number;
}

/**
 * Whether something left the model's view with the history it stood in. That the view began anew some time is not
 * enough: what happened afterwards stands in it.
 */
export function isOutOfView({ since }: ViewFact, { seq }: { seq: number }): boolean {
  return since !== undefined && seq <= since;
}
