// Puts the project's directory where a scenario says `{{cwd}}`.

/** Goes through lists, plain objects and maps; keys stay as they are. */
export function fillIn<Value>(value: Value, cwd: string): Value {
  return filled(value, cwd) as Value;
}

function filled(value: unknown, cwd: string): unknown {
  if (typeof value === "string") return value.replaceAll("{{cwd}}", () => cwd);
  if (Array.isArray(value)) return value.map((item) => filled(item, cwd));
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, filled(item, cwd)]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, cwd)]));
}
