// An agent of one's own on the AI SDK: two tools that work on real files, and what they mean, as its user would say it.

import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonSchema, type ToolSet, tool } from "ai";
import { createSession, type Profile, type Session, type SessionOptions } from "sotto";

/** All that Sotto has to know of a tool: what it does, and which of its fields is the path. */
export const profile: Profile = {
  name: "mender",
  title: "the mender",
  tools: {
    look_at: { does: "read", path: "file" },
    put_into: { does: "write", path: "file" },
  },
  alreadySends: {},
  names: {},
};

export interface Place {
  cwd: string;
  tools: ToolSet;
  file(name: string): string;
  write(name: string, text: string): void;
  open(more?: Partial<SessionOptions>): Session;
  remove(): void;
}

export function openPlace(): Place {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-ai-sdk-")));
  const file = (name: string) => join(cwd, name);
  const write = (name: string, text: string) => writeFileSync(file(name), text);
  const schema = (...fields: string[]) =>
    jsonSchema<Record<string, string>>({
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
      required: fields,
    });
  return {
    ...{ cwd, file, write },
    tools: {
      look_at: tool({
        inputSchema: schema("file"),
        execute: async (input) => readFileSync(file(input.file as string), "utf8"),
      }),
      put_into: tool({
        inputSchema: schema("file", "text"),
        execute: async (input) => {
          write(input.file as string, input.text as string);
          return "written";
        },
      }),
    },
    open: (more = {}) =>
      createSession({
        ...{ cwd, home: cwd, agent: { kind: "main" }, profile, configFiles: { read: false } },
        ...more,
        config: { timeout_ms: 60_000, ...more.config },
      }),
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}

export const look = (file: string) => ({ name: "look_at", input: { file } });
export const put = (file: string, text: string) => ({ name: "put_into", input: { file, text } });
/** How often a text stands in a request. */
export const times = (body: unknown, text: string) =>
  JSON.stringify(body).split(JSON.stringify(text).slice(1, -1)).length - 1;
