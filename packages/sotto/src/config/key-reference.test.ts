import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import {
  type ConfigKey,
  configKeys,
  memoryKeys,
  optionKeys,
  sharedKeys,
  tasksKeys,
} from "./key-reference.ts";
import { optionKeys as optionsOf } from "./schema.ts";

it("every option of every type is explained, and nothing else is", () => {
  const options = new Set(catalogue.flatMap(optionsOf));
  expect(Object.keys(optionKeys).sort()).toEqual([...options].sort());
});

const schema = readFileSync(new URL("schema.ts", import.meta.url), "utf8");
const documented = Object.entries<Readonly<Record<string, ConfigKey>>>({
  "export const configSchema": configKeys,
  "export const memorySchema": memoryKeys,
  "export const tasksSchema": tasksKeys,
  "export interface AttachmentConfig": sharedKeys,
}).flatMap(([start, keys]) => Object.entries(keys).map(([key, { says }]) => [key, says, start] as const));

it.each(documented)("editors show for %s what the documentation says", (key, says, start) => {
  const after = schema.slice(schema.indexOf(start));
  const [, comment = ""] =
    new RegExp(String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*${key}\??: `, "u").exec(after) ?? [];
  expect(
    comment
      .replaceAll(/\n\s*\*\s/gu, " ")
      .replaceAll(/\s+/gu, " ")
      .trim(),
  ).toBe(says);
});
