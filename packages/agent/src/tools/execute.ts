// Runs a tool call: checks the input, asks hooks and the user, runs the tool and records the result.

import { performance } from "node:perf_hooks";
import type { z } from "zod";
import type { Permit } from "../agent-events.ts";
import { type BeforeTool, noHooks } from "../hook-points.ts";
import { cutMiddle } from "./excerpt.ts";
import { askFor, type Permissions } from "./permissions.ts";
import type { Tool, ToolContext, ToolResult } from "./tool.ts";
import { untilAborted } from "./tool.ts";

export interface ToolCall {
  toolName: string;
  callId: string;
  input: unknown;
}

// More than any built-in tool returns.
const MOST_TEXT = 150_000;
const MOST_TITLE = 200;
const MOST_SUMMARY = 120;
// How long a tool may take to end after an abort.
const STOP_MS = 4000;

const REFUSED: Partial<Record<Permit, string>> = {
  no: "the user did not allow this: do not try another way, ask what to do instead",
  nobody:
    "this needs permission, and there is nobody to ask: do not try another way, say what you would have done",
};

/** Never rejects: failures become results for the model. */
export async function executeTool(
  tools: readonly Tool[],
  call: ToolCall,
  context: ToolContext,
  permissions: Permissions,
): Promise<ToolResult> {
  const { toolName, callId } = call;
  const { listen } = context;
  const started = performance.now();
  const checked = check(tools, call);
  const title = oneLine(checked.title, MOST_TITLE);
  listen({ type: "tool_started", callId, toolName, title });
  const result = bounded(
    "problem" in checked
      ? failure(checked.problem)
      : await attempt({ ...checked, title }, { call, context, permissions }),
  );
  const success = result.isError !== true;
  await record(call, { success, durationMs: performance.now() - started, paths: result.paths }, context);
  const summary = oneLine(result.summary ?? result.text, MOST_SUMMARY);
  listen({ type: "tool_finished", callId, toolName, title, success, summary });
  return result;
}

type Ready = { tool: Tool; input: never; title: string };

function check(
  tools: readonly Tool[],
  { toolName, input }: ToolCall,
): Ready | { title: string; problem: string } {
  const tool = tools.find(({ name }) => name === toolName);
  const names = tools.map(({ name }) => name).join(", ");
  if (tool === undefined)
    return { title: toolName, problem: `there is no tool "${toolName}"; available: ${names}` };
  const parsed = tool.input.safeParse(input ?? {});
  if (!parsed.success)
    return { title: toolName, problem: `invalid input for ${toolName}: ${issueLine(parsed.error)}` };
  return { tool, input: parsed.data, title: tool.title(parsed.data) };
}

interface Attempt {
  call: ToolCall;
  context: ToolContext;
  permissions: Permissions;
}

async function attempt(asked: Ready, { call, context, permissions }: Attempt): Promise<ToolResult> {
  const { session, signal, hooks = noHooks } = context;
  try {
    signal.throwIfAborted();
    const before = await hooks.beforeTool({ ...call, input: asked.input }, signal);
    signal.throwIfAborted();
    if (before.refused !== undefined)
      return {
        ...failure(before.refused),
        ...(before.stopped === undefined ? {} : { stopped: before.stopped }),
      };
    const ready = withInput(asked, before);
    if ("problem" in ready) return failure(ready.problem);
    const { tool, input } = ready;
    const { allowed, reason } = await session.allows(tool.name, input);
    if (!allowed) return failure(reason);
    const question = {
      ...ready,
      context,
      ...(before.permission === "ask" ? { because: before.reason ?? "" } : {}),
    };
    const answer =
      before.permission === "allow" ? "yes" : await untilAborted(askFor(question, permissions), signal);
    const refused = REFUSED[answer];
    if (refused !== undefined) return failure(refused);
    return await runTool(ready, call, { ...context, showsSecrets: permissions.mode === "all" });
  } catch (error) {
    return failure(signal.aborted ? "interrupted by the user" : wordsOf(error));
  }
}

/** Runs the tool, then its hooks, whether it succeeded or not. */
async function runTool({ tool, input }: Ready, call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const { signal, hooks = noHooks } = context;
  const started = performance.now();
  const run = () => untilAborted(tool.run(input, context), signal, STOP_MS);
  const result = await recordingCommand({ tool, input }, context, run).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return failure(wordsOf(error));
  });
  const durationMs = performance.now() - started;
  const stopped = await hooks.afterTool({ ...call, input }, { ...result, durationMs }, signal);
  return stopped === undefined ? result : { ...result, stopped };
}

/** Records the start and end of a command or foreign tool, so that files changed meanwhile are attributed to it. */
async function recordingCommand<T>(
  { tool, input }: Pick<Ready, "tool" | "input">,
  { session, callId, listen }: ToolContext,
  run: () => Promise<T>,
): Promise<T> {
  const work = tool.works?.(input);
  if (work === undefined) return run();
  const record = async (times: { startedAt: string } | { endedAt: string }) => {
    try {
      await session.record({
        type: "command_ran",
        id: callId === "" ? "unknown" : callId,
        ...work,
        ...times,
      });
    } catch (error) {
      listen({ type: "notice", text: `a command could not be recorded: ${(error as Error).message}` });
    }
  };
  await record({ startedAt: new Date().toISOString() });
  try {
    return await run();
  } finally {
    await record({ endedAt: new Date().toISOString() });
  }
}

/** A hook may replace the input: check it like the model's. */
function withInput(ready: Ready, { input }: BeforeTool): Ready | { problem: string } {
  if (input === undefined) return ready;
  const checked = check([ready.tool], { toolName: ready.tool.name, callId: "", input });
  return "problem" in checked
    ? { problem: `a hook changed the input: ${checked.problem}` }
    : { ...checked, title: oneLine(checked.title, MOST_TITLE) };
}

async function record(
  { toolName, callId }: ToolCall,
  { paths, ...outcome }: { success: boolean; durationMs: number; paths: string[] | undefined },
  { session, listen }: ToolContext,
): Promise<void> {
  const touched = outcome.success && paths !== undefined && paths.length > 0 ? { paths } : {};
  try {
    await session.record({
      type: "tool_finished",
      toolName: toolName === "" ? "unknown" : toolName,
      callId: callId === "" ? "unknown" : callId,
      ...outcome,
      ...touched,
    });
  } catch (error) {
    listen({
      type: "notice",
      text: `a call of ${toolName} could not be recorded: ${(error as Error).message}`,
    });
  }
}

function issueLine({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
    .join("; ");
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failure(why: string): ToolResult {
  return {
    text: `${why.charAt(0).toUpperCase()}${why.slice(1)}${/[.!?]$/u.test(why) ? "" : "."}`,
    isError: true,
  };
}

function bounded(result: ToolResult): ToolResult {
  return { ...result, text: cutMiddle(result.text, MOST_TEXT) };
}

function oneLine(text: string, most: number): string {
  const line = text.trim().replace(/\s+/gu, " ");
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}
