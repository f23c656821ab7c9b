// TodoWrite: the agent's todo list, in the log and in the todo file.

import { dirname } from "node:path";
import type { TodoItem } from "sotto";
import { makeDirectory, replaceFile } from "sotto/internal";
import { z } from "zod";
import { isInside, locateForWriting, readWhole } from "./files/access.ts";
import { defineTool, type ToolContext } from "./tool.ts";

const input = z.strictObject({
  todos: z.array(
    z.strictObject({
      content: z.string().min(1).describe("What to do, as an imperative: Run the tests"),
      status: z.enum(["pending", "in_progress", "completed"]),
      activeForm: z.string().optional().describe("The same in progress: Running the tests"),
    }),
  ),
});
type Input = z.infer<typeof input>;

export const todoWrite = defineTool<Input>({
  name: "TodoWrite",
  description:
    "Keeps a list of the steps of a larger piece of work. Pass the whole list each time; have one item in_progress at a time, and mark an item completed only when it is really done.",
  input,
  kind: "read",
  title: ({ todos }) => `TodoWrite ${todos.length} ${todos.length === 1 ? "item" : "items"}`,
  async run({ todos }, context) {
    // Record first, so that the change of the file is known to be the agent's own.
    await context.session.record({ type: "todos_written", items: todos });
    const problem = await keepTodoFile(todos, context);
    const done = todos.filter(({ status }) => status === "completed").length;
    const not = problem === undefined ? "" : `; the todo file was not written: ${problem}`;
    return {
      text: "The list was updated. Continue with it.",
      summary: `${done} of ${todos.length} done${not}`,
    };
  },
});

// The todo file: people and other programs can see and change the list there. The agent is told about their changes.

const LARGEST = 1024 * 1024;

/** Returns why the file was not written. The list is in the log in any case. */
export async function keepTodoFile(
  items: readonly TodoItem[],
  context: ToolContext,
): Promise<string | undefined> {
  const { session, cwd } = context;
  // A sub-agent's list ends with it.
  if (session.agent.kind === "sub") return undefined;
  const { todos: path } = (await session.state()).paths;
  // A Markdown check list belongs to the user.
  if (path === undefined || !path.endsWith(".json")) return undefined;
  try {
    // The user's config may name a place outside the project.
    const own = isInside(path, cwd) ? [] : [dirname(path)];
    const place = await locateForWriting(path, {
      ...context,
      extraDirectories: [...context.extraDirectories, ...own],
    });
    const before = place.exists ? (await readWhole(place, LARGEST)).toString("utf8") : "";
    await makeDirectory(dirname(place.realPath), 0o777);
    const text = `${JSON.stringify(filled(before, items), undefined, 2)}\n`;
    await replaceFile(place.realPath, text, { mode: "new" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Replaces the list: the whole file, or its `todos` field. */
function filled(before: string, items: readonly TodoItem[]): unknown {
  const value: unknown = before.trim() === "" ? [] : JSON.parse(before);
  if (Array.isArray(value)) return items;
  if (typeof value === "object" && value !== null && "todos" in value) return { ...value, todos: items };
  throw new Error("the file contains something else");
}
