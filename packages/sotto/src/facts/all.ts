// All recorded facts, folded together.

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
import type { SessionEvent } from "./events.ts";
import type { RecordedFacts } from "./facts.ts";
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
