// Which session an event belongs to: the agent, its conversation, and the sub-agent it comes from.

import { createHash } from "node:crypto";
import type { HookInput } from "./read-event.ts";

export interface SessionName {
  /** The conversation's own. */
  main: string;
  /** The sub-agent's, where the event comes from one. */
  sub?: string;
}

export function sessionName(agent: string, input: HookInput, parentProcess: number): SessionName {
  const { sessionId, agentId } = input;
  const main = `${agent}/${sessionId === undefined ? derived(input, parentProcess) : word(sessionId)}`;
  return agentId === undefined ? { main } : { main, sub: `${main}/${word(agentId)}` };
}

/** Without an id: the same agent process, in the same directory, with the same transcript, is one conversation. */
function derived({ cwd = "", transcriptPath = "" }: HookInput, parentProcess: number): string {
  return `unnamed-${short(`${cwd}\n${transcriptPath}\n${parentProcess}`)}`;
}

/** As it is, unless it has characters that mean something in a session's name, or is endless. */
function word(id: string): string {
  return /^[\w.:@-]{1,120}$/u.test(id) ? id : `odd-${short(id)}`;
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
