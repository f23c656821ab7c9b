// What a request adds: all that stands behind the last words of the model.

import type { MeasuredWire } from "../support/prefix.ts";

type Message = { role?: string; type?: string };

/** As text that a check can look into; agents may write `<` as `&lt;`. */
export function newIn(wire: MeasuredWire, body: unknown): string {
  const messages = (body as Record<string, readonly Message[]>)[field(wire)] ?? [];
  const last = messages.findLastIndex(isModel);
  return JSON.stringify(messages.slice(last + 1));
}

function field(wire: MeasuredWire): string {
  if (wire === "openai-responses") return "input";
  return wire === "gemini" ? "contents" : "messages";
}

function isModel({ role, type }: Message): boolean {
  return role === "assistant" || role === "model" || type === "function_call";
}
