// The JSON contract as a host's tools see it: the shipped schema, compiled.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";

export const schema = JSON.parse(
  readFileSync(new URL("../../packages/cli/turn.schema.json", import.meta.url), "utf8"),
);

const ajv = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true, validateFormats: false });
ajv.addSchema(schema, "turn");

/** What does not fit a definition, in words; nothing where it fits. Methods are named by their place below one. */
export function misfits(definition: string, value: unknown, method?: string): string[] {
  const below = method === undefined ? "" : `/properties/${method.replace("/", "~1")}`;
  const check = ajv.getSchema(`turn#/definitions/${definition}${below}`);
  if (check === undefined) throw new Error(`the schema has no ${definition}${below}`);
  check(value);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Everything in it, so that a wrong reference is found. */
export function compileAll(): void {
  ajv.getSchema("turn");
  for (const name of Object.keys(schema.definitions)) ajv.getSchema(`turn#/definitions/${name}`);
}
