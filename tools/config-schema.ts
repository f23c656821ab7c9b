// The JSON Schema of config files, for editors: from the same schema that checks them, with words for every key.

import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Attachment } from "../packages/sotto/src/attachments/attachment.ts";
import { catalogue } from "../packages/sotto/src/attachments/catalogue.ts";
import {
  type ConfigKey,
  configKeys,
  memoryKeys,
  optionKeys,
  sharedKeys,
  tasksKeys,
} from "../packages/sotto/src/config/key-reference.ts";
import {
  configSchema,
  memorySchema,
  namesIn,
  sharedSchema,
  tasksSchema,
  typesNamed,
} from "../packages/sotto/src/config/schema.ts";

export interface Table extends JsonSchema {
  properties: Record<string, JsonSchema>;
}

type Words = Readonly<Record<string, ConfigKey>>;

export function configJsonSchema(): Table {
  const table = withWords(toTable(configSchema), configKeys);
  table.properties.tasks = { ...withWords(toTable(tasksSchema), tasksKeys), ...wordsOf(configKeys.tasks) };
  table.properties.memory = {
    ...withWords(toTable(memorySchema), memoryKeys),
    ...wordsOf(configKeys.memory),
  };
  table.properties.attachments = { ...attachmentsTable(), ...wordsOf(configKeys.attachments) };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Sotto: sotto.toml, .sotto/config.toml and the user's config.toml",
    type: "object",
    properties: { system_reminder: table },
    definitions: { ...sharedTable().properties, switch: switchOf({}) },
  };
}

/** What the table of every type takes. */
export function sharedTable(): Table {
  return withWords(toTable(sharedSchema), sharedKeys);
}

/** The options of one name, those of all of its types together. */
export function optionsOf(types: readonly Attachment[]): Table {
  const tables = types.flatMap(({ options }) => (options === undefined ? [] : [toTable(options)]));
  const properties = Object.assign({}, ...tables.map((table) => table.properties));
  return withWords({ type: "object", properties, additionalProperties: false }, optionKeys);
}

function attachmentsTable(): Table {
  const names = namesIn(catalogue).sort();
  const properties = names.map((name): [string, JsonSchema] => {
    const types = typesNamed(name, catalogue);
    const own = optionsOf(types).properties;
    const description = types.map(({ summary }) => summary).join(" ");
    const isPlain = Object.keys(own).length === 0;
    return [
      name,
      { description, ...(isPlain ? { allOf: [{ $ref: "#/definitions/switch" }] } : switchOf(own)) },
    ];
  });
  return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

function switchOf(own: Table["properties"]): JsonSchema {
  const shared = Object.keys(sharedKeys).map((key) => [key, { $ref: `#/definitions/${key}` }]);
  const properties = { ...Object.fromEntries(shared), ...own };
  return { anyOf: [{ type: "boolean" }, { type: "object", properties, additionalProperties: false }] };
}

function toTable(schema: unknown): Table {
  const made = toJsonSchema(schema as GenericSchema, { typeMode: "input", errorMode: "ignore" });
  const { $schema: _schema, required: _required, ...rest } = made;
  return { ...rest, additionalProperties: false } as Table;
}

/** Every key is explained, and nothing is explained that is not there. */
function withWords(table: Table, words: Words): Table {
  const properties = Object.entries(table.properties).map(([key, schema]): [string, JsonSchema] => {
    const said = words[key];
    if (said === undefined) throw new Error(`config-keys.ts has no words for "${key}"`);
    return [key, { ...schema, ...wordsOf(said) }];
  });
  return { ...table, properties: Object.fromEntries(properties) };
}

function wordsOf({ says }: ConfigKey): { description: string } {
  return { description: says };
}
