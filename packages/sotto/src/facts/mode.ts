// The mode that the agent is in. Entering and leaving a mode are edges.

import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, slice } from "./slice.ts";

export interface ModeEdge extends Edge {
  kind: "entry" | "reentry" | "exit";
  mode: string;
  /** Number of the entry, counted over all modes. An exit has the number of the entry that it ends. */
  entry: number;
  planFilePath?: string;
}

export interface ModeFact extends Edges<ModeEdge> {
  name: string;
  planFilePath?: string;
  /** For a sub-agent: the plan file of its parent. */
  parentPlanFilePath?: string;
  team?: { name: string; taskListPath?: string | undefined };
  entry: number;
  /** Modes that have been left at least once. */
  left: string[];
}

/** Modes with reminders. Other modes are stored, but nothing is sent about them. */
const SPOKEN = new Set(["plan", "delegate"]);

// Many changes between two turns leave edges that are never sent.
const PENDING_KEPT = 40;

export const mode = slice({
  initial: (): ModeFact => ({ name: "normal", entry: 0, left: [], ...noEdges<ModeEdge>() }),
  on: ["mode_changed"],
  apply(state, event, context) {
    const changed = event.mode !== state.name;
    if (changed && SPOKEN.has(state.name)) leave(state);
    if (event.planFilePath !== undefined) state.planFilePath = event.planFilePath;
    if (event.parentPlanFilePath !== undefined) state.parentPlanFilePath = event.parentPlanFilePath;
    if (event.team !== undefined) state.team = event.team;
    state.name = event.mode;
    if (changed && SPOKEN.has(event.mode)) enter(state, context);
  },
});

/**
 * The mode edges to send, out of all that are due. An exit waits while its mode is on again. It is sent only if its entry
 * was sent and no later exit was: a mode that was entered and left between two turns is not mentioned.
 */
export function dueInModes(fact: ModeFact, due: readonly ModeEdge[]): ModeEdge[] {
  const isDue = new Set(due.map(({ id }) => id));
  const told = [...fact.settled, ...fact.pending].filter(({ id, kind }) => kind === "exit" && !isDue.has(id));
  const isSilent = ({ entry }: ModeEdge) => isDue.has(`mode/entry/${entry}`);
  const isOver = ({ mode, entry }: ModeEdge) => told.some((exit) => exit.mode === mode && exit.entry > entry);
  const latest = [...SPOKEN].flatMap((name) => {
    const exits = due.filter(({ kind, mode }) => kind === "exit" && mode === name && mode !== fact.name);
    exits.sort((a, b) => a.entry - b.entry);
    // An exit that is not sent is passed on so that the trigger can give the reason.
    return exits.findLast((exit) => !isSilent(exit) && !isOver(exit)) ?? exits.filter(isSilent).slice(-1);
  });
  return [...due.filter(({ kind }) => kind !== "exit"), ...latest];
}

function enter(state: ModeFact, context: FoldContext): void {
  const { name } = state;
  const last = [...state.settled, ...state.pending].findLast(
    ({ kind, mode }) => kind === "exit" && mode === name,
  );
  if (last !== undefined && last.settledOn === undefined)
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
  if (state.pending.length > PENDING_KEPT) forgetOldest(state);
}

/** Drops the oldest mode that was entered and left unnoticed, as it is never sent. */
function forgetOldest(state: ModeFact): void {
  const silent = state.pending.find(({ kind, entry }) => kind === "entry" && entry < state.entry);
  const { entry } = silent ?? (state.pending[0] as ModeEdge);
  state.pending = state.pending.filter((edge) => edge.entry !== entry);
}

function push(state: ModeFact, kind: ModeEdge["kind"], name: string): void {
  const edge: ModeEdge = { id: `mode/${kind}/${state.entry}`, kind, mode: name, entry: state.entry };
  if (state.planFilePath !== undefined) edge.planFilePath = state.planFilePath;
  state.pending.push(edge);
}
