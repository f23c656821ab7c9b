// The methods of the protocol and their fields. Others are rejected, and the JSON Schema is generated from this.

import { usageError } from "sotto-agent/terminal";
import { type Fields, optional, type Read, show, string } from "../input/fields.ts";
import { REQUEST_FIELDS, SESSION_FIELDS } from "../input/session-fields.ts";

export const METHOD_FIELDS = {
  initialize: ["protocol"],
  "session/open": [...SESSION_FIELDS, "id", "store", "defaults", "readConfig", "mailbox"],
  "session/record": ["session", "event", "events"],
  turn: ["session", ...REQUEST_FIELDS, "userPrompt"],
  "turn/commit": ["turn", "answerId"],
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

/** Methods that may be sent as notifications. */
export const NOTIFICATIONS: readonly MethodName[] = [
  "session/record",
  "turn/commit",
  "turn/abandon",
  "session/reset",
  "session/close",
  "shutdown",
];

export const PROTOCOL = 1;

export interface Outcome {
  result: object;
  /** Called if the reply could not be sent. */
  lost?: () => Promise<unknown>;
}

/** `exact` has numbers kept verbatim. */
export type Method = (params: Fields, exact: Fields) => Promise<Outcome>;

export function required<T>(params: Fields, name: string, read: Read<T>): T {
  return read(params[name], name);
}

/** A non-empty string. */
export function named(given: unknown, where: string): string {
  const text = string(given, where);
  if (text.trim() === "") throw usageError(`${where}: must not be empty`);
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
  throw usageError(`${where}: expected a whole number from 0, got ${show(given)}`);
}
