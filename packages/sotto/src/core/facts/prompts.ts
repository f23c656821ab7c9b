// Prompts the user queued while the agent worked.

import { type Edge, type Edges, noEdges } from "../edge.ts";
import type { EventOf } from "../events.ts";
import type { StoredBlock } from "../reminder.ts";
import type { Slice } from "./slice.ts";

export interface PromptEdge extends Edge {
  sourceId: string;
  prompt: string | StoredBlock[];
  imagePasteIds?: (string | number)[];
}

export interface PromptsFact extends Edges<PromptEdge> {
  /** Ids that were queued: the same prompt recorded twice is said once. */
  seen: string[];
}

const SEEN_KEPT = 1000;

export const prompts: Slice<PromptsFact> = {
  initial: () => ({ seen: [], ...noEdges<PromptEdge>() }),
  apply(state, event) {
    if (event.type !== "prompt_queued" || state.seen.includes(event.id)) return;
    state.seen.push(event.id);
    if (state.seen.length > SEEN_KEPT) state.seen.shift();
    state.pending.push(toEdge(event));
  },
};

function toEdge(event: EventOf<"prompt_queued">): PromptEdge {
  const edge: PromptEdge = {
    id: `prompts/${event.id}`,
    sourceId: event.id,
    // The session put image data into blobs before the event was appended.
    prompt: event.prompt as string | StoredBlock[],
  };
  if (event.imagePasteIds !== undefined) edge.imagePasteIds = event.imagePasteIds;
  return edge;
}
