import { readFileSync } from "node:fs";
import * as v from "valibot";
import { expect, expectTypeOf, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import type { Config, MemoryConfig, TasksConfig } from "./config.ts";
import {
  type ConfigKey,
  configKeys,
  isOutsideKey,
  memoryKeys,
  optionKeys,
  sharedKeys,
  tasksKeys,
} from "./key-reference.ts";
import type { LanguageServerConfig, serverSchema } from "./language-servers.ts";
import { configSchema, memorySchema, optionKeys as optionsOf, tasksSchema } from "./schema.ts";

it("every option of every type is explained, and nothing else is", () => {
  const options = new Set(catalogue.flatMap(optionsOf));
  expect(Object.keys(optionKeys).sort()).toEqual([...options].sort());
});

// Any text may be a path, the name of a program or something for the model.
it.each([
  ...Object.entries(configSchema.entries).map(([key, entry]) => [key, entry, configKeys] as const),
  ...Object.entries(memorySchema.entries).map(
    ([key, entry]) => [`memory.${key}`, entry, memoryKeys] as const,
  ),
  ...Object.entries(tasksSchema.entries).map(([key, entry]) => [`tasks.${key}`, entry, tasksKeys] as const),
])(
  "%s is the owner's alone if it takes any text",
  (key, entry, keys: Readonly<Record<string, ConfigKey>>) => {
    if (keys[key]?.project === "table") return;
    const takesText = ["/any/text", ["/any/text"]].some((given) => v.is(entry, given));
    if (takesText) expect(isOutsideKey(key)).toBe(true);
  },
);

const schema = readFileSync(new URL("config.ts", import.meta.url), "utf8");
const documented = Object.entries<Readonly<Record<string, ConfigKey>>>({
  "export interface Config {": configKeys,
  "export interface MemoryConfig": memoryKeys,
  "export interface TasksConfig": tasksKeys,
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

it("the written config is that of the schemas", () => {
  type Tables = "attachments" | "memory" | "tasks" | "tags" | "language_servers";
  type Given = v.InferInput<typeof configSchema>;
  expectTypeOf<keyof Config>().toEqualTypeOf<keyof Given>();
  expectTypeOf<Omit<Config, Tables>>().branded.toEqualTypeOf<Omit<Given, Tables>>();
  expectTypeOf<MemoryConfig>().branded.toEqualTypeOf<v.InferInput<typeof memorySchema>>();
  expectTypeOf<TasksConfig>().branded.toEqualTypeOf<v.InferInput<typeof tasksSchema>>();
  expectTypeOf<keyof LanguageServerConfig>().toEqualTypeOf<keyof v.InferInput<typeof serverSchema>>();
  expectTypeOf<LanguageServerConfig>().toExtend<v.InferInput<typeof serverSchema>>();
  expectTypeOf<v.InferInput<typeof serverSchema>>().toExtend<LanguageServerConfig>();
});
