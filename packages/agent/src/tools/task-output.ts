// TaskOutput: how a background task stands, and what it wrote since it was last asked.

import { z } from "zod";
import { defineTool } from "./define-tool.ts";

const TIMEOUT_MS = 30_000;

const input = z.strictObject({
  task_id: z.string().min(1),
  block: z.boolean().optional().describe("Wait for its end; on unless set to false"),
  timeout: z.number().int().min(0).max(600_000).optional().describe("How long to wait, in milliseconds"),
});
type Input = z.infer<typeof input>;

export const taskOutput = defineTool<Input>({
  name: "TaskOutput",
  description:
    "Shows what a background task has written since you last asked, and whether it has ended. Waits up to 30 seconds for its end, unless block is false.",
  input,
  kind: "read",
  title: ({ task_id }) => `TaskOutput ${task_id}`,
  async run({ task_id, block = true, timeout = TIMEOUT_MS }, { tasks, signal }) {
    const output = await tasks.output(task_id, { waitMs: block ? timeout : 0, signal });
    signal.throwIfAborted();
    if (output === undefined) {
      const known = tasks.list().map(({ taskId, description }) => `${taskId} (${description})`);
      throw new Error(
        `there is no task ${task_id}; ${known.length === 0 ? "none was started" : `there are ${known.join(", ")}`}`,
      );
    }
    const { status, text, exitCode } = output;
    const how = exitCode === undefined ? status : `${status}, exit code ${exitCode}`;
    const written = text.trim() === "" ? "Nothing new was written." : text.trimEnd();
    return { text: `Task ${task_id}: ${how}.\n\n${written}`, summary: how };
  },
});
