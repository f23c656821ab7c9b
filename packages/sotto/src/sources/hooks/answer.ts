// What a hook printed, read as its answer: JSON, or text. What is neither is rejected, in words.

import type { HookEvent } from "./hook-format.ts";
import { errorText } from "../../platform/errors.ts";
import { type HookAnswer, parseHookAnswer } from "./hook-answer.ts";

export type Answer =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  | { kind: "parts"; parts: HookAnswer }
  | { kind: "rejected"; why: string };

/** More than anyone means to say. */
export const MOST_OUTPUT = 1024 * 1024;

export function readAnswer(event: HookEvent, stdout: Uint8Array, printed: number): Answer {
  if (printed > MOST_OUTPUT)
    return rejected(`it printed ${printed} bytes, ${MOST_OUTPUT} is the most that is read`);
  const text = decode(stdout);
  if (text === undefined) return rejected("what it printed is not text in UTF-8");
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "nothing" };
  return trimmed.startsWith("{") ? readParts(event, trimmed) : { kind: "text", text: trimmed };
}

function readParts(event: HookEvent, text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejected(`its answer begins like JSON and is not one document of it: ${errorText(error)}`);
  }
  const parsed = parseHookAnswer(event, value);
  return "answer" in parsed
    ? { kind: "parts", parts: parsed.answer }
    : rejected(`its answer does not fit: ${parsed.problem}`);
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function rejected(why: string): Answer {
  return { kind: "rejected", why };
}
