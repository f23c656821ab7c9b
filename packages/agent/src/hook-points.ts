// The points at which the agent runs command hooks, and what it does with their verdicts.

import { isAbsolute, join } from "node:path";
import type { Session } from "sotto";
import type { HookEvent, Hooks, HookVerdict } from "sotto/hooks";
import type { Listener } from "./agent-events.ts";

export interface HookPoints {
  /** Before a prompt: returns why it is refused. The first one starts the session. */
  prompt(text: string, signal: AbortSignal): Promise<string | undefined>;
  beforeTool(call: HookedCall, signal: AbortSignal): Promise<BeforeTool>;
  /** Returns why the agent must stop, when a hook says so. */
  afterTool(call: HookedCall, result: HookedResult, signal: AbortSignal): Promise<string | undefined>;
  /** The agent is done: whether a hook makes it continue. */
  shouldContinue(last: { text: string; again: boolean }, signal: AbortSignal): Promise<boolean>;
  /** Returns why there must be no summary now. */
  beforeCompact(trigger: CompactTrigger, signal: AbortSignal): Promise<string | undefined>;
  afterCompact(trigger: CompactTrigger, summary: string, signal: AbortSignal): Promise<void>;
  /** The user is asked something. Nobody waits for these hooks. */
  notify(kind: string, message: string): void;
  subagent(session: Session, agentType: string): HookPoints;
  /** Runs the end hooks, unless the session never started. */
  end(): Promise<void>;
}

export type CompactTrigger = "manual" | "auto";

export interface HookedCall {
  toolName: string;
  callId: string;
  input: unknown;
}

export interface HookedResult {
  text: string;
  isError?: boolean;
  paths?: readonly string[];
  durationMs: number;
}

export interface BeforeTool {
  refused?: string;
  /** Why the agent must stop. */
  stopped?: string;
  /** The input to use instead. */
  input?: Record<string, unknown>;
  /** `allow`: run without asking; `ask`: always ask. */
  permission?: "allow" | "ask";
  reason?: string;
}

export interface AgentHooksOptions {
  hooks: Hooks;
  cwd: string;
  listen: Listener;
  /** How the session started. */
  source: "startup" | "resume" | "fork";
}

type Who = { session: Session; agentType: string };

export function createHookPoints({ hooks, cwd, listen, source }: AgentHooksOptions): HookPoints {
  const notice = (text: string) => listen({ type: "notice", text });

  const forOne = (who?: Who): HookPoints => {
    let begun = false;
    const about = who === undefined ? {} : { agent_id: who.session.id, agent_type: who.agentType };
    const run = async (event: HookEvent, input: object, signal?: AbortSignal): Promise<HookVerdict> => {
      const verdict = await hooks.run(
        event,
        { ...about, ...input },
        {
          ...(signal === undefined ? {} : { signal }),
          ...(who === undefined ? {} : { session: who.session }),
        },
      );
      verdict.systemMessages.forEach(notice);
      for (const { hookName, outcome, reason = "" } of verdict.outcomes)
        if (outcome === "non_blocking_error" || outcome === "error_during_execution")
          notice(`a ${hookName} hook failed: ${reason}`);
      return verdict;
    };
    const begin = async (signal: AbortSignal) => {
      if (begun) return undefined;
      begun = true;
      const verdict = await (who === undefined
        ? run("SessionStart", { source }, signal)
        : run("SubagentStart", {}, signal));
      return verdict.stopped?.reason;
    };
    const toolInput = ({ toolName, callId, input }: HookedCall) => ({
      tool_name: toolName,
      tool_input: withWholePath(input, cwd),
      tool_use_id: callId,
    });

    return {
      async prompt(text, signal) {
        const stopped = await begin(signal);
        if (stopped !== undefined) return stopped;
        // A sub-agent's prompt comes from its parent, not from the user.
        if (who !== undefined) return undefined;
        const { blocked, stopped: ended } = await run("UserPromptSubmit", { prompt: text }, signal);
        return (ended ?? blocked)?.reason;
      },
      async beforeTool(call, signal) {
        const verdict = await run("PreToolUse", toolInput(call), signal);
        const { blocked, stopped, permission, permissionReason, updatedInput } = verdict;
        if (stopped !== undefined) return { refused: refusal(stopped), stopped: stopped.reason };
        if (blocked !== undefined) return { refused: refusal(blocked) };
        return {
          ...(permission === undefined ? {} : { permission }),
          ...(permissionReason === undefined ? {} : { reason: permissionReason }),
          ...(updatedInput === undefined ? {} : { input: updatedInput }),
        };
      },
      async afterTool(call, { text, isError, paths, durationMs }, signal) {
        const duration_ms = Math.round(durationMs);
        const verdict = isError
          ? await run(
              "PostToolUseFailure",
              { ...toolInput(call), error: text, is_interrupt: signal.aborted, duration_ms },
              signal,
            )
          : await run(
              "PostToolUse",
              { ...toolInput(call), tool_response: responseOf(text, paths), duration_ms },
              signal,
            );
        return verdict.stopped?.reason;
      },
      async shouldContinue({ text, again }, signal) {
        const event = who === undefined ? "Stop" : "SubagentStop";
        const input = { stop_hook_active: again, last_assistant_message: text };
        const { blocked, stopped } = await run(event, input, signal);
        return blocked !== undefined && stopped === undefined;
      },
      async beforeCompact(trigger, signal) {
        const { blocked, stopped } = await run("PreCompact", { trigger, custom_instructions: "" }, signal);
        return (stopped ?? blocked)?.reason;
      },
      async afterCompact(trigger, summary, signal) {
        await run("PostCompact", { trigger, compact_summary: summary }, signal);
        if (who === undefined) await run("SessionStart", { source: "compact" }, signal);
      },
      notify: (kind, message) => void run("Notification", { notification_type: kind, message }),
      subagent: (session, agentType) => forOne({ session, agentType }),
      async end() {
        if (begun) await run("SessionEnd", { reason: "other" });
      },
    };
  };
  return forOne();
}

/** Does nothing. */
export const noHooks: HookPoints = {
  prompt: async () => undefined,
  beforeTool: async () => ({}),
  afterTool: async () => undefined,
  shouldContinue: async () => false,
  beforeCompact: async () => undefined,
  afterCompact: async () => undefined,
  notify: () => undefined,
  subagent: () => noHooks,
  end: async () => undefined,
};

function refusal({ hookName, reason }: { hookName: string; reason: string }): string {
  return `a ${hookName} hook refused this: ${reason}`;
}

/** Hooks compare absolute paths. */
function withWholePath(input: unknown, cwd: string): unknown {
  const { file_path: path } = (input ?? {}) as { file_path?: unknown };
  if (typeof path !== "string" || isAbsolute(path) || path.startsWith("~")) return input;
  return { ...(input as object), file_path: join(cwd, path) };
}

function responseOf(text: string, paths: readonly string[] | undefined): object {
  const [filePath] = paths ?? [];
  return { success: true, content: text, ...(filePath === undefined ? {} : { filePath }) };
}
