// JSON from a caller: problems with their place, and numbers kept to the letter where JavaScript would change them.

import { wrongUse } from "../../../agent/src/terminal/failure.ts";
import { findJsonProblem } from "./json-problem.ts";

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

// Part of the language since Node 21, not yet of TypeScript's library.
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, reviver?: Reviver): unknown;
};

export interface Parsed {
  /** As JavaScript reads it. */
  value: unknown;
  /** The same, but written again it has the caller's numbers: 1.0 stays 1.0, 64-bit ids keep all their digits. */
  faithful: unknown;
}

/** `what` is how the caller knows the text. */
export function parseJson(text: string, what = "stdin"): Parsed {
  const value = parsePlain(text, what);
  if (!hasOddNumber(text)) return { value, faithful: value };
  const faithful = parse(text, (_key, part, { source }) =>
    typeof part === "number" && source !== undefined && JSON.stringify(part) !== source
      ? rawJSON(source)
      : part,
  );
  return { value, faithful };
}

function parsePlain(text: string, what: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    const { line, column, words } = findJsonProblem(text) ?? { line: 1, column: 1, words: String(error) };
    throw wrongUse(`${what} is not JSON: line ${line}, column ${column}: ${words}`, "invalid_json");
  }
}

/** A look at everything that may be a number, since reviving each value takes several times as long as parsing. */
function hasOddNumber(text: string): boolean {
  for (const [, number = ""] of text.matchAll(/[:,[]\s*(-?\d[\d.eE+-]*)/gu))
    if (JSON.stringify(Number(number)) !== number) return true;
  return false;
}
