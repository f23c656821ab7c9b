// TodoWrite: the agent's own list of what is to be done, in the log and in the todo file.

import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { keepTodoFile } from "./todo-file.ts";

const input = z.strictObject({
  todos: z.array(
    z.strictObject({
      content: z.string().min(1).describe("What is to be done, as an order: Run the tests"),
      status: z.enum(["pending", "in_progress", "completed"]),
      activeForm: z.string().optional().describe("The same while it is being done: Running the tests"),
    }),
  ),
});
type Input = z.infer<typeof input>;

export const todoWrite = defineTool<Input>({
  name: "TodoWrite",
  description:
    "Keeps a list of the steps of a larger piece of work. Give the whole list each time; one item at a time is in_progress, and an item is completed only when it is really done.",
  input,
  kind: "read",
  title: ({ todos }) => `TodoWrite ${todos.length} ${todos.length === 1 ? "item" : "items"}`,
  async run({ todos }, context) {
    // First the log: what the file then holds is known to be the agent's own.
    await context.session.record({ type: "todos_written", items: todos });
    const problem = await keepTodoFile(todos, context);
    const done = todos.filter(({ status }) => status === "completed").length;
    const not = problem === undefined ? "" : `; the todo file was not written: ${problem}`;
    return { text: "The list is kept. Go on with it.", summary: `${done} of ${todos.length} done${not}` };
  },
});
