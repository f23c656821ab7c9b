// Tool calls whose end is known: a history that shows them again says nothing new.

import type { StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import type { Slice } from "./slice.ts";

export interface CallsFact {
  /**
   * By `=id`, so that no id counts as an index, and by `$id` where the command it ran was read off a request; the oldest
   * first.
   */
  finished: Record<string, true>;
  count: number;
  /** The host records itself what its tools do: then nothing but commands is read off its requests. */
  told?: true;
  /** It records the commands, too: then they are not read off its requests either. */
  toldCommands?: true;
}

/** The calls that need not be told again. */
export interface KnownCalls {
  has(callId: string): boolean;
  /** There may have been more of them than are kept. */
  isPartial: boolean;
}

// More calls than clients keep in a history; each costs a snapshot some bytes.
const FINISHED_KEPT = 2000;
const DROPPED_AT_ONCE = 200;

export const calls: Slice<CallsFact> = {
  initial: () => ({ finished: {}, count: 0 }),
  apply(state, event) {
    if (isToldByHost(event)) {
      if (event.type === "command_ran") state.toldCommands = true;
      else state.told = true;
    }
    const key = keyIn(event);
    if (key === undefined || Object.hasOwn(state.finished, key)) return;
    state.finished[key] = true;
    state.count += 1;
    if (state.count < FINISHED_KEPT + DROPPED_AT_ONCE) return;
    state.finished = Object.fromEntries(Object.entries(state.finished).slice(DROPPED_AT_ONCE));
    state.count -= DROPPED_AT_ONCE;
  },
};

const TOLD = new Set(["file_read", "file_written", "file_removed", "todos_written", "tool_finished"]);

/** What hooks, tasks and sub-agents did says nothing about who records the agent's own tools. */
function isToldByHost(event: StoredEvent): boolean {
  if ("fromRequest" in event && event.fromRequest) return false;
  if (event.type === "command_ran")
    return event.of === undefined && (event.kind === undefined || event.kind === "command");
  return TOLD.has(event.type) && !("cause" in event && isForAgent(event.cause));
}

function keyIn(event: StoredEvent): string | undefined {
  if (event.type === "tool_finished") return `=${event.callId}`;
  return event.type === "command_ran" && event.fromRequest ? `$${event.id}` : undefined;
}

export function finishedCalls({ finished, count }: CallsFact): KnownCalls {
  return { has: (callId) => Object.hasOwn(finished, `=${callId}`), isPartial: count >= FINISHED_KEPT };
}

/** Those whose command was read off a request. */
export function commandCalls({ finished, count }: CallsFact): KnownCalls {
  return { has: (callId) => Object.hasOwn(finished, `$${callId}`), isPartial: count >= FINISHED_KEPT };
}
