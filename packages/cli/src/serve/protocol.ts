// The methods of the protocol and the fields each takes, as data: what is not here is refused, and the schema is made of it.

import { wrongUse } from "sotto-agent/terminal";
import { type Fields, optional, type Read, show, string } from "../input/fields.ts";
import { REQUEST_FIELDS, SESSION_FIELDS } from "../input/session-fields.ts";

export const METHOD_FIELDS = {
  initialize: ["protocol"],
  "session/open": [...SESSION_FIELDS, "id", "store", "defaults", "readConfig", "mailbox"],
  "session/record": ["session", "event", "events"],
  turn: ["session", ...REQUEST_FIELDS, "userPrompt"],
  "turn/commit": ["turn"],
  "turn/abandon": ["turn"],
  "session/beforeWrite": ["session", "path"],
  "session/allows": ["session", "toolName", "input"],
  "session/mode": ["session"],
  "session/todos": ["session"],
  "session/withoutReminders": ["session", ...REQUEST_FIELDS],
  "session/reset": ["session"],
  "session/subagent": ["session", "agentType", "definition", "id"],
  "session/fork": ["session", "id", "turn"],
  "session/close": ["session"],
  shutdown: [],
} satisfies Record<string, readonly string[]>;

export type MethodName = keyof typeof METHOD_FIELDS;

export const METHOD_NAMES = Object.keys(METHOD_FIELDS) as MethodName[];

/** Of use without an answer: these may come as notifications. */
export const NOTIFICATIONS: readonly MethodName[] = [
  "session/record",
  "turn/commit",
  "turn/abandon",
  "session/reset",
  "session/close",
  "shutdown",
];

export const PROTOCOL = 1;

// What a method is, and what its parameters are read with.

export interface Outcome {
  result: object;
  /** The answer could not be given: what it said was not said. */
  lost?: () => Promise<unknown>;
}

/** `exact` has the caller's numbers to the letter. */
export type Method = (params: Fields, exact: Fields) => Promise<Outcome>;

export function required<T>(params: Fields, name: string, read: Read<T>): T {
  return read(params[name], name);
}

/** A text that is not empty. */
export function named(given: unknown, where: string): string {
  const text = string(given, where);
  if (text.trim() === "") throw wrongUse(`${where}: it is empty`);
  return text;
}

export function sessionOf(params: Fields): string {
  return required(params, "session", named);
}

export function idOf(params: Fields): string | undefined {
  return optional(params, "id", named);
}

export function wholeNumber(given: unknown, where: string): number {
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return given;
  throw wrongUse(`${where}: expected a whole number from 0, got ${show(given)}`);
}
