// Checks the shape of JSON values and says where they depart from it; the words are each provider's own.

/** A `tag` names the variant of a union; some providers show it in their paths. */
export type Path = readonly (string | number | { tag: string })[];

export type Problem =
  | { kind: "missing" | "unknown" }
  | { kind: "type"; expected: string; got: unknown }
  | { kind: "choice"; allowed: readonly string[]; got: unknown }
  | { kind: "tag"; key: string; allowed: readonly string[]; got: unknown }
  | { kind: "empty" | "too long"; of: "string" | "array"; limit: number; length: number }
  | { kind: "below" | "above"; limit: number; got: number }
  | { kind: "pattern"; pattern: string };

type Report = (path: Path, problem: Problem) => void;
export type Check = (value: unknown, path: Path, report: Report) => void;
export type Fields = { required?: Record<string, Check>; optional?: Record<string, Check> };
export type Words = (path: Path, problem: Problem) => string;

export function problemsOf(value: unknown, check: Check, words: Words): string[] {
  const problems: string[] = [];
  check(value, [], (path, problem) => problems.push(words(path, problem)));
  return problems;
}

export const anything: Check = () => {};

export const boolean: Check = (value, path, report) => {
  if (typeof value !== "boolean") report(path, { kind: "type", expected: "boolean", got: value });
};

export const mapping: Check = (value, path, report) => {
  if (!isObject(value)) report(path, { kind: "type", expected: "object", got: value });
};

export function string(limits: { min?: number; max?: number; pattern?: RegExp } = {}): Check {
  const { min = 0, max = Number.POSITIVE_INFINITY, pattern } = limits;
  return (value, path, report) => {
    if (typeof value !== "string") report(path, { kind: "type", expected: "string", got: value });
    else if (!checkLength(value, { of: "string", min, max, path, report })) return;
    else if (pattern && !pattern.test(value)) report(path, { kind: "pattern", pattern: pattern.source });
  };
}

export function number(limits: { min?: number; max?: number; integer?: boolean } = {}): Check {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, integer = false } = limits;
  return (value, path, report) => {
    if (typeof value !== "number" || (integer && !Number.isInteger(value))) {
      report(path, { kind: "type", expected: integer ? "integer" : "number", got: value });
    } else if (value < min) report(path, { kind: "below", limit: min, got: value });
    else if (value > max) report(path, { kind: "above", limit: max, got: value });
  };
}

export function oneOf(allowed: readonly string[]): Check {
  return (value, path, report) => {
    if (!allowed.includes(value as string)) report(path, { kind: "choice", allowed, got: value });
  };
}

export function nullable(check: Check): Check {
  return (value, path, report) => {
    if (value !== null) check(value, path, report);
  };
}

export function listOf(item: Check, limits: { min?: number; max?: number } = {}): Check {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  return (value, path, report) => {
    if (!Array.isArray(value)) report(path, { kind: "type", expected: "array", got: value });
    else if (checkLength(value, { of: "array", min, max, path, report })) {
      for (const [index, element] of value.entries()) item(element, [...path, index], report);
    }
  };
}

export function stringOr(other: Check): Check {
  return (value, path, report) => {
    if (typeof value !== "string") other(value, path, report);
  };
}

export function object({ required = {}, optional = {} }: Fields): Check {
  return (value, path, report) => {
    if (!isObject(value)) return report(path, { kind: "type", expected: "object", got: value });
    for (const key of Object.keys(required)) {
      if (value[key] === undefined) report([...path, key], { kind: "missing" });
    }
    for (const [key, element] of Object.entries(value)) {
      if (element === undefined) continue;
      const check = Object.hasOwn(required, key)
        ? required[key]
        : Object.hasOwn(optional, key) && optional[key];
      if (check) check(element, [...path, key], report);
      else report([...path, key], { kind: "unknown" });
    }
  };
}

/** A union told apart by one key; `fallback` is the variant of an object without that key. */
export function tagged(key: string, variants: Record<string, Fields>, fallback?: string): Check {
  const allowed = Object.keys(variants);
  return (value, path, report) => {
    if (!isObject(value)) return report(path, { kind: "type", expected: "object", got: value });
    const tag = value[key] ?? fallback;
    if (tag === undefined) return report([...path, key], { kind: "missing" });
    const fields = typeof tag === "string" && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
    if (!fields) return report(path, { kind: "tag", key, allowed, got: tag });
    const optional = { ...fields.optional, [key]: anything };
    object({ ...fields, optional })(value, [...path, { tag: String(tag) }], report);
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkLength(
  value: { length: number },
  {
    of,
    min,
    max,
    path,
    report,
  }: { of: "string" | "array"; min: number; max: number; path: Path; report: Report },
): boolean {
  const { length } = value;
  if (length < min) report(path, { kind: "empty", of, limit: min, length });
  else if (length > max) report(path, { kind: "too long", of, limit: max, length });
  else return true;
  return false;
}
