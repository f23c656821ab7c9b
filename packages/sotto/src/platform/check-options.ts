// Checks the options that a host passes. Errors name the option, what was expected and the nearest valid name.

import * as v from "valibot";
import { type ErrorCode, SottoError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import { isTable } from "./plain-data.ts";

/** Throws `invalid_options` if something is wrong. `call` is the function that was called, for the message. */
export function checkOptions(
  call: string,
  schema: v.GenericSchema,
  given: unknown,
  code: ErrorCode = "invalid_options",
): void {
  // Only own fields count: inherited ones are lost when options are passed on.
  const own = isTable(given) ? { ...given } : given;
  const { issues } = v.safeParse(schema, own, { abortEarly: true });
  if (issues === undefined) return;
  const [{ path = [], message }] = issues;
  const where = path
    .map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${short(String(key))}`))
    .join("");
  throw new SottoError(code, `${call}: ${where === "" ? "" : `${where.replace(/^\./u, "")}: `}${message}`);
}

/** An object that has no other keys; undefined counts as absent. `moved`: old names, and what to use instead. */
export function table<Entries extends v.ObjectEntries>(
  entries: Entries,
  expected: string,
  moved: Readonly<Record<string, string>> = {},
): v.GenericSchema {
  const names = Object.keys(entries);
  // Before what is missing, which is often the misspelt one.
  const unknown = v.rawCheck<unknown>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const input = dataset.value as Record<string, unknown>;
    const key = Object.keys(input).find((one) => !Object.hasOwn(entries, one));
    if (key === undefined) return;
    const message = Object.hasOwn(moved, key)
      ? `it is ${moved[key]} now`
      : `no such option${meant(key, names)}`;
    addIssue({ message, path: [{ type: "object", origin: "key", input, key, value: input[key] }] });
  });
  const known = v.object(
    entries,
    (issue) => `missing, ${messageFor(entries[String(issue.path?.[0]?.key ?? "")])}`,
  );
  return v.pipe(plain(expected), unknown, known);
}

/** An object that may have other keys, but none that is one of these misspelt. */
export function open<Entries extends v.ObjectEntries>(entries: Entries, expected: string): v.GenericSchema {
  const names = Object.keys(entries);
  return v.pipe(
    v.looseObject(entries, (issue) => gotInstead(expected, issue)),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const given = Object.keys(dataset.value);
      for (const key of given) {
        const right = names.includes(key) ? undefined : nearest(key, names, 2);
        if (right === undefined || given.includes(right)) continue;
        addIssue({ message: `${short(key)}: no such field; did you mean "${right}"?` });
      }
    }),
  );
}

export const text = (expected = "a non-empty string") =>
  shape(expected, (value) => typeof value === "string" && value !== "");

export const flag = shape("true or false", (value) => typeof value === "boolean");

export const callable = (expected: string) => shape(expected, (value) => typeof value === "function");

export const oneOf = (names: readonly string[]) =>
  shape(names.map((name) => `"${name}"`).join(" or "), (value) => names.includes(value as string));

export const count = shape(
  "a whole number from 0 on",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);

export const list = (item: v.GenericSchema, expected: string) =>
  v.array(item, (issue) => gotInstead(expected, issue));

export function plain(expected: string) {
  return shape(expected, isTable);
}

/** An object of the host's: it must have these fields with these types, and may have others. */
export function having(fields: Readonly<Record<string, "function" | "string" | "object">>, expected: string) {
  const wanted = Object.entries(fields);
  const kinds = { function: "the function", string: "the text", object: "the object" };
  return v.pipe(
    shape(expected, (value) => typeof value === "object" && value !== null),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const value = dataset.value as Readonly<Record<string, unknown>>;
      const missing = wanted.find(([name, type]) => typeof value[name] !== type || value[name] === null);
      if (missing === undefined) return;
      addIssue({ message: `expected ${expected}; this one lacks ${kinds[missing[1]]} "${missing[0]}"` });
    }),
  );
}

export function shape(expected: string, fits: (value: unknown) => boolean) {
  return v.custom<unknown>(fits, (issue) => gotInstead(expected, issue));
}

function messageFor(schema: v.ObjectEntries[string] | undefined): string {
  return schema === undefined
    ? ""
    : (v.safeParse(schema as v.GenericSchema, undefined).issues?.[0].message ?? "");
}

export function gotInstead(expected: string, { received }: { received: string }): string {
  return `expected ${expected}, got ${short(received)}`;
}

function meant(wrong: string, names: readonly string[]): string {
  // Wrong case is the most common mistake.
  const right = names.find((name) => name.toLowerCase() === wrong.toLowerCase()) ?? nearest(wrong, names);
  return right === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${right}"?`;
}

function short(words: string): string {
  return words.length > 100 ? `${words.slice(0, 100).toWellFormed()}…` : words;
}
