// Checks the size of a value without reading all of it: 100 MB of junk and circular values are found quickly.

export interface Size {
  characters: number;
  values: number;
}

/** The limit for one event. */
export const EVENT_SIZE: Size = { characters: 4_000_000, values: 200_000 };
/** The limit for one reminder, which may contain several events of the largest size. */
export const DUE_SIZE: Size = { characters: 64_000_000, values: 3_200_000 };

const DEEPEST = 100;

/** Thrown for values that are too large to handle. Trying again does not help. */
export class TooLargeError extends Error {}

/** Why a value cannot be stored: too large, circular, or not plain data; undefined if it can. */
export function sizeProblem(value: unknown, most: Size = EVENT_SIZE): string | undefined {
  let characters = 0;
  let values = 0;
  const open = new Set<object>();
  const look = (part: unknown): string | undefined => {
    if (++values > most.values) return `more than ${most.values} values`;
    if (typeof part === "string") {
      characters += part.length;
      return characters > most.characters ? `more than ${most.characters} characters` : undefined;
    }
    if (typeof part === "function" || typeof part === "symbol" || typeof part === "bigint")
      return "not plain data";
    if (typeof part !== "object" || part === null) return undefined;
    // Each byte would be a key.
    if (ArrayBuffer.isView(part)) return "not plain data";
    if (open.has(part)) return "circular";
    if (open.size > DEEPEST) return `nested more than ${DEEPEST} deep`;
    // Checked before its keys are listed, which takes as long as it is.
    if (Array.isArray(part) && part.length > most.values) return `more than ${most.values} values`;
    open.add(part);
    for (const key of Object.keys(part)) {
      characters += key.length;
      const problem = look((part as Record<string, unknown>)[key]);
      if (problem !== undefined) return problem;
    }
    open.delete(part);
    return undefined;
  };
  return look(value);
}

/** Whether writing it as JSON would take forever: a few objects that each contain the next one twice are enough. */
export function isEndless(value: unknown): boolean {
  let values = 0;
  const count = (part: unknown, depth: number): boolean => {
    if (++values > DUE_SIZE.values) return true;
    if (typeof part !== "object" || part === null || depth > DEEPEST) return false;
    if (ArrayBuffer.isView(part)) return part.byteLength > DUE_SIZE.values;
    return Object.values(part).some((inner) => count(inner, depth + 1));
  };
  return count(value, 0);
}
