// The mode the agent is in, its entries and exits as edges.

import { dropEdges, type Edge, type Edges, noEdges } from "../edge.ts";
import type { FoldContext, Slice } from "./slice.ts";

export interface ModeEdge extends Edge {
  kind: "entry" | "reentry" | "exit";
  mode: string;
  /** Counts the entries into any such mode; an exit has the number of the entry it ends. */
  entry: number;
  planFilePath?: string;
}

export interface ModeFact extends Edges<ModeEdge> {
  name: string;
  planFilePath?: string;
  team?: { name: string; taskListPath?: string | undefined };
  entry: number;
  /** Modes that were left at least once. */
  left: string[];
}

/** Modes with texts for entering and leaving; other names are kept, and nothing is said of them. */
const SPOKEN = new Set(["plan", "delegate"]);

export const mode: Slice<ModeFact> = {
  initial: () => ({ name: "normal", entry: 0, left: [], ...noEdges<ModeEdge>() }),
  apply(state, event, context) {
    if (event.type !== "mode_changed") return;
    const changed = event.mode !== state.name;
    if (changed && SPOKEN.has(state.name)) leave(state);
    if (event.planFilePath !== undefined) state.planFilePath = event.planFilePath;
    if (event.team !== undefined) state.team = event.team;
    state.name = event.mode;
    if (changed && SPOKEN.has(event.mode)) enter(state, context);
  },
};

function enter(state: ModeFact, context: FoldContext): void {
  const { name } = state;
  const cancelled = dropEdges(state, (edge) => edge.mode === name);
  if (cancelled > 0)
    context.supersede(`${name}_mode_exit`, `${name} mode was entered again before its end was said`);
  state.entry += 1;
  push(state, "entry", name);
  if (state.left.includes(name)) push(state, "reentry", name);
}

function leave(state: ModeFact): void {
  const { name } = state;
  dropEdges(state, (edge) => edge.kind === "reentry");
  push(state, "exit", name);
  if (!state.left.includes(name)) state.left.push(name);
}

function push(state: ModeFact, kind: ModeEdge["kind"], name: string): void {
  const edge: ModeEdge = { id: `mode/${kind}/${state.entry}`, kind, mode: name, entry: state.entry };
  if (state.planFilePath !== undefined) edge.planFilePath = state.planFilePath;
  state.pending.push(edge);
}
