// Parses JSON input: errors with line and column, and numbers kept verbatim that JavaScript would change.

import { usageError } from "sotto-agent/terminal";

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

// Part of the language since Node 21, not yet of TypeScript's library.
const { rawJSON, parse } = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, reviver?: Reviver): unknown;
};

export interface Parsed {
  /** As JavaScript reads it. */
  value: unknown;
  /** The same, but serialises to the caller's numbers: 1.0 stays 1.0, 64-bit ids keep all digits. */
  faithful: unknown;
}

/** `what` names the text in errors. */
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
    throw usageError(`${what} is not JSON: line ${line}, column ${column}: ${words}`, "invalid_json");
  }
}

/** Looks for such numbers first: a reviver makes parsing several times slower. */
function hasOddNumber(text: string): boolean {
  for (const [, number = ""] of text.matchAll(/[:,[]\s*(-?\d[\d.eE+-]*)/gu))
    if (JSON.stringify(Number(number)) !== number) return true;
  return false;
}

export interface JsonProblem {
  line: number;
  column: number;
  words: string;
}

type Expected = "a value" | "a value or ]" | "a name or }" | "a name" | ":" | ", or }" | ", or ]" | "the end";

/** The first syntax error and what was expected there. Node's message often lacks the position. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "a value";
  let at = 0;
  const problem = (words: string): JsonProblem => ({ ...placeOf(text, at), words });
  const closed = (): Expected => (open.length === 0 ? "the end" : open.at(-1) === "{" ? ", or }" : ", or ]");

  for (;;) {
    at = skip(text, at, /[ \t\n\r]*/y);
    const character = text[at];
    if (character === undefined)
      return expected === "the end" ? undefined : problem(`it ends here, ${expected} was expected`);
    const close = character === "}" || character === "]";
    if (close && expected.endsWith(character)) {
      open.pop();
      at++;
      expected = closed();
    } else if (character === "," && expected.startsWith(",")) {
      at++;
      expected = open.at(-1) === "{" ? "a name" : "a value";
    } else if (character === ":" && expected === ":") {
      at++;
      expected = "a value";
    } else if (character === '"' && (expected.startsWith("a name") || expected.startsWith("a value"))) {
      const end = endOfString(text, at + 1);
      at = end.at;
      if (end.problem !== undefined) return problem(end.problem);
      expected = expected.startsWith("a name") ? ":" : closed();
    } else if ((character === "{" || character === "[") && expected.startsWith("a value")) {
      open.push(character);
      at++;
      expected = character === "{" ? "a name or }" : "a value or ]";
    } else {
      const end = expected.startsWith("a value") ? skip(text, at, SCALAR) : at;
      if (end === at) return problem(`${JSON.stringify(character)} stands where ${expected} was expected`);
      at = end;
      expected = closed();
    }
  }
}

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function endOfString(text: string, from: number): { at: number; problem?: string } {
  for (let at = from; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') return { at: at + 1 };
    if (character < " ") return { at, problem: "a control character stands in a text; it must be escaped" };
    if (character !== "\\") continue;
    const next = skip(text, at, /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y);
    if (next === at) return { at, problem: "no such escape" };
    at = next - 1;
  }
  return { at: text.length, problem: "it ends inside a text" };
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}
