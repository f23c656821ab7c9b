// TaskCreate, TaskList, TaskUpdate: the list of work that a team shares.

import { z } from "zod";
import { openTaskList, type TaskList, type TeamTask } from "./task-list.ts";
import { type Membership, taskListDirectory } from "../team/team.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool, ToolContext } from "./tool.ts";

const created = z.strictObject({
  subject: z.string().min(1).max(200),
  description: z.string().max(20_000).optional().describe("All that whoever takes it needs to know"),
});
const updated = z.strictObject({
  taskId: z.string().regex(/^[1-9]\d{0,8}$/u, "the number of a task"),
  status: z
    .enum(["in_progress", "completed", "pending"])
    .describe("in_progress claims it for you, completed ends it, pending gives it back"),
  note: z.string().max(20_000).optional().describe("What came of it, or why it is given back"),
});

export function teamTaskTools(member: Membership): readonly Tool[] {
  const { team, agent } = member.address;
  const listFor = async (context: ToolContext): Promise<TaskList> =>
    openTaskList(await taskListDirectory(member, context), agent);
  return [
    defineTool<z.infer<typeof created>>({
      name: "TaskCreate",
      description: `Puts a task on the list that the team ${team} shares.`,
      input: created,
      kind: "read",
      title: ({ subject }) => `TaskCreate ${subject}`,
      async run(task, context) {
        const { id } = await (await listFor(context)).create(task);
        return { text: `It is task ${id}.`, summary: `task ${id}` };
      },
    }),
    defineTool<Record<string, never>>({
      name: "TaskList",
      description: `Shows the tasks of the team ${team}: what is open, who works on what, what is done.`,
      input: z.strictObject({}),
      kind: "read",
      title: () => "TaskList",
      async run(_input, context) {
        const { tasks, problems } = await (await listFor(context)).list();
        const lines = [...tasks.map(lineOf), ...problems.map((problem) => `Left out: ${problem}`)];
        return {
          text: lines.length === 0 ? "The list is empty." : lines.join("\n"),
          summary: `${tasks.length} tasks`,
        };
      },
    }),
    defineTool<z.infer<typeof updated>>({
      name: "TaskUpdate",
      description: `Claims a task of the team ${team}, ends it, or gives it back. A task has one owner: claim it before you begin.`,
      input: updated,
      kind: "read",
      title: ({ taskId, status }) => `TaskUpdate ${taskId} ${status}`,
      async run({ taskId, ...change }, context) {
        const task = await (await listFor(context)).update(taskId, change);
        return { text: lineOf(task), summary: change.status };
      },
    }),
  ];
}

function lineOf({ id, subject, description, status, owner, note }: TeamTask): string {
  const who = owner === undefined ? status : `${status}, ${owner}`;
  return [
    `${id}. [${who}] ${subject}`,
    ...(description === undefined ? [] : [indented(description)]),
    ...(note === undefined ? [] : [indented(`Note: ${note}`)]),
  ].join("\n");
}

function indented(text: string): string {
  return text.replace(/^/gmu, "   ");
}
