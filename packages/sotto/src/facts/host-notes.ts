// Notes of the host: attachments of silent types, which are logged but not sent to the model.

import { type Edge, type Edges, noEdges } from "./pending.ts";
import { slice } from "./slice.ts";

export interface NoteEdge extends Edge {
  type: string;
  data: Record<string, unknown>;
}

export type NotesFact = Edges<NoteEdge>;

const SETTLED_KEPT = 20;

export const notes = slice({
  initial: (): NotesFact => noEdges<NoteEdge>(),
  on: ["noted"],
  apply(state, event, { seq }) {
    const { type, ...data } = event.attachment;
    state.pending.push({ id: `notes/${seq}`, type, data });
  },
  settled(state) {
    state.settled.splice(0, state.settled.length - SETTLED_KEPT);
  },
});

/** Pending notes of a type. Their data was checked when they were recorded. */
export function notedAs<Data>({ pending }: NotesFact, type: string): { data: Data; covers: string[] }[] {
  return pending.flatMap((edge) =>
    edge.type === type ? [{ data: edge.data as Data, covers: [edge.id] }] : [],
  );
}
