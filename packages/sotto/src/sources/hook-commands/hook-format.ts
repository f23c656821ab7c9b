// The `hooks` table, in the format that coding agents share: which commands run on which event.

import * as v from "valibot";
import { issueText } from "../../facts/parse-event.ts";
import { nearest } from "../../platform/nearest.ts";

/** The events of coding agents. A host runs those that it supports. */
export const hookEvents = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Notification",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "InstructionsLoaded",
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
] as const;

/** The events that hooks run at. */
export type HookEvent = (typeof hookEvents)[number];

const command = v.pipe(v.string(), v.regex(/\S/u, "is empty"), v.maxLength(20_000));
const seconds = v.pipe(v.number(), v.gtValue(0), v.maxValue(86_400));
const variables = v.record(v.string(), v.string());

// Accepts unknown fields, as tables are shared with agents that know more.
const handler = v.looseObject({
  type: v.optional(v.string(), "command"),
  command: v.optional(command),
  /** If set, started without a shell. */
  args: v.optional(v.array(v.string())),
  /** In seconds. */
  timeout: v.optional(seconds),
  async: v.optional(v.boolean()),
  asyncRewake: v.optional(v.boolean()),
  env: v.optional(variables),
  if: v.optional(v.string()),
  shell: v.optional(v.string()),
});
const group = v.looseObject({
  matcher: v.optional(v.pipe(v.string(), v.maxLength(1000))),
  hooks: v.array(v.looseObject({})),
});

/** One hook in a hooks table. */
export interface HookHandler {
  type?: string;
  command?: string;
  args?: readonly string[];
  timeout?: number;
  async?: boolean;
  env?: Readonly<Record<string, string>>;
  [other: string]: unknown;
}

/** By event, as in `{ "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "…" }] }] }`. */
export type HooksTable = {
  readonly [Event in HookEvent]?: readonly { matcher?: string; hooks: readonly HookHandler[] }[];
};

/** One command of a table. */
export interface Hook {
  event: HookEvent;
  /** Empty: matches everything. */
  matcher: string;
  command: string;
  args?: readonly string[];
  timeoutMs?: number;
  async: boolean;
  env: Readonly<Record<string, string>>;
  /** For a hook that needed trust: asked before each run whether it is still trusted. */
  isAllowed?(): Promise<boolean>;
}

// A table is written by hand: more than this is a mistake.
const MOST_HOOKS = 200;

/** The commands of a table, in its order, and problems with the entries that cannot be used. */
export function parseHooks(table: unknown, where = "hooks"): { hooks: Hook[]; problems: string[] } {
  const hooks: Hook[] = [];
  const problems: string[] = [];
  if (!isTable(table)) return { hooks, problems: [`${where}: expected a table of events`] };
  for (const [event, groups] of Object.entries(table)) {
    const place = `${where}.${event}`;
    if (!isHookEvent(event)) problems.push(`${where}: "${event}" is not an event${hint(event)}`);
    else if (!Array.isArray(groups)) problems.push(`${place}: expected a list`);
    else
      for (const [index, one] of groups.entries())
        readGroup(event, one, `${place}[${index}]`, { hooks, problems });
  }
  if (hooks.length > MOST_HOOKS)
    problems.push(
      `${where}: ${hooks.length - MOST_HOOKS} of ${hooks.length} are ignored, the limit is ${MOST_HOOKS}`,
    );
  return { hooks: hooks.slice(0, MOST_HOOKS), problems };
}

export function isExactMatcher(matcher: string): boolean {
  return /^[\w\-,| ]*$/u.test(matcher);
}

function readGroup(
  event: HookEvent,
  value: unknown,
  where: string,
  { hooks, problems }: { hooks: Hook[]; problems: string[] },
): void {
  const parsed = v.safeParse(group, value, { abortEarly: true });
  if (!parsed.success) return void problems.push(issueText(where, parsed.issues[0]));
  const matcher = (parsed.output.matcher ?? "").trim();
  const wrong = matcherProblem(matcher);
  if (wrong !== undefined) return void problems.push(`${where}.matcher: ${wrong}`);
  for (const [index, one] of parsed.output.hooks.entries()) {
    const hook = readHandler(one, `${where}.hooks[${index}]`);
    if (typeof hook === "string") problems.push(hook);
    else hooks.push({ event, matcher: matcher === "*" ? "" : matcher, ...hook });
  }
}

/** The command, or what is wrong with it. A hook that would not run as intended does not run at all. */
function readHandler(value: unknown, where: string): Omit<Hook, "event" | "matcher"> | string {
  const parsed = v.safeParse(handler, value, { abortEarly: true });
  if (!parsed.success) return issueText(where, parsed.issues[0]);
  const { type, command: run, args, timeout, async = false, asyncRewake = false, env = {} } = parsed.output;
  if (type !== "command") return `${where}: hooks of the type "${type}" are not run, only commands are`;
  if (run === undefined) return `${where}.command: missing`;
  if (parsed.output.if !== undefined)
    return `${where}.if: conditions are not known here; use a matcher, and let the command look closer`;
  const { shell } = parsed.output;
  if (shell !== undefined && !/^(?:ba|z)?sh$/u.test(shell))
    return `${where}.shell: "${shell}" is not known here`;
  return {
    command: run,
    ...(args === undefined ? {} : { args }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    async: async || asyncRewake,
    env,
  };
}

function matcherProblem(matcher: string): string | undefined {
  if (matcher === "*" || isExactMatcher(matcher)) return undefined;
  try {
    new RegExp(matcher);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function isHookEvent(name: string): name is HookEvent {
  return (hookEvents as readonly string[]).includes(name);
}

function hint(wrong: string): string {
  const right = nearest(wrong, hookEvents);
  return right === undefined ? "" : `; did you mean "${right}"?`;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The JSON answer of a hook: its parts, or what is wrong with them.

// Accepts unknown fields, as agents that share these tables know more; a known field of another type is a mistake.
const specific = v.looseObject({
  hookEventName: v.string(),
  additionalContext: v.optional(v.string()),
  permissionDecision: v.optional(v.picklist(["allow", "deny", "ask", "defer"])),
  permissionDecisionReason: v.optional(v.string()),
  updatedInput: v.optional(v.record(v.string(), v.unknown())),
});
const schema = v.looseObject({
  continue: v.optional(v.boolean()),
  stopReason: v.optional(v.string()),
  systemMessage: v.optional(v.string()),
  // Without effect here: JSON output is never shown.
  suppressOutput: v.optional(v.boolean()),
  decision: v.optional(v.picklist(["approve", "allow", "block", "deny", "ask"])),
  reason: v.optional(v.string()),
  hookSpecificOutput: v.optional(specific),
});

export type HookAnswer = v.InferOutput<typeof schema>;

export function parseHookAnswer(
  event: HookEvent,
  value: unknown,
): { answer: HookAnswer } | { problem: string } {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (!parsed.success) return { problem: issueText("answer", parsed.issues[0]) };
  const named = parsed.output.hookSpecificOutput?.hookEventName;
  if (named === undefined || named === event) return { answer: parsed.output };
  const got = JSON.stringify(named.slice(0, 100));
  return { problem: `answer.hookSpecificOutput.hookEventName: expected "${event}", got ${got}` };
}
