// One line into one message of JSON-RPC 2.0, or why it is none.

import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { type Fields, show } from "../input/fields.ts";
import { parseJson } from "../input/json.ts";

export interface Message {
  method: string;
  /** Nothing: a notification, which nobody answers. Numbers are kept to the letter. */
  id?: unknown;
  params: Fields;
  /** The same, with the caller's numbers to the letter. */
  exact: Fields;
}

/** What is wrong with a message, and whom to tell: null where its id cannot be known. */
export interface WrongMessage {
  id: unknown;
  thrown: unknown;
}

export function toMessage(text: string): Message | WrongMessage {
  let parsed: ReturnType<typeof parseJson>;
  try {
    parsed = parseJson(text, "the message");
  } catch (thrown) {
    return { id: null, thrown };
  }
  const { value, faithful } = parsed;
  const problem = problemOf(value);
  const given = (problem?.isObject === false ? {} : value) as Fields;
  const exact = faithful as Fields;
  if (problem !== undefined)
    return {
      id: isId(given.id) && typeof given.method === "string" ? exact.id : null,
      thrown: wrongUse(problem.words, problem.code),
    };
  return {
    method: given.method as string,
    ...(given.id === undefined ? {} : { id: exact.id }),
    params: (given.params ?? {}) as Fields,
    exact: (exact.params ?? {}) as Fields,
  };
}

interface Wrong {
  isObject: boolean;
  words: string;
  code: string;
}

function problemOf(value: unknown): Wrong | undefined {
  const wrong = (words: string, isObject = true, code = "invalid_message") => ({ words, isObject, code });
  if (Array.isArray(value))
    return wrong("batches are not taken: send one message a line, without waiting for answers", false);
  if (typeof value !== "object" || value === null)
    return wrong(`a message is an object, got ${show(value)}`, false);
  const { jsonrpc, method, id, params } = value as Fields;
  if (jsonrpc !== "2.0") return wrong(`jsonrpc: expected "2.0", got ${show(jsonrpc)}`);
  if (typeof method !== "string") return wrong(`method: expected a text, got ${show(method)}`);
  if (id !== undefined && !isId(id)) return wrong(`id: expected a text or a number, got ${show(id)}`);
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params)))
    return wrong(`params: expected an object with names, got ${show(params)}`, true, "invalid_input");
  return undefined;
}

function isId(id: unknown): boolean {
  return typeof id === "string" || typeof id === "number" || id === null;
}
