// Text of the host that ranks above the instruction files.

import { beginningOf, type Edge } from "./pending.ts";
import type { Slice } from "./slice.ts";

export interface UltramemoryFact {
  content: string;
  /** If it is too long to send: the file with the whole text. */
  cut?: Edge["cut"];
  /** The log entry that last changed it. */
  changed: number;
}

export const ultramemory: Slice<UltramemoryFact> = {
  initial: () => ({ content: "", changed: 0 }),
  apply(state, event, { seq }) {
    if (event.type !== "ultramemory_changed") return;
    const { text: content, cut } = beginningOf(event.content, event.wholeIn);
    if (content === state.content && cut?.path === state.cut?.path) return;
    Object.assign(state, { content, cut, changed: seq });
  },
};
