// Finished tool calls, so that a history that contains them again adds nothing.

import type { StoredEvent } from "./events.ts";
import { isForAgent } from "./files.ts";
import { slice } from "./slice.ts";

export interface CallsFact {
  /**
   * Keys are `=id` (so that no id is taken for an array index), or `$id` if its command was read from a request. Oldest
   * first.
   */
  finished: Record<string, true>;
  count: number;
  /** Rises when calls are forgotten because the conversation was rewound or cleared: the same ones may be made again. */
  era: number;
  /** The host records what its tools do, so only commands are read from its requests. */
  told?: true;
  /** The host records commands too, so these are not read from its requests either. */
  toldCommands?: true;
}

/** Calls that were already recorded. */
export interface KnownCalls {
  has(callId: string): boolean;
  ids(): string[];
  era: number;
  /** Whether there may have been more than are kept. */
  isPartial: boolean;
}

// More calls than clients keep in a history. Each one adds a few bytes to every snapshot.
const FINISHED_KEPT = 2000;
const DROPPED_AT_ONCE = 200;

export const calls = slice({
  initial: (): CallsFact => ({ finished: {}, count: 0, era: 0 }),
  on: [
    "tool_finished",
    "calls_known",
    "command_ran",
    "file_read",
    "file_written",
    "file_removed",
    "todos_written",
    "rewound",
    "session_started",
  ],
  apply(state, event) {
    // What a rewind undoes is not folded any more.
    if (event.type === "rewound") state.era += 1;
    if (event.type === "session_started" && event.reason === "clear")
      Object.assign(state, { finished: {}, count: 0, era: state.era + 1 });
    if (event.type === "calls_known")
      for (const id of event.ids) for (const mark of ["=", "$"]) finish(state, mark + id);
    if (isToldByHost(event)) {
      if (event.type === "command_ran") state.toldCommands = true;
      else state.told = true;
    }
    const key = keyIn(event);
    if (key !== undefined) finish(state, key);
  },
});

function finish(state: CallsFact, key: string): void {
  if (Object.hasOwn(state.finished, key)) return;
  state.finished[key] = true;
  state.count += 1;
  if (state.count < FINISHED_KEPT + DROPPED_AT_ONCE) return;
  for (const oldest of Object.keys(state.finished).slice(0, DROPPED_AT_ONCE)) delete state.finished[oldest];
  state.count -= DROPPED_AT_ONCE;
}

const TOLD = new Set(["file_read", "file_written", "file_removed", "todos_written", "tool_finished"]);

/** Events caused by hooks, tasks and sub-agents do not count: they do not show who records the agent's own tools. */
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

export function finishedCalls(fact: CallsFact): KnownCalls {
  return knownBy("=", fact);
}

/** Calls whose command was read from a request. */
export function commandCalls(fact: CallsFact): KnownCalls {
  return knownBy("$", fact);
}

function knownBy(mark: string, { finished, count, era }: CallsFact): KnownCalls {
  return {
    has: (callId) => Object.hasOwn(finished, mark + callId),
    ids: () => Object.keys(finished).flatMap((key) => (key.startsWith(mark) ? [key.slice(1)] : [])),
    isPartial: count >= FINISHED_KEPT,
    era,
  };
}
