// Which hooks an event is for. Regular expressions run in a worker, so that one that never ends only affects its own
// hook.

import { errorText } from "../../platform/errors.ts";
import type { Job } from "../../platform/platform.ts";
import { type Hook, type HookEvent, isExactMatcher } from "./hook-format.ts";

export interface Matching {
  matched: Hook[];
  /** Hooks whose matcher could not be evaluated, and why. */
  unsure: { hook: Hook; why: string }[];
}

export interface Matcher {
  match(hooks: readonly Hook[], subject: string | undefined): Promise<Matching>;
}

type Verdict = boolean | { why: string };

const JOBS = new URL(import.meta.url.endsWith(".ts") ? "./jobs.ts" : "./hook-jobs.js", import.meta.url).href;
// There are few tool names; a host that generates them must not fill the memory.
const KEPT = 1000;
const LONGEST_SUBJECT = 1000;

export function createMatcher(work: (job: Job) => Promise<unknown>): Matcher {
  const known = new Map<string, Promise<Verdict>>();

  const byExpression = (matcher: string, subject: string): Promise<Verdict> => {
    const key = JSON.stringify([matcher, subject]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const about = `the matcher ${JSON.stringify(matcher)}`;
    const asked = work({ module: JOBS, name: "matches", input: { matcher, subject }, about }).then(
      (answer): Verdict => answer === true,
      (error: unknown): Verdict => ({ why: errorText(error) }),
    );
    known.set(key, asked);
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return asked;
  };

  const verdictOn = async ({ matcher }: Hook, subject: string | undefined): Promise<Verdict> => {
    if (matcher === "" || subject === undefined) return true;
    if (isExactMatcher(matcher)) return namesIn(matcher).includes(subject);
    return byExpression(matcher, subject.slice(0, LONGEST_SUBJECT));
  };

  return {
    async match(hooks, subject) {
      const verdicts = await Promise.all(hooks.map((hook) => verdictOn(hook, subject)));
      const matching: Matching = { matched: [], unsure: [] };
      for (const [index, hook] of hooks.entries()) {
        const verdict = verdicts[index];
        if (verdict === true) matching.matched.push(hook);
        else if (typeof verdict === "object") matching.unsure.push({ hook, why: verdict.why });
      }
      return { ...matching, matched: eachOnce(matching.matched) };
    },
  };
}

/** The same command in two tables is one hook. */
function eachOnce(hooks: readonly Hook[]): Hook[] {
  const byCommand = new Map<string, Hook>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.command, hook.args, hook.async, hook.env]);
    if (!byCommand.has(key)) byCommand.set(key, hook);
  }
  return [...byCommand.values()];
}

function namesIn(matcher: string): string[] {
  return matcher.split(/[|,]/u).map((name) => name.trim());
}

// The rules of each hook event: what its matcher applies to, who gets the reason of a block, how long it may take.

export interface HookEventRules {
  /** The field of the input that matchers apply to; without one every hook of the event runs. */
  about?: string;
  /** Who gets the reason of a block. Absent: this event cannot be blocked. */
  blocks?: "model" | "user";
  timeoutMs: number;
}

const TIMEOUT_MS = 600_000;
// A person waits for these.
const PROMPT_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 1500;

const TRAITS: { [Event in HookEvent]?: Partial<HookEventRules> } = {
  SessionStart: { about: "source" },
  SessionEnd: { about: "reason", timeoutMs: END_TIMEOUT_MS },
  // A prompt is often blocked to keep it from the model: the reason may repeat what must not get there.
  UserPromptSubmit: { blocks: "user", timeoutMs: PROMPT_TIMEOUT_MS },
  UserPromptExpansion: { about: "command_name", blocks: "user", timeoutMs: PROMPT_TIMEOUT_MS },
  PreToolUse: { about: "tool_name", blocks: "model" },
  PermissionRequest: { about: "tool_name", blocks: "model" },
  PermissionDenied: { about: "tool_name" },
  PostToolUse: { about: "tool_name", blocks: "model" },
  PostToolUseFailure: { about: "tool_name", blocks: "model" },
  PostToolBatch: { blocks: "model" },
  Stop: { blocks: "model" },
  SubagentStart: { about: "agent_type" },
  SubagentStop: { about: "agent_type", blocks: "model" },
  PreCompact: { about: "trigger", blocks: "user" },
  PostCompact: { about: "trigger" },
  Notification: { about: "notification_type" },
  TaskCreated: { blocks: "model" },
  TaskCompleted: { blocks: "model" },
  TeammateIdle: { blocks: "model" },
  InstructionsLoaded: { about: "load_reason" },
  ConfigChange: { about: "source", blocks: "user" },
};

export function rulesOf(event: HookEvent): HookEventRules {
  return { timeoutMs: TIMEOUT_MS, ...TRAITS[event] };
}

/** The value that matchers apply to: the tool, the source. */
export function subjectOf(event: HookEvent, input: Readonly<Record<string, unknown>>): string | undefined {
  const { about } = rulesOf(event);
  const value = about === undefined ? undefined : input[about];
  return typeof value === "string" && value !== "" ? value : undefined;
}
