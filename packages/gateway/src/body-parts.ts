// Parts of request bodies that several dialects have under different names.

import type { Dialect } from "sotto/extend";

interface Request {
  dialect: Dialect;
  body: Readonly<Record<string, unknown>>;
}

export function systemText(request: Request): string {
  return systemOf(request, request.dialect.messages(request.body)).text;
}

/** The system prompt, and where the messages behind it begin. */
export function systemOf(
  { dialect, body }: Request,
  messages: readonly unknown[],
): { text: string; first: number } {
  const said = textIn(body.system ?? body.instructions ?? body.systemInstruction ?? body.system_instruction);
  // Claude Code's first line is not for the model, and another one after a compaction.
  let text = said.startsWith("x-anthropic-billing-header:") ? said.slice(said.indexOf("\n") + 1) : said;
  let first = 0;
  while (first < messages.length && isSystem(messages[first])) {
    if (text === "") text = textIn(fieldsOf(messages[first]).content);
    first += 1;
  }
  // A history of nothing else is its own beginning.
  return { text, first: first === messages.length ? 0 : first };

  function isSystem(message: unknown): boolean {
    const { role } = fieldsOf(message);
    return dialect.field !== "contents" && (role === "system" || role === "developer");
  }
}

/** Of a string, a list of blocks, or an object with parts. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textIn).join("\n");
  const { text, parts } = fieldsOf(value);
  return typeof text === "string" ? text : parts === undefined ? "" : textIn(parts);
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}
