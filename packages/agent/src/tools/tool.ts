// The contract of tools.

import type { Session } from "sotto";
import type { z } from "zod";
import type { Asker, Listener } from "../agent-events.ts";
import type { HookPoints } from "../hook-points.ts";

export interface Tool<Input = never> {
  name: string;
  /** For the model. */
  description: string;
  input: z.ZodType<Input>;
  /** The input as JSON Schema, for foreign tools. */
  schema?: Readonly<Record<string, unknown>>;
  /** Its effect: `read` asks only about files that look secret; plan mode restricts `write` and `run`. */
  kind: "read" | "write" | "run";
  /** The call in one line, for people. */
  title(input: Input): string;
  /** What to ask the user first; undefined when it changes nothing. */
  permission?(input: Input, context: ToolContext): Wanted | undefined;
  /** A command or foreign tool that may change files while it runs; undefined when it does not, or records its changes. */
  works?(input: Input): { command: string; kind?: "tool" } | undefined;
  /** To tell the model what went wrong, throw or return `isError`. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface Wanted {
  detail?: string;
  /** The option that allows it in advance; default: `--allow`. */
  allowedBy?: string;
  /** What "always" allows; default: every call of the tool. */
  always?: string;
}

export interface ToolResult {
  /** What the model reads. */
  text: string;
  isError?: boolean;
  image?: { mediaType: string; data: string };
  /** For people, in one line. */
  summary?: string;
  /** Paths it touched or showed, to look for instructions about them. */
  paths?: string[];
  /** Why the agent must stop after it, when a hook says so. */
  stopped?: string;
}

export interface ToolContext {
  cwd: string;
  session: Session;
  callId: string;
  signal: AbortSignal;
  tasks: Tasks;
  asker: Asker;
  listen: Listener;
  /** Directories besides cwd that may be read and written. */
  extraDirectories: readonly string[];
  /** What must not be read: gitignore-style, relative to cwd, or absolute. */
  denyRead?: readonly string[];
  /** The user allowed everything: searches include files that look secret. */
  showsSecrets?: boolean;
  /** Runs a sub-agent to its end and returns its answer. */
  runSubagent(request: SubagentRequest): Promise<{ text: string; isError?: boolean }>;
  /** The available types of sub-agents. */
  agentTypes: readonly { type: string; description: string }[];
  /** Hooks before and after a tool. */
  hooks?: HookPoints;
}

export interface SubagentRequest {
  agentType: string;
  prompt: string;
  description: string;
  signal: AbortSignal;
  /** Called with each step, as one line. */
  onStep?(title: string): void;
}

/** Background tasks. */
export interface Tasks {
  /** Starts a process in its own group; its output goes to a file of limited size. */
  startShell(request: { command: string; cwd: string; description: string }): Promise<{ taskId: string }>;
  /** Starts any other work: a sub-agent, a team mate, a remote agent. */
  start(request: {
    taskType: "agent" | "remote_session";
    description: string;
    /** Its session records in this one what it writes and runs. */
    recordsWrites?: true;
    /** `tell` reports progress. */
    run(signal: AbortSignal, tell: (message: string) => void): Promise<TaskAnswer>;
  }): Promise<{ taskId: string }>;
  /** The output since the last call, or all of it; waits up to `waitMs` for the end. */
  output(
    taskId: string,
    options?: { waitMs?: number; all?: boolean; signal?: AbortSignal },
  ): Promise<TaskOutput | undefined>;
  list(): readonly ListedTask[];
  /** Stops all tasks and everything they started. */
  close(): Promise<void>;
}

export interface TaskAnswer {
  text: string;
  isError?: boolean;
  /** Why it failed, if the text does not say so. */
  error?: string;
}

export type TaskStatus = "running" | "completed" | "failed";

export interface ListedTask {
  taskId: string;
  description: string;
  status: TaskStatus;
  exitCode?: number;
  /** The file with its output. */
  outputPath: string;
}

export interface TaskOutput {
  status: TaskStatus;
  text: string;
  exitCode?: number;
}

/** Hides the input type, which is checked before `run`. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** Waits for work that may ignore the signal. `graceMs`: how long it may take to end after an abort. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal, graceMs = 0): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    };
  });
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
