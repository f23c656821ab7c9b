// Tool results that were cleared from the history to make room.

import { type Edge, type Edges, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface ClearedEdge extends Edge {
  count: number;
}

export type ClearedFact = Edges<ClearedEdge>;

export const cleared = slice({
  initial: (): ClearedFact => noEdges<ClearedEdge>(),
  on: ["tool_results_cleared"],
  apply(state, event, { seq }) {
    if (event.count > 0) state.pending.push({ id: `cleared/${seq}`, count: event.count });
  },
});
