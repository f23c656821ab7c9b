// The outcome of a hook, for the host and for the log: redacted, bounded, each kind as its event.

import type { EventOf } from "../../facts/events.ts";
import type { SessionEvent } from "../../facts/session-events.ts";
import type { Redact } from "../redact.ts";
import type { Hook, HookAnswer } from "./hook-format.ts";
import { rulesOf } from "./matcher.ts";
import { type HookRun, readAnswer } from "./run-hook.ts";

type Finished = EventOf<"hook_finished">;

/** The outcome of one hook. */
export interface HookOutcome {
  hookName: string;
  command: string;
  outcome: Finished["outcome"] | "error_during_execution";
  /** The reason of an error, a block or a stop. */
  reason?: string;
  /** For the user. */
  systemMessage?: string;
  permission?: "allow" | "deny" | "ask";
  updatedInput?: Record<string, unknown>;
}

export interface Judged {
  outcome: HookOutcome;
  events: SessionEvent[];
}

export interface Case {
  hook: Hook;
  hookName: string;
  toolName?: string | undefined;
  async: boolean;
  run: HookRun;
  redact: Redact;
}

/** `none`: it left the decision to others. */
export type Permission = NonNullable<HookOutcome["permission"]> | "none";

interface Decision {
  permission: Permission;
  reason: string | undefined;
  updatedInput: Record<string, unknown> | undefined;
}

// As much as is read of a hook's output: text for the model is not cut further.
const MOST_TEXT = 1024 * 1024;
// Output that was parsed as an answer is only kept for people who look at the log.
const MOST_OUTPUT = 10_000;

export function decided(judged: Judged, given: Case, { permission, reason, updatedInput }: Decision): Judged {
  const { hook, hookName, toolName, redact } = given;
  const why = reason === undefined ? {} : { reason: shown(reason, redact) };
  const changed = permission !== "deny" && updatedInput !== undefined;
  const attachment = {
    type: "hook_permission_decision",
    hookName,
    hookEvent: hook.event,
    ...(toolName === undefined ? {} : { toolName }),
    command: shown(hook.command, redact),
    decision: permission,
    ...why,
    ...(changed ? { changedInput: true } : {}),
  };
  return {
    outcome: {
      ...judged.outcome,
      ...why,
      ...(permission === "none" ? {} : { permission }),
      ...(changed ? { updatedInput } : {}),
    },
    events: [...judged.events, { type: "noted", attachment }],
  };
}

/** The reason is for the model, or only for the user: then the model does not get it. */
export function blocked(given: Case, reason: string, details: Partial<Finished> = {}): Judged {
  const judged = finished(given, { outcome: "blocking_error", message: reason, ...details });
  if (rulesOf(given.hook.event).blocks === "model" || given.async) return judged;
  const { hook, hookName, redact } = given;
  const { command, processId, systemMessage } = judged.events[0] as Finished;
  const attachment = {
    type: "hook_system_message",
    hookName,
    hookEvent: hook.event,
    command,
    processId,
    outcome: "blocking_error",
    systemMessage: [shown(reason, redact), systemMessage].filter((one) => one !== undefined).join("\n"),
  };
  const plain = Object.fromEntries(Object.entries(attachment).filter(([, value]) => value !== undefined));
  return { ...judged, events: [{ type: "noted", attachment: { ...plain, type: attachment.type } }] };
}

/** It could not be run at all. */
export function broken({ hook, hookName, toolName, redact }: Case, why: string): Judged {
  const command = shown(hook.command, redact);
  const reason = redact(why);
  const attachment = {
    type: "hook_error_during_execution",
    hookName,
    hookEvent: hook.event,
    ...(toolName === undefined ? {} : { toolName }),
    command,
    content: reason,
  };
  return {
    outcome: { hookName, command, outcome: "error_during_execution", reason },
    events: [{ type: "noted", attachment }],
  };
}

export function finished(
  { hook, hookName, toolName, async, run, redact }: Case,
  { outcome, ...texts }: Pick<Finished, "outcome"> & Partial<Finished>,
): Judged {
  const { message, systemMessage, additionalContext } = texts;
  const isPlainOutput = (message ?? systemMessage ?? additionalContext) === undefined;
  const most = (key: string) => (key.startsWith("std") && !isPlainOutput ? MOST_OUTPUT : MOST_TEXT);
  const clean = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === "string" ? shown(text, redact, most(key)) : text,
    ]),
  ) as Partial<Finished>;
  const exitCode = run.kind === "ended" ? run.end.exitCode : undefined;
  const event: Finished = {
    type: "hook_finished",
    hookName,
    hookEvent: hook.event,
    ...(toolName === undefined ? {} : { toolName }),
    ...(run.kind === "failed" || run.processId === undefined ? {} : { processId: run.processId }),
    outcome,
    async,
    command: shown(hook.command, redact),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(run.kind === "failed" || run.startedAt === undefined
      ? {}
      : { startedAt: new Date(run.startedAt).toISOString() }),
    ...clean,
  };
  const reason = event.message ?? (outcome === "success" ? undefined : event.stderr);
  return {
    outcome: {
      hookName,
      command: event.command as string,
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(event.systemMessage === undefined ? {} : { systemMessage: event.systemMessage }),
    },
    events: [event],
  };
}

export function outputOf({ run }: Case): Pick<Finished, "stdout" | "stderr"> {
  if (run.kind !== "ended") return {};
  const [stdout, stderr] = [decodeOutput(run.end.stdout), decodeOutput(run.end.stderr)];
  return { ...(stdout === "" ? {} : { stdout }), ...(stderr === "" ? {} : { stderr }) };
}

export function decodeOutput(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replaceAll("\0", "\u{FFFD}").trim();
}

