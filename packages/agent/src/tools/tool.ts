// The contract of tools: what the model may ask for, and what happens then.

import type { Session } from "sotto";
import type { z } from "zod";
import type { Asker, Listener } from "../agent-events.ts";
import type { HookPoints } from "../hook-points.ts";

export interface Tool<Input = never> {
  name: string;
  /** For the model. */
  description: string;
  input: z.ZodType<Input>;
  /** What the model is told of the input, as JSON Schema, where somebody else has written it. */
  schema?: Readonly<Record<string, unknown>>;
  /** What it does to the world: `read` asks only before a file that looks secret, `write` and `run` go through the gate of plan mode. */
  kind: "read" | "write" | "run";
  /** The call in one line, for people. */
  title(input: Input): string;
  /** What a person is asked first; nothing where it changes nothing. */
  permission?(input: Input, context: ToolContext): Wanted | undefined;
  /** What runs while it is at work and may change files behind its back; nothing where it does not, or tells of it itself. */
  works?(input: Input): { command: string; kind?: "tool" } | undefined;
  /** Throwing tells the model what went wrong; so does `isError`. */
  run(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface Wanted {
  detail?: string;
  /** The option that allows it beforehand, where that is not the usual one. */
  allowedBy?: string;
  /** What allowing it for good allows, where that is not every call of the tool. */
  always?: string;
}

export interface ToolResult {
  /** What the model reads. */
  text: string;
  isError?: boolean;
  image?: { mediaType: string; data: string };
  /** What people see of it, in one line. */
  summary?: string;
  /** Paths it touched or showed: instructions about them are asked for. */
  paths?: string[];
  /** Why the agent is to stop behind it: a hook said so. */
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
  /** Directories besides cwd in which files may be read and written. */
  extraDirectories: readonly string[];
  /** What it may not read: gitignore-style, relative to cwd, or absolute. */
  denyRead?: readonly string[];
  /** The user has allowed everything: a search leaves no file out because it looks secret. */
  showsSecrets?: boolean;
  /** Runs a sub-agent to its end and gives its answer; in the background it is a task. */
  runSubagent(request: SubagentRequest): Promise<{ text: string; isError?: boolean }>;
  /** The kinds of sub-agents there are. */
  agentTypes: readonly { type: string; description: string }[];
  /** What runs before and after a tool. */
  hooks?: HookPoints;
}

export interface SubagentRequest {
  agentType: string;
  prompt: string;
  description: string;
  signal: AbortSignal;
  /** Hears of each of its steps, as one line. */
  onStep?(title: string): void;
}

/** Work that goes on while the agent does something else. */
export interface Tasks {
  /** A real process in a group of its own; its output is kept in a bounded file. */
  startShell(request: { command: string; cwd: string; description: string }): Promise<{ taskId: string }>;
  /** Anything else that ends by itself: a sub-agent, a team mate, an agent elsewhere. */
  start(request: {
    taskType: "agent" | "remote_session";
    description: string;
    /** Its session tells this one what it writes and runs. */
    recordsWrites?: true;
    /** `tell`: how far it has come. */
    run(signal: AbortSignal, tell: (message: string) => void): Promise<TaskAnswer>;
  }): Promise<{ taskId: string }>;
  /** What it has written since it was last asked, or all of it; waits up to `waitMs` for its end. */
  output(
    taskId: string,
    options?: { waitMs?: number; all?: boolean; signal?: AbortSignal },
  ): Promise<TaskOutput | undefined>;
  list(): readonly ListedTask[];
  /** Ends them all, with everything they started. */
  close(): Promise<void>;
}

export interface TaskAnswer {
  text: string;
  isError?: boolean;
  /** Why it failed, where the text does not say so. */
  error?: string;
}

export type TaskStatus = "running" | "completed" | "failed";

export interface ListedTask {
  taskId: string;
  description: string;
  status: TaskStatus;
  exitCode?: number;
  /** Where its output is. */
  outputPath: string;
}

export interface TaskOutput {
  status: TaskStatus;
  text: string;
  exitCode?: number;
}

// A tool among others: its input is known inside, and checked before it gets there.

export function defineTool<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

// Waits for something that may not hear the signal itself.

/** `graceMs`: how long it may take to end once the signal came. */
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
