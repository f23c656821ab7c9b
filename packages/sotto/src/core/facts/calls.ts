// Tool calls whose end is known: a history that shows them again says nothing new.

import type { SessionEvent } from "../events.ts";
import type { Slice } from "./slice.ts";

export interface CallsFact {
  /** By `=id`, so that no id counts as an index; the oldest first. */
  finished: Record<string, true>;
  count: number;
  /** The host records itself what its tools do: then nothing is read off its requests. */
  told?: true;
}

// More calls than clients keep in a history; each costs a snapshot some bytes.
const FINISHED_KEPT = 2000;
const DROPPED_AT_ONCE = 200;

export const calls: Slice<CallsFact> = {
  initial: () => ({ finished: {}, count: 0 }),
  apply(state, event) {
    if (isToldByHost(event)) state.told = true;
    if (event.type !== "tool_finished" || isFinished(state, event.callId)) return;
    state.finished[`=${event.callId}`] = true;
    state.count += 1;
    if (state.count < FINISHED_KEPT + DROPPED_AT_ONCE) return;
    state.finished = Object.fromEntries(Object.entries(state.finished).slice(DROPPED_AT_ONCE));
    state.count -= DROPPED_AT_ONCE;
  },
};

const TOLD = new Set(["file_read", "file_written", "file_removed", "todos_written", "tool_finished"]);

function isToldByHost(event: SessionEvent): boolean {
  return TOLD.has(event.type) && !("fromRequest" in event && event.fromRequest);
}

export function isFinished({ finished }: CallsFact, callId: string): boolean {
  return Object.hasOwn(finished, `=${callId}`);
}

/** Whether there may have been more of them than are kept. */
export function hasForgotten({ count }: CallsFact): boolean {
  return count >= FINISHED_KEPT;
}
