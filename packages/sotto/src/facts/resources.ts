// MCP resources that the user mentioned.

import type { EventOf, ResourceContent } from "./events.ts";
import { type Edge, type Edges, noEdges } from "./pending.ts";
import { type Slice, slice } from "./slice.ts";

export interface ResourceEdge extends Edge {
  server: string;
  uri: string;
  name: string;
  description?: string;
  contents: ResourceContent[];
  hash: string;
  /** Confirmed before and mentioned again: usually it is the version that the model was sent last, and not due. */
  again?: true;
}

export interface ResourcesFact extends Edges<ResourceEdge> {
  /** Hashes of the resources that were confirmed last, by server and URI. */
  said: Record<string, string>;
}

// Contents are large. A branch that is further behind has to read the resource again.
const SETTLED_KEPT = 10;

export const resources: Slice<ResourcesFact> = slice({
  version: 1,
  initial: (): ResourcesFact => ({ said: {}, ...noEdges<ResourceEdge>() }),
  on: ["resource_attached", "compacted", "session_started"],
  apply(state, event, { seq }) {
    if (event.type === "compacted") {
      state.said = {};
      state.pending = state.pending.filter(({ again }) => !again);
    } else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, resources.initial());
    else if (event.type === "resource_attached") attach(state, event, seq);
  },
  settled(state, edge) {
    const { hash } = edge as ResourceEdge;
    state.said[resourcePlace(edge as ResourceEdge)] = hash;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
});

export function resourcePlace({ server, uri }: { server: string; uri: string }): string {
  return JSON.stringify([server, uri]);
}

/** Each version is sent once while it is in view. A newer version replaces one that was not sent yet. */
function attach(state: ResourcesFact, event: EventOf<"resource_attached">, seq: number): void {
  const { server, uri, name = uri, description, contents, hash = "" } = event;
  const place = resourcePlace(event);
  const isOther = (edge: ResourceEdge) => resourcePlace(edge) !== place || edge.hash === hash;
  state.pending = state.pending.filter((edge) => !edge.again && isOther(edge));
  if (state.pending.some((edge) => resourcePlace(edge) === place && edge.hash === hash)) return;
  const isSaid = state.said[place] === hash;
  if (!isSaid) state.settled = state.settled.filter((edge) => resourcePlace(edge) !== place);
  state.pending.push({
    id: `resources/${seq}`,
    server,
    uri,
    name,
    contents,
    hash,
    ...(description === undefined ? {} : { description }),
    ...(isSaid ? { again: true } : {}),
  });
}
