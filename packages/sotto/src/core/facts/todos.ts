// The todo list, and when it was last written.

import type { TodoItem } from "../events.ts";
import type { Slice } from "./slice.ts";

export interface TodosFact {
  items: TodoItem[];
  /** Assistant messages there had been when the list was last written; 0 at the start of the session. */
  writtenAt: number;
}

export const todos: Slice<TodosFact> = {
  initial: () => ({ items: [], writtenAt: 0 }),
  apply(state, event, { turns }) {
    // Someone else has changed the todo file: the list is as it stands there.
    if (event.type === "file_changed" && event.todos !== undefined) state.items = event.todos;
    if (event.type !== "todos_written") return;
    state.items = event.items;
    state.writtenAt = turns;
  },
};
