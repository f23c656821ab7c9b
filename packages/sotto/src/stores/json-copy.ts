// Copies of a value as JSON would give it back. Texts are not copied: a copy shares them with the value.

/** The same as `JSON.parse(JSON.stringify(value))`. Throws where that throws. */
export function jsonCopy(value: unknown): unknown {
  return madeOf(value, false);
}

/** The same for a copy that nobody changes: what is frozen through and through need not be copied. */
export function lastingCopy(value: unknown): unknown {
  return madeOf(value, true);
}

function madeOf(value: unknown, isLasting: boolean): unknown {
  const copy = copied(value, isLasting, 0);
  return copy === UNUSUAL ? (JSON.parse(JSON.stringify(value) ?? "null") as unknown) : copy;
}

/** Something in it that JSON has rules of its own for, such as a date, or that cannot be written at all. */
const UNUSUAL = Symbol("unusual");
// Deeper than anything that is stored; what goes in circles ends here.
const DEEPEST = 100;

function copied(value: unknown, isLasting: boolean, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  // JSON has no negative zero.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object" || depth > DEEPEST || "toJSON" in value) return UNUSUAL;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return copiedList(value as unknown[], isLasting, depth);
  return prototype === Object.prototype ? copiedTable(value, isLasting, depth) : UNUSUAL;
}

function copiedList(list: readonly unknown[], isLasting: boolean, depth: number): unknown {
  // As long as it has to be: a list that grows keeps room for more.
  const made = list.slice();
  let isSame = isLasting && isConstant(list);
  for (let index = 0; index < made.length; index++) {
    const item = made[index];
    const copy = copied(item, isLasting, depth + 1);
    if (copy === UNUSUAL) return UNUSUAL;
    made[index] = copy;
    isSame &&= Object.is(copy, item);
  }
  return isSame ? list : made;
}

function copiedTable(table: object, isLasting: boolean, depth: number): unknown {
  // Copied at once, an object takes less memory than one that is filled key by key.
  const made: Record<string, unknown> = { ...table };
  if (Object.hasOwn(made, "__proto__") || Object.getOwnPropertySymbols(made).length > 0) return UNUSUAL;
  let isSame = isLasting && isConstant(table);
  let isWhole = true;
  for (const key in made) {
    const value = made[key];
    const copy = value === undefined ? undefined : copied(value, isLasting, depth + 1);
    if (copy === UNUSUAL) return UNUSUAL;
    if (copy === undefined) isWhole = false;
    else if (!Object.is(copy, value)) {
      made[key] = copy;
      isSame = false;
    }
  }
  if (!isWhole) return withoutAbsent(made);
  return isSame ? table : made;
}

/** Frozen, and its values are data, which no getter can change. */
function isConstant(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  return Object.values(Object.getOwnPropertyDescriptors(value)).every((one) => "value" in one);
}

function withoutAbsent(table: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined));
}

/** Where the first value is that JSON cannot write, and what it is, such as `event.list[2]: a BigInt`. */
export function unwritable(value: unknown): string | undefined {
  const open = new Set<unknown>();
  const look = (part: unknown, path: string): string | undefined => {
    if (typeof part === "bigint") return `${path}: a BigInt`;
    if (typeof part !== "object" || part === null) return undefined;
    if (open.has(part)) return `${path}: it contains itself`;
    if (open.size > DEEPEST) return `${path.slice(0, DEEPEST)}…: nested more than ${DEEPEST} deep`;
    open.add(part);
    for (const key of Object.keys(part)) {
      const at = Array.isArray(part) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      const problem = read(part, key, at);
      if (problem !== undefined) return problem;
    }
    open.delete(part);
    return undefined;
  };
  const read = (part: object, key: string, path: string): string | undefined => {
    let inner: unknown;
    try {
      inner = (part as Record<string, unknown>)[key];
    } catch {
      return `${path}: it cannot be read`;
    }
    return look(inner, path);
  };
  return look(value, "");
}
