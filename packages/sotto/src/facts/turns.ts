// How far the conversation has come, in non-empty assistant messages.

import type { Slice } from "./slice.ts";

export interface TurnsFact {
  /** Non-empty assistant messages so far. */
  assistant: number;
  /** How many there were when this session was first asked: they were answered before it began. */
  before: number;
  /** Whether the host reports them as events; else they are read from the messages, never both. */
  reported: boolean;
}

export const turns: Slice<TurnsFact> = {
  initial: () => ({ assistant: 0, before: 0, reported: false }),
  apply(state, event) {
    if (event.type !== "assistant_turn") return;
    // What was counted from messages so far stays; from here on only events count.
    state.reported = true;
    if (event.empty !== true) state.assistant += 1;
  },
};
