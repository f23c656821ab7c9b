// The todo list, and when it was last written.

import type { TodoItem } from "../events.ts";
import type { Slice } from "./slice.ts";

export interface TodosFact {
  items: TodoItem[];
  /** Assistant messages there had been when the list was last written; 0 at the start of the session. */
  writtenAt: number;
  /** The entry it is as it is with. */
  seq: number;
}

export const todos: Slice<TodosFact> = {
  initial: () => ({ items: [], writtenAt: 0, seq: 0 }),
  apply(state, event, { turns, seq }) {
    // Someone else has changed the todo file: the list is as it stands there.
    if (event.type === "file_changed" && event.todos !== undefined)
      Object.assign(state, { items: event.todos, seq });
    if (event.type !== "todos_written") return;
    Object.assign(state, { items: event.items, writtenAt: turns, seq });
  },
};
