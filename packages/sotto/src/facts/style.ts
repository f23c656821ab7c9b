// The output style that the user has chosen.

import type { Slice } from "./slice.ts";

export interface StyleFact {
  style: string;
  /** The log entry that last changed it. */
  changed: number;
}

export const style: Slice<StyleFact> = {
  initial: () => ({ style: "default", changed: 0 }),
  apply(state, event, { seq }) {
    if (event.type !== "style_changed" || event.style === state.style) return;
    Object.assign(state, { style: event.style, changed: seq });
  },
};
