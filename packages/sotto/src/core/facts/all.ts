// All recorded facts, folded together.

import {
  dropWords,
  type Edge,
  type Edges,
  type Finished,
  renewWords,
  type SettledAt,
  settleEdges,
} from "../edge.ts";
import type { SessionEvent } from "../events.ts";
import type { RecordedFacts } from "../facts.ts";
import { activity } from "./activity.ts";
import { agentMentions } from "./agent-mentions.ts";
import { attached } from "./attached.ts";
import { calls } from "./calls.ts";
import { chats } from "./chats.ts";
import { cleared } from "./cleared.ts";
import { diagnostics } from "./diagnostics.ts";
import { files } from "./files.ts";
import { finishedTools } from "./finished-tools.ts";
import { hooks } from "./hooks.ts";
import { ide } from "./ide.ts";
import { mailbox } from "./mailbox.ts";
import { memory } from "./memory.ts";
import { mode } from "./mode.ts";
import { notes } from "./notes.ts";
import { pastSessions } from "./past-sessions.ts";
import { plan } from "./plan.ts";
import { prompts } from "./prompts.ts";
import { reads } from "./reads.ts";
import { reminderFiles } from "./reminder-files.ts";
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
import { work } from "./work.ts";

type Slices = { [Name in keyof RecordedFacts]: Slice<RecordedFacts[Name]> };

const slices: Slices = {
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
  memory,
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
const names = Object.keys(slices) as (keyof RecordedFacts)[];

export function initialFacts(): RecordedFacts {
  return Object.fromEntries(names.map((name) => [name, slices[name].initial()])) as unknown as RecordedFacts;
}

export function applyFacts(facts: RecordedFacts, event: SessionEvent, context: FoldContext): void {
  for (const name of names) (slices[name] as Slice<unknown>).apply(facts[name], event, context);
}

/** Edges were said: each belongs to the fact its id begins with. `words`: somebody's, see `Edge`. */
export function settleFacts(
  facts: RecordedFacts,
  ids: readonly string[],
  at: SettledAt & { words?: boolean },
): void {
  for (const [name, own] of Map.groupBy(ids, (id) => id.slice(0, id.indexOf("/")))) {
    const fact: unknown = facts[name as keyof RecordedFacts];
    if (!hasEdges(fact)) continue;
    const { settled } = slices[name as keyof RecordedFacts] as Slice<unknown>;
    const said = new Set(own);
    const first = fact.pending.filter(({ id }) => said.has(id));
    settleEdges(fact, said, at);
    for (const edge of first) settled?.(fact, edge);
  }
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
