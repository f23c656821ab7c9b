// When the session began.

import type { Slice } from "./slice.ts";

export interface StartFact {
  /** ISO 8601. Unset if the log has no `session_started` event. */
  at?: string;
}

export const start: Slice<StartFact> = {
  initial: () => ({}),
  apply(state, event, { at }) {
    if (event.type !== "session_started") return;
    if (state.at === undefined || event.reason === "clear") state.at = at;
  },
};