/** Without secrets and bounded. Of a much longer text only the beginning is processed. */
function shown(text: string, redact: Redact, most = MOST_TEXT): string {
  const clean = redact(text.slice(0, 2 * most));
  if (clean.length <= most && text.length <= 2 * most) return clean.toWellFormed();
  const words = `\n… (cut: ${most} of ${text.length} characters)`;
  return `${clean.slice(0, most).toWellFormed()}${words}`;
}

// What the result of a hook means: what to record, and what the host must do.

const NO_REASON = "no reason was given";

export function judge(given: Case): Judged {
  const { run } = given;
  if (run.kind === "failed") return broken(given, run.why);
  if (run.kind === "cancelled") return finished(given, { outcome: "cancelled", message: run.why });
  const { exitCode, signal, stdout, printed } = run.end;
  if (exitCode === 2) return held(given, decodeOutput(run.end.stderr));
  if (exitCode !== 0) {
    const message = exitCode === undefined ? `it was killed by ${signal}` : `it exited with code ${exitCode}`;
    return finished(given, { outcome: "non_blocking_error", message, ...outputOf(given) });
  }
  const answer = readAnswer(given.hook.event, stdout, printed);
  if (answer.kind === "rejected")
    return finished(given, { outcome: "non_blocking_error", message: answer.why, ...outputOf(given) });
  if (answer.kind === "parts") return answered(given, answer.parts);
  return finished(given, { outcome: "success", ...outputOf(given) });
}

/** Exit code 2 blocks, with stderr as the reason. */
function held(given: Case, stderr: string): Judged {
  const reason = stderr.trim() === "" ? NO_REASON : stderr.trim();
  if (rulesOf(given.hook.event).blocks !== undefined) return blocked(given, reason);
  const message = `it exited with code 2, but it cannot block ${given.hook.event}`;
  return finished(given, { outcome: "non_blocking_error", message, ...outputOf(given) });
}

function answered(given: Case, parts: HookAnswer): Judged {
  const { systemMessage, hookSpecificOutput: specific = { hookEventName: "" } } = parts;
  const details = {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(specific.additionalContext === undefined ? {} : { additionalContext: specific.additionalContext }),
  };
  if (parts.continue === false)
    return finished(given, {
      outcome: "stopped",
      message: parts.stopReason ?? parts.reason ?? "",
      ...details,
    });
  const isTool = given.hook.event === "PreToolUse";
  const permission = isTool ? permissionIn(parts) : undefined;
  const reason = specific.permissionDecisionReason ?? parts.reason;
  if (permission === undefined) {
    const holds = parts.decision === "block" || parts.decision === "deny";
    if (holds && rulesOf(given.hook.event).blocks !== undefined)
      return blocked(given, reason ?? NO_REASON, details);
    return finished(given, { outcome: "success", ...details });
  }
  return decided(finished(given, { outcome: "success", ...details }), given, {
    permission,
    reason,
    updatedInput: specific.updatedInput,
  });
}

/** The newer field takes precedence; `defer` is not a decision, but its input may still count. */
function permissionIn({ decision, hookSpecificOutput }: HookAnswer): Permission | undefined {
  const given = hookSpecificOutput?.permissionDecision;
  if (given !== undefined) return given === "defer" ? "none" : given;
  if (decision === "approve" || decision === "allow") return "allow";
  if (decision === "ask") return "ask";
  return hookSpecificOutput?.updatedInput === undefined || decision !== undefined ? undefined : "none";
}

// The combined result of all hooks of an event: the strictest one wins.

/** What the host must do. */
export interface HookVerdict {
  /** The tool does not run, the prompt is not sent, or the agent does not stop yet. */
  blocked?: { hookName: string; reason: string };
  /** The agent must stop altogether. */
  stopped?: { hookName: string; reason: string };
  /** Before a tool: run it without asking, or ask in any case. A refusal is `blocked`. */
  permission?: "allow" | "ask";
  /** The hook's reason, if it gave one. */
  permissionReason?: string;
  /** The input that the tool must be run with instead. */
  updatedInput?: Record<string, unknown>;
  /** Messages of hooks to the user. */
  systemMessages: string[];
  /** The outcome of each hook that was waited for, in the order of the table. */
  outcomes: HookOutcome[];
}

export function verdictOf(outcomes: readonly HookOutcome[]): HookVerdict {
  const blocking = outcomes.find(
    ({ outcome, permission }) => outcome === "blocking_error" || permission === "deny",
  );
  const stopping = outcomes.find(({ outcome }) => outcome === "stopped");
  const asking = outcomes.find(({ permission }) => permission === "ask");
  const deciding = asking ?? outcomes.find(({ permission }) => permission === "allow");
  // All hooks saw the same input: the last one in the table that changes it wins.
  const changing = outcomes.findLast(({ updatedInput }) => updatedInput !== undefined);
  return {
    ...(blocking === undefined ? {} : { blocked: worded(blocking) }),
    ...(stopping === undefined ? {} : { stopped: worded(stopping) }),
    ...(deciding === undefined || blocking !== undefined
      ? {}
      : { permission: deciding.permission === "ask" ? "ask" : "allow" }),
    ...(deciding?.reason === undefined ? {} : { permissionReason: deciding.reason }),
    ...(changing?.updatedInput === undefined ? {} : { updatedInput: changing.updatedInput }),
    systemMessages: outcomes.flatMap(({ systemMessage }) => systemMessage ?? []),
    outcomes: [...outcomes],
  };
}

function worded({ hookName, reason = "" }: HookOutcome): { hookName: string; reason: string } {
  return { hookName, reason: reason === "" ? "no reason was given" : reason };
}
