// TaskCreate, TaskList, TaskUpdate: the shared task list of a team.

import { link, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory, replaceFile, writeAside } from "sotto/internal";
import { z } from "zod";
import { openRegular, readHandle } from "../regular-file.ts";
import { LEAD, type Membership, taskListDirectory } from "../team/team.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";

const created = z.strictObject({
  subject: z.string().min(1).max(200),
  description: z.string().max(20_000).optional().describe("Everything its owner needs to know"),
});
const updated = z.strictObject({
  taskId: z.string().regex(/^[1-9]\d{0,8}$/u, "the number of a task"),
  status: z
    .enum(["in_progress", "completed", "pending"])
    .describe("in_progress claims it, completed closes it, pending releases it"),
  note: z.string().max(20_000).optional().describe("The result, or why it is released"),
});

export function teamTaskTools(member: Membership): readonly Tool[] {
  const { team, agent } = member.address;
  const listFor = async (context: ToolContext): Promise<TaskList> =>
    openTaskList(await taskListDirectory(member, context), agent);
  return [
    defineTool<z.infer<typeof created>>({
      name: "TaskCreate",
      description: `Adds a task to the shared list of the team ${team}.`,
      input: created,
      kind: "read",
      title: ({ subject }) => `TaskCreate ${subject}`,
      async run(task, context) {
        const { id } = await (await listFor(context)).create(task);
        return { text: `Created task ${id}.`, summary: `task ${id}` };
      },
    }),
    defineTool<Record<string, never>>({
      name: "TaskList",
      description: `Shows the tasks of the team ${team}: their status and owners.`,
      input: z.strictObject({}),
      kind: "read",
      title: () => "TaskList",
      async run(_input, context) {
        const { tasks, problems } = await (await listFor(context)).list();
        const lines = [...tasks.map(lineOf), ...problems.map((problem) => `Skipped: ${problem}`)];
        return {
          text: lines.length === 0 ? "The list is empty." : lines.join("\n"),
          summary: `${tasks.length} tasks`,
        };
      },
    }),
    defineTool<z.infer<typeof updated>>({
      name: "TaskUpdate",
      description: `Claims, completes or releases a task of the team ${team}. A task has one owner: claim it before you start.`,
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

// The task list: one file per task, written atomically. Whoever creates the claim file first owns the task.

const kept = z.object({
  id: z.string(),
  subject: z.string(),
  description: z.string().optional(),
  status: z.enum(["pending", "in_progress", "completed"]),
  createdBy: z.string(),
  owner: z.string().optional(),
  note: z.string().optional(),
});
const claim = z.object({ owner: z.string() });

export type TeamTask = z.infer<typeof kept>;
export type TeamTaskStatus = TeamTask["status"];

export interface TaskList {
  create(task: { subject: string; description?: string | undefined }): Promise<TeamTask>;
  list(): Promise<{ tasks: TeamTask[]; problems: string[] }>;
  /** `in_progress` claims it, `pending` releases it. Rejects when somebody else owns it. */
  update(id: string, change: { status: TeamTaskStatus; note?: string | undefined }): Promise<TeamTask>;
}

const MOST_BYTES = 256 * 1024;
const MOST_TASKS = 1000;

/** Opens the list for one agent of the team. */
export function openTaskList(directory: string, agent: string): TaskList {
  const fileOf = (id: string) => join(directory, `${id}.json`);
  const claimOf = (id: string) => join(directory, `${id}.claim`);

  const ownerOf = async (id: string): Promise<string | undefined> => {
    try {
      return claim.parse(JSON.parse(await readSmall(claimOf(id)))).owner;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw new Error(`task ${id}: its claim file cannot be read`, { cause: error });
    }
  };

  const read = async (id: string): Promise<TeamTask> => {
    const task = kept.parse(JSON.parse(await readSmall(fileOf(id))));
    const owner = await ownerOf(id);
    if (task.status === "completed") return { ...task, id };
    // The claim decides: its owner may have been killed before the task was written.
    const { owner: _written, ...rest } = task;
    return owner === undefined
      ? { ...rest, id, status: "pending" }
      : { ...rest, id, status: "in_progress", owner };
  };

  const find = async (id: string): Promise<TeamTask> => {
    try {
      return await read(id);
    } catch (error) {
      const why = isMissing(error) ? "there is no such task; TaskList shows them" : wordsOf(error);
      throw new Error(`task ${id}: ${why}`, { cause: error });
    }
  };

  const takeClaim = async (id: string): Promise<void> => {
    const aside = await writeAside(directory, textOf({ owner: agent }));
    try {
      await link(aside, claimOf(id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const owner = await ownerOf(id);
      if (owner !== agent) throw new Error(`task ${id} is already claimed by ${owner ?? "somebody else"}`);
    } finally {
      await unlink(aside);
    }
  };

  return {
    async create({ subject, description }) {
      await makeDirectory(directory);
      const { ids } = await idsIn(directory);
      if (ids.length >= MOST_TASKS)
        throw new Error(`the list has ${ids.length} tasks; the limit is ${MOST_TASKS}`);
      for (let number = Math.max(0, ...ids.map(Number)) + 1; ; number++) {
        const task: TeamTask = {
          id: String(number),
          subject,
          ...(description === undefined ? {} : { description }),
          status: "pending",
          createdBy: agent,
        };
        const aside = await writeAside(directory, textOf(task));
        try {
          await link(aside, fileOf(task.id));
          return task;
        } catch (error) {
          // Somebody else created one at the same time.
          if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        } finally {
          await unlink(aside);
        }
      }
    },

    async list() {
      const { ids, problems } = await idsIn(directory);
      const tasks: TeamTask[] = [];
      for (const id of ids.slice(0, MOST_TASKS))
        await read(id).then(
          (task) => tasks.push(task),
          (error: unknown) => {
            if (!isMissing(error)) problems.push(`${id}.json: ${wordsOf(error)}`);
          },
        );
      return { tasks, problems };
    },

    async update(id, { status, note }) {
      const before = await find(id);
      if (status === "in_progress") {
        if (before.status === "completed") throw new Error(`task ${id} is already completed`);
        await takeClaim(id);
      } else if (agent !== LEAD && before.owner !== undefined && before.owner !== agent)
        throw new Error(
          `task ${id} belongs to ${before.owner}: only ${before.owner} or the lead may change it`,
        );
      else if (status === "completed" && before.owner === undefined) await takeClaim(id);
      const owner =
        status === "pending" ? undefined : status === "completed" ? (before.owner ?? agent) : agent;
      const { owner: _before, ...rest } = before;
      const task: TeamTask = {
        ...rest,
        status,
        ...(owner === undefined ? {} : { owner }),
        ...(note === undefined ? {} : { note }),
      };
      await replaceFile(fileOf(id), textOf(task));
      if (status === "pending") await unlink(claimOf(id)).catch(() => undefined);
      return task;
    },
  };
}

async function idsIn(directory: string): Promise<{ ids: string[]; problems: string[] }> {
  try {
    const names = await readdir(directory);
    const ids = names.flatMap((name) => /^([1-9]\d{0,8})\.json$/u.exec(name)?.[1] ?? []);
    return { ids: ids.sort((a, b) => Number(a) - Number(b)), problems: [] };
  } catch (error) {
    return { ids: [], problems: isMissing(error) ? [] : [wordsOf(error)] };
  }
}

function textOf(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

async function readSmall(path: string): Promise<string> {
  const file = await openRegular(path, { noFollow: true });
  try {
    return (await readHandle(path, file, MOST_BYTES)).toString("utf8");
  } finally {
    await file.handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function wordsOf(error: unknown): string {
  if (error instanceof z.ZodError)
    return `not a task: ${error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ")}`;
  return error instanceof SyntaxError ? "not JSON" : (error as Error).message;
}
