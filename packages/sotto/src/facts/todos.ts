// The todo list, and when it was last written.

import type { TodoItem } from "./event-parts.ts";
import type { StoredEvent } from "./events.ts";
import { slice } from "./slice.ts";

export interface TodosFact {
  items: TodoItem[];
  /** Number of assistant messages when the list was last written. 0 at the start of the session. */
  writtenAt: number;
  /** Whether the agent or its host has written a list in this session. */
  written: boolean;
  /** Whether an item is not completed. An empty list keeps the previous value. */
  open: boolean;
  /** The log entry that last changed it. */
  seq: number;
}

export const todos = slice({
  initial: (): TodosFact => ({ items: [], writtenAt: 0, written: false, open: false, seq: 0 }),
  on: ["todos_written", "file_changed"],
  apply(state, event, { turns, seq }) {
    const items = listIn(event);
    if (items === undefined) return;
    const open = items.length === 0 ? state.open : items.some(({ status }) => status !== "completed");
    Object.assign(state, { items, open, seq });
    if (event.type === "todos_written") Object.assign(state, { writtenAt: turns, written: true });
  },
});

function listIn(event: StoredEvent): TodoItem[] | undefined {
  if (event.type === "todos_written") return event.items;
  // Someone else changed the todo file.
  return event.type === "file_changed" ? event.todos : undefined;
}
