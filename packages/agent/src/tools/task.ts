// Task: gives work to a sub-agent, in the foreground or the background.

import { z } from "zod";
import { runProgram } from "../tasks/run-program.ts";
import { safeLine } from "../terminal/text.ts";
import { defineTool, type Tool } from "./tool.ts";

const LONGEST_STEP = 200;

const taskInput = z.strictObject({
  description: z.string().min(1).describe("The task in three to five words"),
  prompt: z
    .string()
    .min(1)
    .describe("Everything the sub-agent needs to know: it does not see this conversation"),
  subagent_type: z.string().min(1).describe("For example Explore or Plan"),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Do not wait for its answer; read it later with TaskOutput"),
});
type TaskInput = z.infer<typeof taskInput>;

export const task = defineTool<TaskInput>({
  name: "Task",
  description:
    "Gives a piece of work to a sub-agent with its own conversation, and returns its answer. Good for broad searches and for planning. Explore searches, Plan designs; there may be others.",
  input: taskInput,
  kind: "read",
  title: ({ subagent_type, description }) => `Task ${subagent_type}: ${description}`,
  async run({ description, prompt, subagent_type, run_in_background }, context) {
    const { agentTypes, tasks, runSubagent, signal } = context;
    if (!agentTypes.some(({ type }) => type === subagent_type)) {
      const known = agentTypes.map(({ type, description: does }) => `${type} (${does})`).join(", ");
      throw new Error(
        `there is no sub-agent "${subagent_type}"; ${known === "" ? "there are none" : `available: ${known}`}`,
      );
    }
    const request = { agentType: subagent_type, prompt, description };
    if (!run_in_background) return runSubagent({ ...request, signal });
    const { taskId } = await tasks.start({
      taskType: "agent",
      description,
      recordsWrites: true,
      run(stopped, tell) {
        let steps = 0;
        const onStep = (title: string) => tell(`Step ${++steps}: ${safeLine(title, LONGEST_STEP)}`);
        return runSubagent({ ...request, signal: stopped, onStep });
      },
    });
    const text = `The ${subagent_type} agent is running in the background as ${taskId}. You are notified when it ends; read its answer with TaskOutput.`;
    return { text, summary: taskId };
  },
});

// TaskOutput: the status of a background task, and its output since the last call.

const TIMEOUT_MS = 30_000;

const outputInput = z.strictObject({
  task_id: z.string().min(1),
  block: z.boolean().optional().describe("Wait for it to end; default: true"),
  timeout: z.number().int().min(0).max(600_000).optional().describe("How long to wait, in milliseconds"),
});
type OutputInput = z.infer<typeof outputInput>;

export const taskOutput = defineTool<OutputInput>({
  name: "TaskOutput",
  description:
    "Shows the output of a background task since your last call, and whether it has ended. Waits up to 30 seconds for it to end, unless block is false.",
  input: outputInput,
  kind: "read",
  title: ({ task_id }) => `TaskOutput ${task_id}`,
  async run({ task_id, block = true, timeout = TIMEOUT_MS }, { tasks, signal }) {
    const output = await tasks.output(task_id, { waitMs: block ? timeout : 0, signal });
    signal.throwIfAborted();
    if (output === undefined) {
      const known = tasks.list().map(({ taskId, description }) => `${taskId} (${description})`);
      throw new Error(
        `there is no task ${task_id}; ${known.length === 0 ? "none was started" : `available: ${known.join(", ")}`}`,
      );
    }
    const { status, text, exitCode } = output;
    const how = exitCode === undefined ? status : `${status}, exit code ${exitCode}`;
    const written = text.trim() === "" ? "No new output." : text.trimEnd();
    return { text: `Task ${task_id}: ${how}.\n\n${written}`, summary: how };
  },
});

// RemoteSession: an agent elsewhere, reached through a command of the user.

const remoteInput = z.strictObject({
  title: z.string().min(1).max(200).describe("What it is for, in a few words"),
  prompt: z.string().min(1).describe("Everything it needs to know: it does not see this conversation"),
});
type RemoteInput = z.infer<typeof remoteInput>;

/** `command` reads the prompt from standard input and writes the answer to standard output. */
export function remoteSessionTool(command: string): Tool {
  return defineTool<RemoteInput>({
    name: "RemoteSession",
    description: `Gives work to a remote agent (through: ${command}) while you continue. You are notified when it ends; read its answer with TaskOutput.`,
    input: remoteInput,
    kind: "run",
    title: ({ title }) => `RemoteSession ${title}`,
    permission: ({ prompt }) => ({ detail: prompt }),
    async run({ title, prompt }, { tasks }) {
      const { taskId } = await tasks.start({
        taskType: "remote_session",
        description: title,
        run: (signal) => runProgram({ file: "/bin/sh", args: ["-c", command], prompt, signal }),
      });
      return { text: `${title} is running as ${taskId}.`, summary: taskId };
    },
  });
}
