// What a template may name: the fields of an attachment's schema.

import type * as v from "valibot";

export type Schema = v.GenericSchema;

/** A schema of any kind, as far as its fields can be told. */
interface Parts {
  type: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  options?: readonly Schema[];
  value?: Schema;
}

/** Everything a place can hold: the alternatives, wrappers taken off. */
export function alternatives(schema: Schema, depth = 0): Schema[] {
  const { wrapped, options } = partsOf(schema);
  if (depth > 20) return [];
  if (wrapped !== undefined) return alternatives(wrapped, depth + 1);
  if (options?.every((one) => typeof one === "object"))
    return options.flatMap((one) => alternatives(one, depth + 1));
  return [schema];
}

/** What stands under a name, over all alternatives; nothing where no alternative has it. */
export function fieldOf(schemas: readonly Schema[], name: string): Schema[] | undefined {
  const found = schemas.flatMap((schema) => {
    const { entries, type, value } = partsOf(schema);
    if (entries !== undefined) return Object.hasOwn(entries, name) ? [entries[name] as Schema] : [];
    if (type === "record" && value !== undefined) return [value];
    return isOpen(schema) ? [schema] : [];
  });
  return found.length === 0 ? undefined : found.flatMap((one) => alternatives(one));
}

export function namesIn(schemas: readonly Schema[]): string[] {
  return [...new Set(schemas.flatMap((schema) => Object.keys(partsOf(schema).entries ?? {})))];
}

/** What a list holds; nothing where it is none. */
export function itemsOf(schemas: readonly Schema[]): Schema[] | undefined {
  const found = schemas.flatMap((schema) => {
    const { item } = partsOf(schema);
    return item === undefined ? (isOpen(schema) ? [schema] : []) : alternatives(item);
  });
  return found.length === 0 ? undefined : found;
}

/** Whether it can stand as a text. */
export function isText(schemas: readonly Schema[]): boolean {
  return schemas.some((schema) => {
    const { entries, item, type } = partsOf(schema);
    return entries === undefined && item === undefined && type !== "record";
  });
}

/** Nothing is said about what it holds. */
function isOpen(schema: Schema): boolean {
  return ["unknown", "any", "lazy", "custom"].includes(partsOf(schema).type);
}

function partsOf(schema: Schema): Parts {
  return schema as unknown as Parts;
}
