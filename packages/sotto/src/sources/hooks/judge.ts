// What a hook that ran means: what is recorded of it, and what the host is to do.

import type { HookAnswer } from "./hook-answer.ts";
import { readAnswer } from "./answer.ts";
import {
  blocked,
  broken,
  type Case,
  decided,
  decodeOutput,
  finished,
  type Judged,
  outputOf,
  type Permission,
} from "./outcome.ts";
import { traitsOf } from "./traits.ts";

const NO_REASON = "no reason was given";

export function judge(given: Case): Judged {
  const { run } = given;
  if (run.kind === "failed") return broken(given, run.why);
  if (run.kind === "cancelled") return finished(given, { outcome: "cancelled", message: run.why });
  const { exitCode, signal, stdout, printed } = run.end;
  if (exitCode === 2) return held(given, decodeOutput(run.end.stderr));
  if (exitCode !== 0) {
    const message = exitCode === undefined ? `it was ended by ${signal}` : `it ended with code ${exitCode}`;
    return finished(given, { outcome: "non_blocking_error", message, ...outputOf(given) });
  }
  const answer = readAnswer(given.hook.event, stdout, printed);
  if (answer.kind === "rejected")
    return finished(given, { outcome: "non_blocking_error", message: answer.why, ...outputOf(given) });
  if (answer.kind === "parts") return answered(given, answer.parts);
  return finished(given, { outcome: "success", ...outputOf(given) });
}

/** Code 2: what it wrote to the other stream is why. */
function held(given: Case, stderr: string): Judged {
  const reason = stderr.trim() === "" ? NO_REASON : stderr.trim();
  if (traitsOf(given.hook.event).blocks !== undefined) return blocked(given, reason);
  const message = `it ended with code 2, but nothing can be held up at ${given.hook.event}`;
  return finished(given, { outcome: "non_blocking_error", message, ...outputOf(given) });
}

function answered(given: Case, parts: HookAnswer): Judged {
  const { systemMessage, hookSpecificOutput: specific = { hookEventName: "" } } = parts;
  const said = {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(specific.additionalContext === undefined ? {} : { additionalContext: specific.additionalContext }),
  };
  if (parts.continue === false)
    return finished(given, { outcome: "stopped", message: parts.stopReason ?? parts.reason ?? "", ...said });
  const isTool = given.hook.event === "PreToolUse";
  const permission = isTool ? permissionIn(parts) : undefined;
  const reason = specific.permissionDecisionReason ?? parts.reason;
  if (permission === undefined) {
    const holds = parts.decision === "block" || parts.decision === "deny";
    if (holds && traitsOf(given.hook.event).blocks !== undefined)
      return blocked(given, reason ?? NO_REASON, said);
    return finished(given, { outcome: "success", ...said });
  }
  return decided(finished(given, { outcome: "success", ...said }), given, {
    permission,
    reason,
    updatedInput: specific.updatedInput,
  });
}

/** The newer field goes before the older one; `defer` is no decision, but its input may still count. */
function permissionIn({ decision, hookSpecificOutput }: HookAnswer): Permission | undefined {
  const given = hookSpecificOutput?.permissionDecision;
  if (given !== undefined) return given === "defer" ? "none" : given;
  if (decision === "approve" || decision === "allow") return "allow";
  if (decision === "ask") return "ask";
  return hookSpecificOutput?.updatedInput === undefined || decision !== undefined ? undefined : "none";
}
