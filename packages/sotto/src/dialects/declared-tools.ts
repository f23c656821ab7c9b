// The tools that requests declare: each provider wraps them its own way, what is inside is much the same.

import type { DeclaredTool } from "./dialect.ts";
import { type Fields, isFields } from "./shared.ts";

/** Of a list as it stands in the body, or of none. */
export function toolsIn(
  body: object,
  list: unknown,
  read: (tool: Fields) => readonly (DeclaredTool | undefined)[],
): readonly DeclaredTool[] | undefined {
  if (Array.isArray(list))
    return list.filter(isFields).flatMap((tool) => read(tool).filter((one) => one !== undefined));
  // Whoever names a model has said all there is.
  return (body as Fields).model == null ? undefined : [];
}

/** A tool by its name, a description, and the schema of its input under one of these names. */
export function declared(
  { name, description, ...rest }: Fields,
  schemas: readonly string[],
): DeclaredTool | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  const schema = schemas.map((one) => rest[one]).find((one) => one != null);
  const fields = fieldsOf(schema);
  return {
    name,
    ...(typeof description === "string" ? { description } : {}),
    ...(fields === undefined ? {} : { fields }),
  };
}

/** The provider's own tools have a type instead: `web_search_preview_2025_03_11`, `bash_20250124`. */
export function byType(tool: Fields): DeclaredTool | undefined {
  const { type, name, description } = tool;
  if (typeof name === "string") return declared({ name, description }, []);
  return typeof type === "string" ? { name: type.replace(/(?:_preview)?(?:_\d+)*$/u, "") } : undefined;
}

/** Of a JSON Schema, of one that the AI SDK wraps, or of the schema libraries that know their fields. */
function fieldsOf(schema: unknown): readonly string[] | undefined {
  if (!isFields(schema)) return undefined;
  const { properties, jsonSchema, shape, type } = schema;
  if (isFields(properties)) return Object.keys(properties);
  if (isFields(jsonSchema)) return fieldsOf(jsonSchema);
  if (isFields(shape)) return Object.keys(shape);
  return String(type).toLowerCase() === "object" ? [] : undefined;
}
