// Folding a whole log, rewinds included.

import { events } from "../facts/events.ts";
import type { Entry } from "./entries.ts";
import { applyEntry, initialState, type State } from "./state.ts";

/** The state after all entries; of rewound parts only what happened in the world counts. */
export function refold(
  entries: readonly Entry[],
  apply: (state: State, entry: Entry) => void = applyEntry,
): State {
  const state = initialState();
  for (const entry of liveEntries(entries)) apply(state, entry);
  for (const entry of entries) {
    state.seq = Math.max(state.seq, entry.seq);
    if (entry.kind === "turn") state.turn = Math.max(state.turn, entry.turn);
  }
  return state;
}

/** Of rewound parts only what happened in the world. */
export function liveEntries(entries: readonly Entry[]): Entry[] {
  const live: Entry[] = [];
  for (const entry of entries) {
    if (isRewind(entry)) {
      const { toTurn } = entry.event;
      const cut = live.findIndex((earlier) => earlier.kind === "turn" && earlier.turn > toTurn);
      for (const earlier of cut < 0 ? [] : live.splice(cut)) if (staysOnRewind(earlier)) live.push(earlier);
    }
    live.push(entry);
  }
  return live;
}

type RewindEntry = Entry & { kind: "event"; event: { type: "rewound"; toTurn: number } };

export function isRewind(entry: Entry): entry is RewindEntry {
  return entry.kind === "event" && entry.event.type === "rewound";
}

function staysOnRewind(entry: Entry): boolean {
  return entry.kind === "event" && events[entry.event.type].onRewind === "stays";
}
