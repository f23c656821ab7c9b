// All facts that attachments can ask for by name, recorded in the log or observed by sources.

import { frozen, isEqual } from "../platform/plain-data.ts";
import { activity } from "./activity.ts";
import type { AgentFact } from "./agent.ts";
import { agentMentions } from "./agent-mentions.ts";
import { attached } from "./attached.ts";
import { calls } from "./calls.ts";
import { chats } from "./chats.ts";
import { cleared } from "./cleared.ts";
import { diagnostics } from "./diagnostics.ts";
import type { EventType, StoredEvent } from "./events.ts";
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

/** A value that a source observed, or why it could not. Unknown never means "there is none". */
export type Observed<T> = { known: true; value: T } | { known: false; why: string };

/** Facts that sources observe. A host adds its own by declaration merging. */
export interface ObservedFacts {
  /** Whether the plan file of the current mode exists. `untold`: why it is not shown although the model has not seen it. */
  planFile: { exists: boolean; untold?: string };
  /** Local dates, `YYYY-MM-DD`. */
  calendar: { today: string; start: string };
  /** Tracked files were checked; changes are recorded as events. */
  fileChanges: FileChanges;
  /** Mentioned files were looked up; what was found is recorded as events. */
  mentioned: Mentioned;
  /** Mentioned agents were looked up and recorded as events. */
  mentionedAgents: { found: number; unknown?: readonly string[] };
  /** Mentioned resources were read and recorded as events. */
  mentionedResources: Mentioned;
  /** Summaries of earlier sessions were looked up and recorded as events. `untold`: why there are none. */
  sessionNotes: { untold?: string };
  /** The reminders that the user and the project have defined. */
  userReminders: UserReminders;
  /** Files to show again after compaction were read and recorded as events. */
  restoredFiles: { restored: number };
  /** Instruction files for touched paths were looked up and recorded as events. */
  instructions: { unknown: readonly Doubt[] };
  /** Instruction files that apply from the start. */
  projectContext: ProjectContext;
  /** Whether an editor reports what the user looks at. The host adds the source. */
  ideLink: IdeLink;
  /** Whether the file that is open in the IDE may be shown. */
  ideAccess: IdeAccess;
  /** Files whose diagnostics are dropped because the files may not be shown. */
  diagnosticsAccess: { hidden: readonly Doubt[] };
  /** The language servers and their states; their diagnostics are recorded as events. */
  languageServers: LanguageServers;
  /** The mailbox was read: letters are recorded as events, invalid files set aside. */
  mail: Mail;
  /** The team's chats were read; unread messages are recorded as events. */
  collab: Collab;
  /** Sections that the host adds to the project context, by heading, such as git status. No built-in source. */
  contextSections: Readonly<Record<string, string>>;
}

/** A path that is unknown or hidden, and why. */
export interface Doubt {
  path: string;
  why: string;
}

export interface FileChanges {
  tracked: number;
  unknown: readonly Doubt[];
  /** Files that this process was told of, and that may not be read. */
  hidden?: readonly Doubt[];
}

/** A mention that is not sent. `of`: the type that would have sent it, if known. */
export interface Unresolved {
  text: string;
  reason: string;
  of?: "directory" | "compact_file_reference";
  /** For a file that was only named before: it is named again if that is no longer in view. */
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
    /** `hash`: of the whole file. `version`: of what is shown of it. */
    hash: string;
    version: string;
  }[];
  /** Files that could not be read just now, so they may still apply. */
  inDoubt: readonly string[];
  /** Files that were not loaded, or only in part: the first ones with reasons, and how many more there are. */
  skipped: readonly { path: string; reason: string }[];
  moreSkipped?: number;
}

export interface Mail {
  received: number;
  /** How many files were set aside, and the last of them. */
  aside: number;
  bad: readonly { file: string; reason: string }[];
  /** Why some of it is read later. */
  later?: string;
}

export interface Collab {
  /** How many chats there are. */
  chats: number;
  /** The latest invalid lines and unreadable files. */
  problems: readonly { chat: string; reason: string }[];
}

export interface IdeAccess {
  /** Unset if no file is open. */
  path?: string;
  access: "allowed" | "secret" | "denied";
  /** The rule that denies it. */
  rule?: string;
}

export interface LanguageServers {
  servers: readonly LanguageServerState[];
}

/** A language server and its state. */
export interface LanguageServerState {
  name: string;
  state: "idle" | "missing" | "untrusted" | "starting" | "ready" | "waiting" | "given up";
  /** The program, or what is wrong, in words. */
  detail: string;
}

export interface CriticalWords {
  content: string;
  /** It comes from a project file. */
  ofProject?: true;
  /** That file, if the user has not approved it. */
  from?: string;
}

