// Says why a body is no OpenAI Responses request that can be read, naming the field.

import { problemOfBlocks } from "./body-problem.ts";
import { type Fields, isFields } from "./shared.ts";

const TEXTS = ["input_text", "output_text"];
// What a request can go on from without any input of its own.
const SOURCES = ["previous_response_id", "conversation", "prompt"];

export function problemOfInput(body: unknown): string | undefined {
  try {
    if (!isFields(body)) return "body: expected an object";
    const { input } = body;
    if (typeof input === "string") return undefined;
    if (input === undefined && SOURCES.some((field) => body[field] != null)) return undefined;
    if (!Array.isArray(input)) return "input: expected a string or a list";
    for (let index = 0; index < input.length; index++) {
      const problem = problemOfItem(input[index]);
      if (problem) return `input.${index}${problem}`;
    }
    return undefined;
  } catch {
    // A getter or a proxy of the host's threw: no body that anyone could send.
    return "body: cannot be read";
  }
}

function problemOfItem(item: unknown): string | undefined {
  if (!isFields(item)) return ": expected an object";
  const { type, id } = item;
  if (type != null && typeof type !== "string") return ".type: expected a string";
  if (id != null && typeof id !== "string") return ".id: expected a string";
  return type == null || type === "message" ? problemOfMessage(item) : undefined;
}

function problemOfMessage({ role, content }: Fields): string | undefined {
  if (typeof role !== "string") return ".role: expected a string";
  if (typeof content === "string") return undefined;
  return problemOfBlocks(content, TEXTS);
}
