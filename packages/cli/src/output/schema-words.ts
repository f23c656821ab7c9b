// What a schema says, in words: the fields of an attachment, the options of its config.

/** As much of a schema as it takes to describe it; every part of it is plain data. */
interface Schema {
  type: string;
  entries?: Record<string, Schema>;
  wrapped?: Schema;
  default?: unknown;
  item?: Schema;
  value?: Schema;
  literal?: unknown;
  options?: readonly unknown[];
  pipe?: readonly { kind: string; type: string; requirement?: unknown }[];
}

/** A line for each field: its name, `?` where it may be missing, and what it holds. */
export function schemaFields(schema: unknown): string[] {
  return Object.entries((schema as Schema).entries ?? {}).map(
    ([name, field]) => `\`${name}${isOptional(field) ? "?" : ""}\`: ${words(field)}`,
  );
}

/** A line for each option: its name, its default and what it takes. */
export function schemaDefaults(schema: unknown): string[] {
  return Object.entries((schema as Schema).entries ?? {}).map(([name, field]) => {
    const usual = field.default === undefined ? "unset" : `\`${JSON.stringify(field.default)}\``;
    return `\`${name}\`, ${usual}: ${words(field)}${bounds(field)}`;
  });
}

function words(schema: Schema): string {
  const { type, entries, wrapped, item, value, literal, options = [] } = schema;
  if (wrapped !== undefined) return words(wrapped);
  if (type === "array" && item !== undefined) return `list of ${words(item)}`;
  if (type === "record" && value !== undefined) return `${words(value)} by name`;
  if (type === "picklist") return options.join(" / ");
  if (type === "literal") return String(literal);
  if (type === "union" || type === "variant")
    return [...new Set((options as readonly Schema[]).map(words))].join(" or ");
  if (entries !== undefined) {
    const fields = Object.entries(entries).map(
      ([name, field]) => `${name}${isOptional(field) ? "?" : ""}: ${words(field)}`,
    );
    return fields.length === 0 ? "anything" : `{ ${fields.join(", ")} }`;
  }
  return { string: "text", boolean: "true / false", number: "number" }[type] ?? "anything";
}

function bounds(schema: Schema): string {
  const checks = (schema.wrapped ?? schema).pipe ?? [];
  const bound = (type: string) => checks.find((check) => check.type === type)?.requirement;
  const least = bound("min_value");
  const most = bound("max_value");
  if (least === undefined && most === undefined) return "";
  if (most === undefined) return `, at least ${least}`;
  return least === undefined ? `, at most ${most}` : `, ${least} to ${most}`;
}

function isOptional({ type }: Schema): boolean {
  return type === "optional" || type === "exact_optional";
}
