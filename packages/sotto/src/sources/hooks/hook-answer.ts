// The JSON with which a hook answers: its parts, or what is wrong with them.

import * as v from "valibot";
import type { HookEvent } from "./hook-format.ts";
import { issueText } from "../../facts/events.ts";

// Loose, as agents that share these tables know more fields; a known field of another type is a mistake.
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
  // What is printed as JSON is never shown as it stands, so this changes nothing.
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
