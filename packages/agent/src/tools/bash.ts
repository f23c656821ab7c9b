// Bash: runs a command in the project directory, in the foreground or the background.

import { stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Exit, mayChangeFiles, splitCommand } from "sotto/internal";
import { z } from "zod";
import { followOutput, type RunningCommand, startCommand } from "../tasks/run-program.ts";
import { changesNothing } from "./commands.ts";
import { createExcerpt } from "./excerpt.ts";
import { isInside } from "./files/access.ts";
import { readingsOf } from "./files/readings.ts";
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const TIMEOUT_MS = 120_000;
const LONGEST_MS = 600_000;
const MOST_PATHS = 20;

const input = z.strictObject({
  command: z.string().min(1).describe("The shell command"),
  description: z.string().optional().describe("What it does, in five to ten words"),
  timeout: z.number().int().min(1).max(LONGEST_MS).optional().describe("In milliseconds; default: 120000"),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Do not wait for it to end; read its output with TaskOutput"),
});
type Input = z.infer<typeof input>;

export const bash = defineTool<Input>({
  name: "Bash",
  description:
    "Runs a shell command in the working directory, in a new shell without a terminal. Run what takes long or does not end (servers, watchers, long test runs) in the background: you are notified when it ends. Use the other tools to read, search and change files.",
  input,
  kind: "run",
  title: ({ command, run_in_background }) =>
    `Bash ${command}${run_in_background ? " (in the background)" : ""}`,
  permission({ command, description }, context) {
    if (changesNothing(command, context)) return undefined;
    return { detail: description === undefined ? command : `${command}\n\n${description}` };
  },
  // A background command is recorded as a task.
  works: ({ command, run_in_background }) =>
    run_in_background || !mayChangeFiles(command) ? undefined : { command },
  async run({ command, description, timeout, run_in_background }, context): Promise<ToolResult> {
    if (command.includes("\0")) throw new Error("a command cannot contain a NUL character");
    const { cwd, tasks, signal } = context;
    const paths = await pathsIn(command, context);
    if (run_in_background) {
      const { taskId } = await tasks.startShell({ command, cwd, description: description ?? command });
      const text = `Running in the background as ${taskId}. You are notified when it ends; read its output with TaskOutput.`;
      return { text, summary: taskId, paths };
    }
    return { ...(await runCommand({ command, cwd, timeoutMs: timeout ?? TIMEOUT_MS, signal })), paths };
  },
});

/** Project files that a command names: there may be instructions about them. */
async function pathsIn(command: string, { cwd }: ToolContext): Promise<string[]> {
  const words = splitCommand(command)?.flatMap((one) => one.map(({ text }) => text));
  const candidates = (words ?? command.split(/[\s"'`;|&<>()=]+/u))
    .filter((word) => word !== "" && word.length < 1000 && !word.startsWith("-"))
    .flatMap((word) => readingsOf(word, cwd))
    .filter((path) => isInside(path, cwd));
  const found: string[] = [];
  for (const path of new Set(candidates.slice(0, MOST_PATHS * 5))) {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isFile() && found.length < MOST_PATHS) found.push(path);
  }
  return found;
}

// Runs a command until it ends or times out, and returns its output.

export interface Command {
  command: string;
  cwd: string;
  timeoutMs: number;
  signal: AbortSignal;
}

type Ending = { kind: "exited"; exit: Exit; left: boolean } | { kind: "timeout" } | { kind: "aborted" };

const MOST_OUTPUT = 30_000;
// Processes that a shell leaves behind often end within a moment.
const LEFT_MS = 100;

export async function runCommand({ command, cwd, timeoutMs, signal }: Command): Promise<ToolResult> {
  signal.throwIfAborted();
  const group = await startCommand(command, cwd);
  const output = createExcerpt(MOST_OUTPUT);
  const following = followOutput(group, output.add);
  const ending = await endingOf(group, timeoutMs, signal);
  await following.drained();
  const words = endWords(ending, timeoutMs);
  const written = output.text().trimEnd();
  const text = [written === "" && words === "" ? "(no output)" : written, words].filter(
    (part) => part !== "",
  );
  const isError = ending.kind !== "exited" || ending.exit.exitCode !== 0;
  return {
    text: text.join("\n\n"),
    summary: isError ? words : (written.split("\n", 1)[0] ?? ""),
    ...(isError ? { isError } : {}),
  };
}

/** Resolves when no process of the group is left. */
async function endingOf(group: RunningCommand, timeoutMs: number, signal: AbortSignal): Promise<Ending> {
  const over = new AbortController();
  const time = delay(timeoutMs, "timeout" as const, { signal: AbortSignal.any([over.signal, signal]) });
  const exit = await Promise.race([group.exited, time.catch(() => "aborted" as const)]);
  over.abort();
  if (typeof exit === "string") {
    await group.end();
    return { kind: exit };
  }
  await Promise.race([group.ended, delay(LEFT_MS, undefined, { ref: false })]);
  const left = group.isAlive();
  if (left) await group.end();
  return { kind: "exited", exit, left };
}

function endWords(ending: Ending, timeoutMs: number): string {
  if (ending.kind === "aborted") return "Interrupted by the user.";
  if (ending.kind === "timeout")
    return `Timed out after ${timeoutMs / 1000} s. Use a longer timeout, or run it in the background.`;
  const { exitCode, signal } = ending.exit;
  const left = ending.left
    ? "Processes it left running were stopped: use run_in_background to keep something running."
    : "";
  const how =
    exitCode === 0 ? "" : exitCode === undefined ? `Killed by ${signal}.` : `Exit code ${exitCode}.`;
  return [how, left].filter((part) => part !== "").join(" ");
}
