// Todo reminder: the list has not been touched for a while. Sent only on a real stall, and backs off.

import * as v from "valibot";
import { todoItem } from "../../facts/event-fields.ts";
import { todoLines } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

// Long enough that work on one item is not interrupted, short enough that a forgotten list is noticed.
const TURNS_AFTER_WRITE = 5;
const TURNS_BETWEEN = 3;

const schema = v.object({
  content: v.array(todoItem),
  itemCount: v.number(),
});

const options = v.object({ backs_off: v.optional(v.boolean(), true) });

export const todoReminder = defineAttachment({
  type: "todo_reminder",
  generator: "todo_reminders",
  summary: "The todo list has not been touched for a while.",
  tier: "core",
  when: `a list of this session has items left and was not written or shown for ${TURNS_AFTER_WRITE} assistant turns, outside plan mode`,
  needs: ["todos", "mode", "turns", "view"],
  schema,
  options,
  repeat: "always",
  throttle: {
    minTurnsBetween: TURNS_BETWEEN,
    minTurnsAfterTrigger: TURNS_AFTER_WRITE,
    backsOff: true,
    // After compaction the list is shown again, which counts as a write.
    since: ({ todos, turns, view }) => Math.max(todos.writtenAt, turns.before, view.sinceTurns ?? 0),
    heeded: ({ todos }) => todos.writtenAt,
    sinceWhat: "the todo list was written or shown",
  },
  requiresTool: { name: "TodoWrite", for: "todo lists", unless: ({ todos }) => todos.written },
  trigger({ todos, mode }) {
    if (mode.name === "plan") return skip("plan mode is on: the plan is the list");
    if (todos.seq === 0) return skip("no todo list was used in this session");
    if (!todos.open) return skip(finished(todos.items.length));
    return [{ data: { content: todos.items, itemCount: todos.items.length } }];
  },
  render({ content }, { tools }) {
    const tool = tools.tool("TodoWrite");
    const ignore = "If it does not matter here, ignore this automatic note.";
    if (content.length === 0) {
      const use = tool === undefined ? "" : ` If a list helps here, keep one with ${tool}.`;
      return `The todo list is empty and has not been touched for a while.${use} ${ignore}`;
    }
    const use =
      tool === undefined ? "" : ` If it helps here, keep it up to date with ${tool}, and tidy what is stale.`;
    return `The todo list has not been touched for a while.${use} ${ignore}\n\nThe list now:\n\n${todoLines(content)}`;
  },
  readMoreAt: () => "the todo list has the rest",
  examples: [
    { title: "an empty list", data: { content: [], itemCount: 0 } },
    {
      title: "a list with items",
      data: {
        content: [
          { content: "Read the parser", status: "completed", activeForm: "Reading the parser" },
          {
            content: "Write the failing test",
            status: "in_progress",
            activeForm: "Writing the failing test",
          },
          { content: "Fix the off-by-one", status: "pending", activeForm: "Fixing the off-by-one" },
        ],
        itemCount: 3,
      },
    },
  ],
});

function finished(count: number): string {
  return count === 0 ? "the list is empty" : `all ${count} items are completed`;
}
