// The output style that the user has chosen.

import { slice } from "./slice.ts";

export interface StyleFact {
  style: string;
  /** The log entry that last changed it. */
  changed: number;
}

export const style = slice({
  initial: (): StyleFact => ({ style: "default", changed: 0 }),
  on: ["style_changed"],
  apply(state, event, { seq }) {
    if (event.style === state.style) return;
    Object.assign(state, { style: event.style, changed: seq });
  },
});
