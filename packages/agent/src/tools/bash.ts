// Bash: a command in the project's directory, waited for or left to run in the background.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { mayChangeFiles, splitCommand } from "sotto";
import { z } from "zod";
import { changesNothing } from "./commands/allowed-commands.ts";
import { runCommand } from "./run-command.ts";
import { defineTool } from "./define-tool.ts";
import { isInside } from "./files/open-file.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

const TIMEOUT_MS = 120_000;
const LONGEST_MS = 600_000;
const MOST_PATHS = 20;

const input = z.strictObject({
  command: z.string().min(1).describe("For the shell"),
  description: z.string().optional().describe("What it does, in five to ten words"),
  timeout: z
    .number()
    .int()
    .min(1)
    .max(LONGEST_MS)
    .optional()
    .describe("In milliseconds; 120000 unless given"),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Do not wait for its end; TaskOutput has what it writes"),
});
type Input = z.infer<typeof input>;

export const bash = defineTool<Input>({
  name: "Bash",
  description:
    "Runs a shell command in the working directory, each in a shell of its own and without a terminal. What takes long or does not end (servers, watchers, long test runs) belongs in the background: you are told when it ends. Read, search and change files with the other tools.",
  input,
  kind: "run",
  title: ({ command, run_in_background }) =>
    `Bash ${command}${run_in_background ? " (in the background)" : ""}`,
  permission({ command, description }, context) {
    if (changesNothing(command, context)) return undefined;
    return { detail: description === undefined ? command : `${command}\n\n${description}` };
  },
  // In the background it is a task.
  works: ({ command, run_in_background }) =>
    run_in_background || !mayChangeFiles(command) ? undefined : { command },
  async run({ command, description, timeout, run_in_background }, context): Promise<ToolResult> {
    if (command.includes("\0")) throw new Error("a command cannot hold a NUL character");
    const { cwd, tasks, signal } = context;
    const paths = await pathsIn(command, context);
    if (run_in_background) {
      const { taskId } = await tasks.startShell({ command, cwd, description: description ?? command });
      const text = `Running in the background as ${taskId}. You are told when it ends; TaskOutput has what it writes.`;
      return { text, summary: taskId, paths };
    }
    return { ...(await runCommand({ command, cwd, timeoutMs: timeout ?? TIMEOUT_MS, signal })), paths };
  },
});

/** Files of the project that a command names: instructions may speak about them. */
async function pathsIn(command: string, { cwd }: ToolContext): Promise<string[]> {
  const words = splitCommand(command)?.flatMap((one) => one.map(({ text }) => text));
  const candidates = (words ?? command.split(/[\s"'`;|&<>()=]+/u))
    .filter((word) => word !== "" && word.length < 1000 && !word.startsWith("-"))
    .map((word) => resolve(cwd, word))
    .filter((path) => isInside(path, cwd));
  const found: string[] = [];
  for (const path of new Set(candidates.slice(0, MOST_PATHS * 5))) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && found.length < MOST_PATHS) found.push(path);
  }
  return found;
}
