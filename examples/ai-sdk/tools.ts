// What both examples share: a model by its name, two tools on files, and what these tools mean to Sotto.

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { anthropic } from "@ai-sdk/anthropic";
import { google } from "@ai-sdk/google";
import { openai } from "@ai-sdk/openai";
import { jsonSchema, tool } from "ai";
import type { Profile } from "sotto";

/** `MODEL=openai/gpt-5.6-sol`, with that provider's usual variables for its key and address. */
export function chooseModel() {
  const [provider, ...name] = (process.env.MODEL ?? "anthropic/claude-sonnet-5-5").split("/");
  const open = { anthropic, openai, google }[provider as "anthropic"];
  if (open === undefined || name.length === 0)
    throw new Error("MODEL: expected anthropic/…, openai/… or google/…");
  return open(name.join("/"));
}

const withFields = <Field extends string>(...fields: Field[]) =>
  jsonSchema<Record<Field, string>>({
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
    required: fields,
  });

export const tools = {
  read_file: tool({
    description: "Reads a text file.",
    inputSchema: withFields("path"),
    execute: ({ path }) => readFile(path, "utf8"),
  }),
  write_file: tool({
    description: "Writes a text file.",
    inputSchema: withFields("path", "text"),
    execute: ({ path, text }) => writeFile(path, text).then(() => "written"),
  }),
};

export const profile: Profile = {
  name: "example",
  title: "the example",
  tools: { read_file: { does: "read", path: "path" }, write_file: { does: "write", path: "path" } },
  alreadySends: {},
  names: {},
};
