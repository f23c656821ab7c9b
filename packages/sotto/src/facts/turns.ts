// The length of the conversation in non-empty assistant messages.

import { slice } from "./slice.ts";

export interface TurnsFact {
  /** Number of non-empty assistant messages so far. */
  assistant: number;
  /** Their number at the first turn of this session, which are from before it. */
  before: number;
  /** Whether the host reports them as events. Otherwise they are counted in requests, never both. */
  reported: boolean;
}

export const turns = slice({
  initial: (): TurnsFact => ({ assistant: 0, before: 0, reported: false }),
  on: ["assistant_turn"],
  apply(state, event) {
    // The count so far stays. From now on only events count.
    state.reported = true;
    if (event.empty !== true) state.assistant += 1;
  },
});
