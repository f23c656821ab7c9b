// Plain data: copies, so that what a host gets or gives shares nothing with the engine, and whether two values are equal.

/** A copy of plain objects and lists, at any depth; anything else in them is kept as it is. */
export function copyOf<T>(value: T): T {
  return copy(value, new Map()) as T;
}

function copy(value: unknown, seen: Map<unknown, unknown>): unknown {
  if (!isPlain(value)) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  const made: Record<PropertyKey, unknown> | unknown[] = Array.isArray(value) ? [] : {};
  seen.set(value, made);
  for (const [key, inner] of Object.entries(value)) {
    const inside = copy(inner, seen);
    // Assigned, it would become the prototype.
    if (key === "__proto__")
      Object.defineProperty(made, key, {
        value: inside,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    else (made as Record<string, unknown>)[key] = inside;
  }
  return made;
}

/** Freezes plain objects and lists at any depth. */
export function frozen<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

/** Whether two plain values are the same at any depth; anything else is equal only to itself. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]));
  if (!isLiteral(one) || !isLiteral(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]))
  );
}

function isLiteral(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** An object that holds keys and values, and no list, map, date or the like. From any realm. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && Object.prototype.toString.call(value) === "[object Object]"
  );
}

function isPlain(value: unknown): value is object {
  return Array.isArray(value) || isTable(value);
}
