// Tool results that were cleared from the history to make room.

import { type Edge, type Edges, noEdges } from "./pending.ts";
import type { Slice } from "./slice.ts";

export interface ClearedEdge extends Edge {
  count: number;
}

export type ClearedFact = Edges<ClearedEdge>;

export const cleared: Slice<ClearedFact> = {
  initial: () => noEdges<ClearedEdge>(),
  apply(state, event, { seq }) {
    if (event.type === "tool_results_cleared" && event.count > 0)
      state.pending.push({ id: `cleared/${seq}`, count: event.count });
  },
};
