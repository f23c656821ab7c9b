// When the session began.

import { slice } from "./slice.ts";

export interface StartFact {
  /** ISO 8601. Unset if the log has no `session_started` event. */
  at?: string;
}

export const start = slice({
  initial: (): StartFact => ({}),
  on: ["session_started"],
  apply(state, event, { at }) {
    if (state.at === undefined || event.reason === "clear") state.at = at;
  },
});
