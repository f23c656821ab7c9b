// Sub-agents that the user mentioned.

import { type Edge, type Edges, noEdges } from "./pending.ts";
import { type Slice, slice } from "./slice.ts";

export interface AgentMentionEdge extends Edge {
  agentType: string;
}

export type AgentMentionsFact = Edges<AgentMentionEdge>;

export const agentMentions: Slice<AgentMentionsFact> = slice({
  initial: (): AgentMentionsFact => noEdges<AgentMentionEdge>(),
  on: ["agent_mentioned", "session_started"],
  apply(state, event, { seq }) {
    if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, agentMentions.initial());
    if (event.type !== "agent_mentioned") return;
    const { agentType } = event;
    // Mentioned again before it was sent: still one edge.
    if (state.pending.some((edge) => edge.agentType === agentType)) return;
    state.pending.push({ id: `agentMentions/${seq}`, agentType });
  },
});
