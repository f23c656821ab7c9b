// Summaries of earlier sessions: whether to look for them, and what was found.

import type { PastSession } from "./events.ts";
import { type Edge, type Edges, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface PastSessionsEdge extends Edge {
  memories: PastSession[];
}

export interface PastSessionsFact extends Edges<PastSessionsEdge> {
  /** The session has started and they were not looked for yet. */
  wanted: boolean;
  /** Sessions that this one was forked from. Their summaries are skipped, as their history is in view. */
  forkedFrom?: string[];
}

export const pastSessions = slice({
  initial: (): PastSessionsFact => ({ wanted: false, ...noEdges<PastSessionsEdge>() }),
  on: ["past_sessions_found", "session_started"],
  apply(state, event, { seq }) {
    // A resumed session has its history, including what was sent there.
    if (event.type === "session_started" && (event.reason === "startup" || event.reason === "clear"))
      state.wanted = true;
    if (event.type === "session_started" && event.from !== undefined)
      state.forkedFrom = [...new Set([...(state.forkedFrom ?? []), event.from])];
    if (event.type !== "past_sessions_found" || !state.wanted) return;
    state.wanted = false;
    const { memories } = event;
    if (memories.length > 0) state.pending.push({ id: `pastSessions/${seq}`, memories });
  },
});
