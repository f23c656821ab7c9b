// Copies of plain data, so that what a host gets or gives shares nothing with the engine.

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
  for (const [key, inner] of Object.entries(value))
    Object.defineProperty(made, key, {
      value: copy(inner, seen),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  return made;
}

/** Freezes plain objects and lists at any depth. */
export function frozen<T>(value: T): T {
  if (!isPlain(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
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
