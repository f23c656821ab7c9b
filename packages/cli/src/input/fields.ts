// Readers for JSON input: unknown fields and wrong types are errors that name the field's path.

import { didYouMean } from "sotto/internal";
import { usageError } from "sotto-agent/terminal";

export type Fields = Record<string, unknown>;
export type Read<T> = (given: unknown, where: string) => T;

/** An object with no other keys than these. */
export function fields(given: unknown, where: string, names: readonly string[]): Fields {
  const found = object(given, where);
  const wrong = Object.keys(found).find((key) => !names.includes(key));
  if (wrong === undefined) return found;
  const there = names.length === 0 ? "; it takes no fields" : `; there are ${names.join(", ")}`;
  throw usageError(`${where}: "${wrong}" is not known${didYouMean(wrong, names) || there}`);
}

export function optional<T>(from: Fields, name: string, read: Read<T>, under?: string): T | undefined {
  return from[name] === undefined
    ? undefined
    : read(from[name], under === undefined ? name : `${under}.${name}`);
}

/** For spreading: an object with the key, or an empty one if the value is undefined. */
export function optionalField<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}

export function object(given: unknown, where: string): Fields {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Fields;
  throw usageError(`${where}: expected an object, got ${show(given)}`);
}

export function list(given: unknown, where: string): unknown[] {
  if (Array.isArray(given)) return given;
  throw usageError(`${where}: expected a list, got ${show(given)}`);
}

export function texts(given: unknown, where: string): string[] {
  return list(given, where).map((one, index) => string(one, `${where}.${index}`));
}

export function string(given: unknown, where: string): string {
  if (typeof given === "string") return given;
  throw usageError(`${where}: expected a text, got ${show(given)}`);
}

export function boolean(given: unknown, where: string): boolean {
  if (typeof given === "boolean") return given;
  throw usageError(`${where}: expected true or false, got ${show(given)}`);
}

export function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60);
}
