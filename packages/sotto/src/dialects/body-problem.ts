// Says why a body is not a list of messages that a dialect can read, naming the field.

import { type Fields, isFields } from "./message-list.ts";

/** What a dialect requires of messages; everything else is up to the provider. */
export interface Demands {
  /** The roles; absent if compatible servers add their own. */
  roles?: readonly string[];
  /** Messages may have no content. */
  contentOptional?: boolean;
  /** Fields that have lists of objects if present. */
  lists?: readonly string[];
}

export function problemOf(body: unknown, demands: Demands): string | undefined {
  try {
    if (!isFields(body)) return "body: expected an object";
    const { messages } = body;
    if (!Array.isArray(messages)) return "messages: expected a list";
    for (let index = 0; index < messages.length; index++) {
      const problem = problemOfMessage(messages[index], demands);
      if (problem) return `messages.${index}${problem}`;
    }
    return undefined;
  } catch {
    // A getter or proxy of the host threw: nobody could send this body.
    return "body: cannot be read";
  }
}

function problemOfMessage(message: unknown, demands: Demands): string | undefined {
  if (!isFields(message)) return ": expected an object";
  const { role, content } = message;
  if (typeof role !== "string") return ".role: expected a string";
  if (demands.roles && !demands.roles.includes(role)) {
    return `.role: expected one of ${demands.roles.join(", ")}`;
  }
  if (demands.lists !== undefined)
    for (const list of demands.lists) {
      const value = message[list];
      if (value != null && !(Array.isArray(value) && Array.from(value).every(isFields))) {
        return `.${list}: expected a list of objects`;
      }
    }
  if (typeof content === "string") return undefined;
  if (content == null && demands.contentOptional) return misplaced(message, "content");
  return problemOfBlocks(content, ["text"]);
}

// Where other formats have what a message says.
const ELSEWHERE = [
  "content",
  "contents",
  "parts",
  "text",
  "message",
  "input",
  "output",
  "prompt",
  "value",
  "body",
];

/** Messages may have nothing at all in this field; one that has it elsewhere would not be read. */
export function misplaced(message: Fields, field: string): string | undefined {
  if (message[field] != null) return undefined;
  const key = Object.keys(message).find(
    (one) => !isEmpty(message[one]) && ELSEWHERE.includes(one.toLowerCase()),
  );
  return key === undefined ? undefined : `.${field}: missing, and "${key}" is no field of this format`;
}

/** Clients write down fields without a value, too. */
function isEmpty(value: unknown): boolean {
  return value == null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** `texts`: the types of blocks with a text. */
export function problemOfBlocks(content: unknown, texts: readonly string[]): string | undefined {
  if (!Array.isArray(content)) return ".content: expected a string or a list of blocks";
  for (let index = 0; index < content.length; index++) {
    const problem = problemOfBlock(content[index], texts);
    if (problem) return `.content.${index}${problem}`;
  }
  return undefined;
}

function problemOfBlock(block: unknown, texts: readonly string[]): string | undefined {
  if (!isFields(block) || typeof block.type !== "string") return ": expected an object with a type";
  return texts.includes(block.type) && typeof block.text !== "string"
    ? ".text: expected a string"
    : undefined;
}
