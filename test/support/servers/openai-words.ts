// The words in which OpenAI refuses a request of the wrong shape; its APIs share them.
import type { Path, Problem } from "./shape.ts";

export function openaiWords(path: Path, problem: Problem): string {
  const where = pathOf(path);
  switch (problem.kind) {
    case "missing":
      return `Missing required parameter: '${where}'.`;
    case "unknown":
      return path.length === 1
        ? `Unrecognized request argument supplied: ${where}`
        : `Unknown parameter: '${where}'.`;
    case "type":
      return `Invalid type for '${where}': expected ${TYPE_NAMES[problem.expected]}, but got ${nameOf(problem.got)} instead.`;
    case "choice":
      return `Invalid value for '${where}': '${problem.got}'. Supported values are: ${listed(problem.allowed)}.`;
    case "tag":
      return `Invalid value for '${where}.${problem.key}': '${problem.got}'. Supported values are: ${listed(problem.allowed)}.`;
    case "empty":
      return `Invalid '${where}': empty ${problem.of}. Expected ${aOr(problem.of)} with minimum length ${problem.limit}, but got an empty ${problem.of} instead.`;
    case "too long":
      return `Invalid '${where}': ${problem.of} too long. Expected ${aOr(problem.of)} with maximum length ${problem.limit}, but got ${aOr(problem.of)} with length ${problem.length} instead.`;
    case "below":
      return `Invalid '${where}': value below minimum value. Expected a value >= ${problem.limit}, but got ${problem.got} instead.`;
    case "above":
      return `Invalid '${where}': value above maximum value. Expected a value <= ${problem.limit}, but got ${problem.got} instead.`;
    case "pattern":
      return `Invalid '${where}': string does not match pattern. Expected a string that matches the pattern '${problem.pattern}'.`;
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: "a string",
  boolean: "a boolean",
  integer: "an integer",
  number: "a decimal",
  array: "an array of objects",
  object: "an object",
};

function pathOf(path: Path): string {
  const parts = path.filter((part) => typeof part !== "object");
  return parts
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${part}`))
    .join("");
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function listed(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ");
}

function aOr(noun: string): string {
  return noun === "array" ? "an array" : "a string";
}
