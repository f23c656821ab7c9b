// Files and directories that are to be shown: mentioned by the user, or back after compaction.

import { dropEdges, type Edge, type Edges, noEdges } from "../edge.ts";
import type { AttachedContent, EventOf } from "../events.ts";
import type { Slice } from "./slice.ts";

export interface AttachedEdge extends Edge {
  path: string;
  for: EventOf<"file_attached">["for"];
  content: AttachedContent;
  lineStart?: number;
  lineEnd?: number;
  truncated?: boolean;
  note?: string;
  hash?: string;
}

export interface AttachedFact extends Edges<AttachedEdge> {
  /** What was shown and is in view: its hash, by path and lines. */
  said: Record<string, string>;
}

// Contents are large: a branch that is further behind reads the file itself.
const SETTLED_KEPT = 10;

export const attached: Slice<AttachedFact> = {
  initial: () => ({ said: {}, ...noEdges<AttachedEdge>() }),
  apply(state, event, { seq }) {
    if (event.type === "compacted") state.said = {};
    else if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, attached.initial());
    if (event.type !== "file_attached") return;
    const { type: _type, version: _version, ...rest } = event;
    const edge = { id: `attached/${seq}`, ...rest } as AttachedEdge;
    const same = state.pending.find((other) => placeOf(other) === placeOf(edge));
    // Asked for again before it was said, and it is the same: under the same id.
    if (same !== undefined && same.hash === edge.hash && same.content.type === edge.content.type) return;
    dropEdges(state, (other) => other === same);
    state.pending.push(edge);
  },
  settled(state, edge) {
    const { hash, content } = edge as AttachedEdge;
    if (hash !== undefined && content.type !== "reference") state.said[placeOf(edge as AttachedEdge)] = hash;
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
};

/** A path and its lines, as one text. */
export function placeOf({
  path,
  lineStart,
  lineEnd,
}: {
  path: string;
  lineStart?: number | undefined;
  lineEnd?: number | undefined;
}): string {
  return lineStart === undefined ? path : `${path}#${lineStart}-${lineEnd ?? lineStart}`;
}
