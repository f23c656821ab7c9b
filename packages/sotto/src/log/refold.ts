// Folding a whole log, rewinds included.

import type { EventType } from "../facts/events.ts";
import type { Entry } from "./entries.ts";
import { applyEntry, initialState, type State } from "./state.ts";

/** What the conversation did, undone by a rewind. The rest happened in the world and stays. */
const CONVERSATION = new Set<EventType>([
  "assistant_turn",
  "todos_written",
  "file_read",
  "file_written",
  "file_removed",
  "file_attached",
  "agent_mentioned",
  "resource_attached",
  "files_restored",
  "write_announced",
  "memory_resolved",
  "mode_changed",
  "plan_implemented",
  "tool_finished",
  "skill_invoked",
  "compacted",
  "tool_results_cleared",
  "throttles_reset",
]);

/** The state after all entries; rewound parts count only for what happened in the world meanwhile. */
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

function liveEntries(entries: readonly Entry[]): Entry[] {
  const live: Entry[] = [];
  for (const entry of entries) {
    if (isRewind(entry)) {
      const { toTurn } = entry.event;
      const cut = live.findIndex((earlier) => earlier.kind === "turn" && earlier.turn > toTurn);
      if (cut >= 0) live.push(...live.splice(cut).filter(isWorldEvent));
    }
    live.push(entry);
  }
  return live;
}

type RewindEntry = Entry & { kind: "event"; event: { type: "rewound"; toTurn: number } };

export function isRewind(entry: Entry): entry is RewindEntry {
  return entry.kind === "event" && entry.event.type === "rewound";
}

function isWorldEvent(entry: Entry): boolean {
  return entry.kind === "event" && !CONVERSATION.has(entry.event.type);
}
