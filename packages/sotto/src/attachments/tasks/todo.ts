// Todo list: changed by someone else, or sent again because the conversation was summarised or cleared.

import * as v from "valibot";
import { todoItem } from "../../facts/event-fields.ts";
import { isOutOfView } from "../../facts/facts.ts";
import { todoLines } from "../../render/wording.ts";
import { defineAttachment, skip } from "../attachment.ts";

const schema = v.object({
  content: v.array(todoItem),
  itemCount: v.number(),
  context: v.picklist(["file-watch", "compaction"]),
});

export const todo = defineAttachment({
  type: "todo",
  generator: "changed_files",
  summary: "The todo list was changed by someone else, or is repeated after compaction.",
  tier: "core",
  when: "the todo file changed and the agent did not write it, or the conversation was compacted",
  needs: ["files", "fileChanges", "todos", "view"],
  schema,
  trigger({ files: { pending }, todos, view }, sent) {
    const changes = pending.filter((edge) => edge.todos !== undefined);
    const items = changes.at(-1)?.todos;
    if (items !== undefined) {
      const data = { content: items, itemCount: items.length, context: "file-watch" as const };
      return [{ data, covers: changes.map(({ id }) => id) }];
    }
    if (!isOutOfView(view, todos)) return skip("the todo file has not been changed by anyone else");
    if (todos.items.length === 0) return skip("there is no todo list to repeat");
    if (!todos.open) return skip(`all ${todos.items.length} items are completed: nothing to repeat`);
    if (sent.count > 0) return skip("the list was sent since the conversation was compacted");
    const data = { content: todos.items, itemCount: todos.items.length, context: "compaction" as const };
    return [{ data }];
  },
  render({ content, context }) {
    const why =
      context === "compaction"
        ? "The earlier conversation is no longer in view; the todo list is still in force."
        : "The todo list was changed outside this conversation.";
    return content.length === 0 ? `${why} It is empty now.` : `${why} It is now:\n\n${todoLines(content)}`;
  },
  readMoreAt: () => "the todo list has the rest",
  examples: [
    {
      title: "changed by someone else",
      data: {
        content: [
          { content: "Read the parser", status: "completed", activeForm: "Reading the parser" },
          { content: "Add a changelog entry", status: "pending" },
        ],
        itemCount: 2,
        context: "file-watch",
      },
    },
    { title: "emptied", data: { content: [], itemCount: 0, context: "file-watch" } },
    {
      title: "after compaction",
      data: {
        content: [{ content: "Fix the off-by-one", status: "in_progress" }],
        itemCount: 1,
        context: "compaction",
      },
    },
  ],
});
