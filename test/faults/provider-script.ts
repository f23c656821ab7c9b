// The loopback provider's script: it does what the call asks for.

import type { Answer } from "../support/servers/model-server.ts";
import type { Cut } from "../support/servers/send.ts";
import { labelOf } from "./asks.ts";

const STALL_MS = 2000;

export function script(body: Record<string, unknown>): Answer {
  const { session, life, call, ask } = labelOf(body);
  const text = `Answer ${life}.${call} for ${session}.`;
  if (ask === "tool")
    return { text, toolCalls: [{ name: "Bash", input: { command: `step ${life}.${call}` } }] };
  if (ask === "stall") return { text, delayMs: STALL_MS };
  if (ask.startsWith("error-")) return { status: Number(ask.slice("error-".length)) };
  if (ask.startsWith("cut-")) return { text, cut: ask.slice("cut-".length) as Cut };
  return { text };
}
