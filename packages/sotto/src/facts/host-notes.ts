// What a host wants in the transcript and nobody is to hear: attachments of silent types.

import { type Edge, type Edges, noEdges } from "./pending.ts";
import type { Slice } from "./slice.ts";

export interface NoteEdge extends Edge {
  type: string;
  data: Record<string, unknown>;
}

export type NotesFact = Edges<NoteEdge>;

const SETTLED_KEPT = 20;

export const notes: Slice<NotesFact> = {
  initial: () => noEdges<NoteEdge>(),
  apply(state, event, { seq }) {
    if (event.type !== "noted") return;
    const { type, ...data } = event.attachment;
    state.pending.push({ id: `notes/${seq}`, type, data });
  },
  settled(state) {
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
};

/** Due as it was noted; that it fits the type was checked when it was. */
export function notedAs<Data>({ pending }: NotesFact, type: string): { data: Data; covers: string[] }[] {
  return pending.flatMap((edge) =>
    edge.type === type ? [{ data: edge.data as Data, covers: [edge.id] }] : [],
  );
}
