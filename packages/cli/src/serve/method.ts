// What a method is, and what its parameters are read with.

import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { type Fields, optional, type Read, show, string } from "../input/fields.ts";

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

export function whole(given: unknown, where: string): number {
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return given;
  throw wrongUse(`${where}: expected a whole number from 0, got ${show(given)}`);
}
