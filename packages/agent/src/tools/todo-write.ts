// TodoWrite: the agent's own list of what is to be done, in the log and in the todo file.

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { TodoItem } from "sotto";
import { z } from "zod";
import { isInside, locateForWriting, readWhole } from "./files/open-file.ts";
import { defineTool, type ToolContext } from "./tool.ts";

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

// The todo file: the agent's list where people and other programs can see and change it. Changes of theirs are told.

const LARGEST = 1024 * 1024;

/** What kept it from being written; the list is in the log in any case. */
export async function keepTodoFile(
  items: readonly TodoItem[],
  context: ToolContext,
): Promise<string | undefined> {
  const { session, cwd } = context;
  // A list that ends with its sub-agent is nobody else's business.
  if (session.agent.kind === "sub") return undefined;
  const { todos: path } = (await session.state()).paths;
  // A check list in Markdown is a person's own: what else stands in it is not ours to write.
  if (path === undefined || !path.endsWith(".json")) return undefined;
  try {
    // The user's config may name a place outside the project.
    const own = isInside(path, cwd) ? [] : [dirname(path)];
    const place = await locateForWriting(path, {
      ...context,
      extraDirectories: [...context.extraDirectories, ...own],
    });
    const before = place.exists ? (await readWhole(place, LARGEST)).toString("utf8") : "";
    await replace(place.realPath, `${JSON.stringify(filled(before, items), undefined, 2)}\n`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** As a list alone, or as `todos` among whatever else the file holds. */
function filled(before: string, items: readonly TodoItem[]): unknown {
  const value: unknown = before.trim() === "" ? [] : JSON.parse(before);
  if (Array.isArray(value)) return items;
  if (typeof value === "object" && value !== null && "todos" in value) return { ...value, todos: items };
  throw new Error("it holds something else");
}

/** Whoever reads it meanwhile reads the old list or the new one. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(aside, text, { flag: "wx" });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}
