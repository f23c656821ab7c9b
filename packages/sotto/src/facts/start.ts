// When the session began.

import { slice } from "./slice.ts";

export interface StartFact {
  /** ISO 8601. Unset if the log has no `session_started` event. */
  at?: string;
  /** It has had a turn: what is found only now was not there then. */
  turned?: true;
}

export const start = slice({
  version: 1,
  initial: (): StartFact => ({}),
  on: ["session_started"],
  apply(state, event, { at }) {
    if (event.reason === "clear") delete state.turned;
    if (state.at === undefined || event.reason === "clear") state.at = at;
  },
});
