// The rehearsal's tools: they really read, write and run in its directory, behind the session's gate.

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import process from "node:process";
import type { EventOf, Session, SessionEvent } from "sotto";
import type { BackgroundTasks } from "./background-tasks.ts";

export interface ToolOptions {
  session: Session;
  tasks: BackgroundTasks;
  record(event: SessionEvent): Promise<void>;
}

export interface ToolResult {
  content: string;
  failed: boolean;
}

type Input = Record<string, unknown>;

export const TOOLS = ["Read", "Write", "Edit", "Bash", "TodoWrite", "ExitPlanMode", "TaskOutput"].map(
  (name) => ({
    name,
    description: `The tool ${name} of the rehearsal.`,
    input_schema: { type: "object" },
  }),
);

export async function runTool(
  { id, name, input }: { id: string; name: string; input: Input },
  options: ToolOptions,
): Promise<ToolResult> {
  const from = performance.now();
  const result = await attempt(name, input, options);
  await options.record({
    type: "tool_finished",
    toolName: name,
    callId: id,
    success: !result.failed,
    durationMs: performance.now() - from,
  });
  return result;
}

async function attempt(name: string, input: Input, options: ToolOptions): Promise<ToolResult> {
  const { allowed, reason } = await options.session.allows(name, input);
  if (!allowed) return { content: reason, failed: true };
  try {
    return { content: await use(name, input, options), failed: false };
  } catch (error) {
    return { content: String(error), failed: true };
  }
}

async function use(name: string, input: Input, { tasks, record }: ToolOptions): Promise<string> {
  const path = String(input.file_path);
  if (name === "Read") {
    const content = await readFile(path, "utf8");
    await record({ type: "file_read", path, content });
    return content;
  }
  if (name === "Write") return store(path, String(input.content), record);
  if (name === "Edit") {
    const before = await readFile(path, "utf8");
    const after = before.replace(String(input.old_string), () => String(input.new_string));
    if (after === before) throw new Error(`${path}: old_string was not found`);
    return store(path, after, record);
  }
  if (name === "Bash") return `Running in the background as ${await tasks.start(String(input.command))}.`;
  if (name === "TodoWrite") {
    await record({ type: "todos_written", items: input.todos as EventOf<"todos_written">["items"] });
    return "The list is kept.";
  }
  if (name === "ExitPlanMode") {
    await record({ type: "mode_changed", mode: "normal" });
    return "The user approved the plan.";
  }
  throw new Error(`there is no tool ${name}`);
}

async function store(path: string, content: string, record: ToolOptions["record"]): Promise<string> {
  await writeFile(path, content);
  await record({ type: "file_written", path, content });
  if (path.endsWith(".mjs")) {
    const diagnostics = await check(path);
    await record({ type: "diagnostics_published", origin: "host", filePath: path, diagnostics });
  }
  return `${path} was written.`;
}

/** What Node itself says about the file's syntax. */
function check(path: string): Promise<EventOf<"diagnostics_published">["diagnostics"]> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--check", path], (_error, _stdout, stderr) => {
      const message = /^SyntaxError: .+$/mu.exec(stderr)?.[0];
      const line = Number(/:(\d+)\r?$/mu.exec(stderr)?.[1] ?? 1);
      resolve(message === undefined ? [] : [{ message, severity: "Error", line, source: "node" }]);
    });
  });
}
