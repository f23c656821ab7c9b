// The plan: whether to show its file, its content, and that it was implemented.

import type { EventOf } from "./events.ts";
import { isForAgent } from "./files.ts";
import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { type FoldContext, slice } from "./slice.ts";

export interface PlanEdge extends Edge {
  kind: "found" | "implemented";
  /** Path and content of the plan file, if found. */
  path?: string;
  content?: string;
  truncated?: boolean;
}

export interface PlanFact extends Edges<PlanEdge> {
  /** Set while the plan file has to be read: the entry where the model's view began, and its messages by then. */
  wanted?: { seq: number; turns: number };
  /** The plan file is in view. */
  told: boolean;
  planning: boolean;
  /** The plan file of the latest mode, and whether this session has written it. */
  path?: string;
  own?: boolean;
}

// Contents are large.
const SETTLED_KEPT = 5;

export const plan = slice({
  version: 1,
  initial: (): PlanFact => ({ told: false, planning: false, ...noEdges<PlanEdge>() }),
  on: [
    "mode_changed",
    "plan_file_found",
    "plan_implemented",
    "file_read",
    "file_written",
    "compacted",
    "session_started",
  ],
  apply(state, event, context) {
    if (event.type === "compacted") beginView(state, context);
    else if (event.type === "session_started") start(state, event.reason, context);
    else if (event.type === "mode_changed") changeMode(state, event, context);
    else if (event.type === "plan_file_found") find(state, event, context);
    else if (event.type === "plan_implemented")
      state.pending.push({ id: `plan/implemented/${context.seq}`, kind: "implemented" });
    else if (event.type === "file_read" || event.type === "file_written") see(state, event);
  },
  settled(state, edge) {
    if ((edge as PlanEdge).kind === "found") state.told = true;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
});

function beginView(state: PlanFact, { seq, turns }: FoldContext): void {
  state.told = false;
  dropEdges(state, ({ kind }) => kind === "found");
  state.wanted = { seq, turns };
}

/** A resumed session has its history, including what was sent there. In plan mode the model knows the file anyway. */
function start(state: PlanFact, reason: EventOf<"session_started">["reason"], context: FoldContext): void {
  const goesOn = reason === "resume" || reason === "fork";
  const isWaiting = state.pending.some(({ kind }) => kind === "found");
  if (!goesOn) beginView(state, context);
  else if (!state.told && !state.planning && !isWaiting)
    state.wanted = { seq: context.seq, turns: context.turns };
}

/** A plan that the model makes from now on need not be shown to it. */
function changeMode(state: PlanFact, event: EventOf<"mode_changed">, { turns }: FoldContext): void {
  const { mode, planFilePath = state.path } = event;
  if (planFilePath !== undefined && planFilePath !== state.path)
    Object.assign(state, { path: planFilePath, own: false });
  state.planning = mode === "plan";
  if (state.planning && state.wanted !== undefined && turns > state.wanted.turns) delete state.wanted;
}

/** Ignored unless wanted, as several processes may have read the file. */
function find(state: PlanFact, event: EventOf<"plan_file_found">, { seq }: FoldContext): void {
  if (state.wanted === undefined) return;
  delete state.wanted;
  const { path, content, truncated } = event;
  state.pending.push({
    id: `plan/found/${seq}`,
    kind: "found",
    path,
    content,
    ...(truncated === undefined ? {} : { truncated }),
  });
}

/** Drops a plan that the agent has read or written before it was shown: it has it in view, and may have changed it. */
function see(state: PlanFact, event: EventOf<"file_read" | "file_written">): void {
  const isWritten = event.type === "file_written";
  if (isWritten && isForAgent(event.cause)) return;
  dropEdges(state, ({ path }) => path === event.path);
  const isPlan = state.path !== undefined && [event.path, event.version?.realPath].includes(state.path);
  if (isWritten && isPlan) state.own = true;
}
