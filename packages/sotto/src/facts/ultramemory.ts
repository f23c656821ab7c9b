// Text of the host that ranks above the instruction files.

import { beginningOf, type Edge } from "./pending.ts";
import { slice } from "./slice.ts";

export interface UltramemoryFact {
  content: string;
  /** If it is too long to send: the file with the whole text. */
  cut?: Edge["cut"];
  /** The log entry that last changed it. */
  changed: number;
}

export const ultramemory = slice({
  initial: (): UltramemoryFact => ({ content: "", changed: 0 }),
  on: ["ultramemory_changed"],
  apply(state, event, { seq }) {
    const { text: content, cut } = beginningOf(event.content, event.wholeIn);
    if (content === state.content && cut?.path === state.cut?.path) return;
    Object.assign(state, { content, cut, changed: seq });
  },
});
