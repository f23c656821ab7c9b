// Files of user-defined reminders that are said again when they change: since when each is as it is.

import type { Slice } from "./slice.ts";

export interface ReminderFilesFact {
  /** By path. `changedAt`: the entry that told of another content; 0 for the first one. */
  versions: Record<string, { hash: string; changedAt: number }>;
}

export const reminderFiles: Slice<ReminderFilesFact> = {
  initial: () => ({ versions: {} }),
  apply(state, event, { seq }) {
    if (event.type !== "reminders_changed") return;
    for (const [path, hash] of Object.entries(event.versions)) {
      const before = state.versions[path];
      if (before?.hash === hash) continue;
      state.versions[path] = { hash, changedAt: before === undefined ? 0 : seq };
    }
  },
};
