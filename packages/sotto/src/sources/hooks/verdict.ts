// What all hooks of an event mean together: the strictest has its way.

import type { HookOutcome } from "./outcome.ts";

/** What a host is to do. */
export interface HookVerdict {
  /** Held up: the tool is not run, the prompt not sent, the agent does not stop yet. */
  blocked?: { hookName: string; reason: string };
  /** The agent is to stop altogether. */
  stopped?: { hookName: string; reason: string };
  /** Before a tool: whether it needs no question, or one in any case. A refusal is `blocked`. */
  permission?: "allow" | "ask";
  /** Why, where a hook said so. */
  permissionReason?: string;
  /** What the tool is to be run with instead. */
  updatedInput?: Record<string, unknown>;
  /** Words of hooks to the user. */
  systemMessages: string[];
  /** What came of each that was waited for, in the order of the table. */
  outcomes: HookOutcome[];
}

export function verdictOf(outcomes: readonly HookOutcome[]): HookVerdict {
  const blocking = outcomes.find(
    ({ outcome, permission }) => outcome === "blocking_error" || permission === "deny",
  );
  const stopping = outcomes.find(({ outcome }) => outcome === "stopped");
  const asking = outcomes.find(({ permission }) => permission === "ask");
  const deciding = asking ?? outcomes.find(({ permission }) => permission === "allow");
  // Each saw the same input: the last of the table that changes it is taken.
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
