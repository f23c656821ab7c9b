// Summaries of earlier sessions: whether they are to be looked for, and what was found.

import type { PastSession } from "./events.ts";
import { type Edge, type Edges, noEdges } from "./pending.ts";
import type { Slice } from "./slice.ts";

export interface PastSessionsEdge extends Edge {
  memories: PastSession[];
}

export interface PastSessionsFact extends Edges<PastSessionsEdge> {
  /** The session has begun, and nobody has looked yet. */
  wanted: boolean;
  /** Sessions whose history this one goes on from: their notes tell it nothing new. */
  forkedFrom?: string[];
}

export const pastSessions: Slice<PastSessionsFact> = {
  initial: () => ({ wanted: false, ...noEdges<PastSessionsEdge>() }),
  apply(state, event, { seq }) {
    // One that goes on has its history, and what it was told there.
    if (event.type === "session_started" && (event.reason === "startup" || event.reason === "clear"))
      state.wanted = true;
    if (event.type === "session_started" && event.from !== undefined)
      state.forkedFrom = [...new Set([...(state.forkedFrom ?? []), event.from])];
    if (event.type !== "past_sessions_found" || !state.wanted) return;
    state.wanted = false;
    const { memories } = event;
    if (memories.length > 0) state.pending.push({ id: `pastSessions/${seq}`, memories });
  },
};