/** All facts that a trigger can ask for: recorded and observed. */
export interface Facts extends RecordedFacts, ObservedView {
  agent: AgentFact;
  /** Text to send every turn, from config and the sub-agent's definition. */
  critical: { instruction?: string; definition?: CriticalWords; project?: CriticalWords };
  /** Which types report background tasks. */
  taskStyle: "unified" | "classic";
  /** Spending limits. */
  budget: { maxUsd?: number };
  view: ViewFact;
}

/** Facts that the engine adds itself. */
export const engineFacts = [
  "agent",
  "critical",
  "taskStyle",
  "budget",
  "view",
] as const satisfies readonly Exclude<keyof Facts, keyof RecordedFacts | keyof ObservedFacts>[];

type ObservedView = { [Name in keyof ObservedFacts]: Observed<ObservedFacts[Name]> };

export type FactName = keyof Facts;
export type ObservedName = keyof ObservedFacts;

/**
 * All recorded facts by name. A slice is registered here and nowhere else. The id of an edge starts with the name of its
 * fact. Events are folded in this order.
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

// A session has something to remember in a few of its facts only. The others are the same frozen objects for all sessions:
// a fact becomes a session's own with the first event that changes it.
const untouched = Object.fromEntries(
  names.map((name) => [name, frozen<unknown>(slices[name].initial())]),
) as Record<keyof RecordedFacts, unknown>;

export function initialFacts(): RecordedFacts {
  // Turns are counted in each session, and not by events alone.
  return { ...untouched, turns: turns.initial() } as RecordedFacts;
}

/** Versions of the slices that set one; part of the version of snapshots. */
export function sliceVersions(): Record<string, number> {
  const versions = names.map((name) => [name, (slices[name] as Slice<unknown>).version ?? 0] as const);
  return Object.fromEntries(versions.filter(([, version]) => version > 0));
}

/** The facts that look at an event, by its type. */
const byEvent = factsByEvent();

function factsByEvent(): ReadonlyMap<EventType, (keyof RecordedFacts)[]> {
  const found = new Map<EventType, (keyof RecordedFacts)[]>();
  for (const name of names)
    for (const type of slices[name].on) found.set(type, [...(found.get(type) ?? []), name]);
  return found;
}

/** The facts that such an event may change. */
export function factsChangedBy(type: EventType): readonly (keyof RecordedFacts)[] {
  return byEvent.get(type) ?? [];
}

export function applyFacts(facts: RecordedFacts, event: StoredEvent, context: FoldContext): void {
  for (const name of factsChangedBy(event.type)) {
    const slice = slices[name] as Slice<unknown>;
    if (facts[name] !== untouched[name]) slice.apply(facts[name], event, context);
    else {
      const own = slice.initial();
      slice.apply(own, event, context);
      if (!isEqual(own, untouched[name])) Object.assign(facts, { [name]: own });
    }
  }
}

/** Marks edges as sent. `words`: they are text of a person or agent, see `Edge`. */
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

/** Splits an edge in two. Returns the id of the second part, or undefined if it cannot be split. */
export function divideFacts(
  facts: RecordedFacts,
  { id, at }: { id: string; at: number },
): string | undefined {
  const found = divisible(facts, id);
  return found && divideEdge(found.edges, { id, at, by: found.by });
}

/** The facts with pending edges up to this one, and only its first part. Undefined if it cannot be split. */
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

/** The text of an edge, and its length with what follows the text. Undefined if it cannot be split. */
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

/** The fact that an edge belongs to. */
function factOf(id: string): keyof RecordedFacts {
  return id.slice(0, id.indexOf("/")) as keyof RecordedFacts;
}

/** Makes text of people that left the view due again. */
export function renewFacts(facts: RecordedFacts, renewal: { seq: number; left(id: string): boolean }): void {
  for (const edges of edgesIn(facts)) renewWords(edges, renewal);
}

/** Drops text of people that is part of a summary or of a cleared conversation. */
export function finishFacts(facts: RecordedFacts, finished: Finished): void {
  for (const edges of edgesIn(facts)) dropWords(edges, finished);
}

export function edgesIn(facts: Partial<RecordedFacts>): Edges<Edge>[] {
  return Object.values<unknown>(facts).filter(hasEdges);
}

export function hasEdges(fact: unknown): fact is Edges<Edge> {
  return typeof fact === "object" && fact !== null && "pending" in fact && "settled" in fact;
}

// Where the model's view of the conversation began.

export interface ViewFact {
  /** The log entry at which the history was last replaced: what came before is out of view. */
  since?: number;
  /** Number of assistant messages by then. */
  sinceTurns?: number;
}

/**
 * Whether something left the model's view when the history was replaced. What happened after that is still in view.
 */
export function isOutOfView({ since }: ViewFact, { seq }: { seq: number }): boolean {
  return since !== undefined && seq <= since;
}
