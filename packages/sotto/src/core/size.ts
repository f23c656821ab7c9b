// A bounded look at how large a value is: junk of 100 MB, or one that contains itself, is found out cheaply.

const MOST_CHARACTERS = 4_000_000;
const MOST_VALUES = 200_000;

/** Why a value is unfit to be kept: too large, circular, or not plain data; nothing when it is fine. */
export function sizeProblem(value: unknown): string | undefined {
  let characters = 0;
  let values = 0;
  const open = new Set<object>();
  const look = (part: unknown): string | undefined => {
    if (++values > MOST_VALUES) return `more than ${MOST_VALUES} values`;
    if (typeof part === "string") {
      characters += part.length;
      return characters > MOST_CHARACTERS ? `more than ${MOST_CHARACTERS} characters` : undefined;
    }
    if (typeof part === "function" || typeof part === "symbol" || typeof part === "bigint")
      return "not plain data";
    if (typeof part !== "object" || part === null) return undefined;
    if (open.has(part)) return "circular";
    if (open.size > 100) return "nested more than 100 deep";
    open.add(part);
    for (const key of Object.keys(part)) {
      const problem = look((part as Record<string, unknown>)[key]);
      if (problem !== undefined) return problem;
    }
    open.delete(part);
    return undefined;
  };
  return look(value);
}
