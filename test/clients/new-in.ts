// What a request adds: all that stands behind the last words of the model; and how its conversation began.

import type { MeasuredWire } from "../support/prefix.ts";

type Message = { role?: string; type?: string };

/** As text that a check can look into; agents may write `<` as `&lt;`. */
export function newIn(wire: MeasuredWire, body: unknown): string {
  const messages = messagesOf(wire, body);
  const last = messages.findLastIndex(isModel);
  return JSON.stringify(messages.slice(last + 1));
}

/** All that stands before the first words of the model, and whether it has said any. */
export function beginningOf(wire: MeasuredWire, body: unknown): { text: string; isAnswered: boolean } {
  const messages = messagesOf(wire, body);
  const first = messages.findIndex(isModel);
  const before = first < 0 ? messages : messages.slice(0, first);
  return { text: JSON.stringify(before), isAnswered: first >= 0 };
}

function messagesOf(wire: MeasuredWire, body: unknown): readonly Message[] {
  return (body as Record<string, readonly Message[]>)[field(wire)] ?? [];
}

function field(wire: MeasuredWire): string {
  if (wire === "openai-responses") return "input";
  return wire === "gemini" ? "contents" : "messages";
}

function isModel({ role, type }: Message): boolean {
  return role === "assistant" || role === "model" || type === "function_call";
}
