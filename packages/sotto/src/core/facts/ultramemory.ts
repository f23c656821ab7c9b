// What a host wants remembered above the instruction files.

import type { Slice } from "./slice.ts";

export interface UltramemoryFact {
  content: string;
  /** The entry that changed it last. */
  changed: number;
}

export const ultramemory: Slice<UltramemoryFact> = {
  initial: () => ({ content: "", changed: 0 }),
  apply(state, event, { seq }) {
    if (event.type !== "ultramemory_changed" || event.content === state.content) return;
    Object.assign(state, { content: event.content, changed: seq });
  },
};
