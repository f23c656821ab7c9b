// Finished tool calls, each sent once.

import { dropEdges, type Edge, type Edges, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface ToolEdge extends Edge {
  toolName: string;
  callId: string;
  success: boolean;
  durationMs: number;
  /** Number of assistant messages when it finished. */
  turns: number;
}

export type FinishedToolsFact = Edges<ToolEdge>;

// The type that sends them is off in most sessions.
const PENDING_KEPT = 100;

export const finishedTools = slice({
  initial: (): FinishedToolsFact => noEdges<ToolEdge>(),
  on: ["tool_finished"],
  apply(state, event, { seq, turns }) {
    const { toolName, callId, success, durationMs } = event;
    state.pending.push({ id: `finishedTools/${seq}`, toolName, callId, success, durationMs, turns });
    const [oldest] = state.pending;
    if (state.pending.length > PENDING_KEPT) dropEdges(state, (edge) => edge === oldest);
  },
});
