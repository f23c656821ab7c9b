// What the JSON Schemas of `sotto turn` and `sotto serve` share: what a host says of a session, and what a turn gives.

import { type JsonSchema, toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { DIALECT_NAMES, PRESET_NAMES, PROFILE_NAMES } from "../packages/cli/src/input/session-fields.ts";
import { events } from "../packages/sotto/src/facts/events.ts";
import { configJsonSchema } from "./config-schema.ts";

export type Properties = Record<string, JsonSchema>;

export const ref = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });
export const text = (description: string): JsonSchema => ({ type: "string", description });
export const list = (items: JsonSchema, description: string): JsonSchema => ({
  type: "array",
  items,
  description,
});

/** No other key than these; all of them needed unless told otherwise. */
export function record(properties: Properties, required = Object.keys(properties)): JsonSchema {
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** What `createSession` takes that can be written as JSON. */
export const sessionProperties: Properties = {
  cwd: text("The agent's directory; relative to where the program runs, which is the default."),
  agent: ref("agent"),
  config: ref("config"),
  tools: list(
    {
      anyOf: [
        { type: "string" },
        record({ name: { type: "string" }, kind: { enum: ["read", "write", "run"] } }),
      ],
    },
    "The tools the agent has: reminders name no other. With a kind where the gate cannot know it.",
  ),
  home: text("The user's home directory; this user's unless given."),
  permissions: record(
    {
      denyRead: list({ type: "string" }, "What the agent may not read, as in .gitignore."),
      allowSecrets: list({ type: "string" }, "Files that look secret and may be shown all the same."),
      within: list({ type: "string" }, "Directories outside of which nothing is read."),
    },
    [],
  ),
  agents: list(
    { type: "string" },
    "Types of the sub-agents there are: @agent-TYPE in a prompt asks for one.",
  ),
  instructions: {
    ...record({ user: { type: "boolean" } }, []),
    description: "Whether the user's own instructions, rules, reminders and words of config reach the model.",
  },
  pastSessions: {
    type: "boolean",
    description: "Whether notes of the user's earlier sessions in this directory reach the model.",
  },
  profile: {
    enum: [...PROFILE_NAMES],
    description: "The agent whose requests these are: the tool calls in them become events, once each.",
  },
  preset: {
    enum: [...PRESET_NAMES],
    description: "Whom it is for: an assistant hears of no files, instruction files and todo lists.",
  },
};

export const requestProperties: Properties = {
  dialect: {
    enum: [...DIALECT_NAMES],
    default: DIALECT_NAMES[0] as string,
    description: "Whose request it is.",
  },
  body: {
    type: "object",
    description: "A whole request of the dialect. It comes back with the reminders in place.",
  },
  messages: { description: "The conversation alone, instead of a body: put where the dialect has it." },
};

export const userPrompt = text("What the user typed, where this turn begins with it.");

/** What every turn gives. */
export const turnProperties: Properties = {
  attachments: list(
    record({ type: { type: "string" }, data: {} }),
    "What is said, as data: its type and the fields of that type.",
  ),
  reminders: list(ref("reminder"), "What is said, as text, for hosts that place it themselves."),
  trace: list(ref("outcome"), "One outcome with a reason for every type."),
  request: {
    anyOf: [{ type: "object" }, { type: "null" }],
    description: "The request with the reminders in place; null where none was given.",
  },
};

const whole: JsonSchema = { type: "integer", minimum: 0 };

export const definition = record(
  {
    criticalSystemReminder: text("Said right behind its system prompt, and every turn from then on."),
    tools: list({ type: "string" }, "The tools it has."),
  },
  [],
);

const sharedDefinitions: Record<string, JsonSchema> = {
  agent: record(
    { kind: { enum: ["main", "sub"] }, type: { type: "string" }, definition: ref("definition") },
    ["kind"],
  ),
  definition,
  reminder: record(
    {
      id: text("The same when it has to be said again."),
      type: { type: "string" },
      tier: { enum: ["event", "user_prompt", "core", "main_agent"] },
      text: text("All its text, tags included."),
      tokens: whole,
      isMeta: { const: true, description: "Not for the transcript that the user sees." },
      uuid: text("For a transcript: the same for the same delivery, in retries and resumed sessions."),
      timestamp: text("When it was first offered, ISO 8601."),
      blocks: list({ type: "object" }, "Where there is a picture: the text and the pictures, in order."),
    },
    ["id", "type", "tier", "text", "tokens", "isMeta", "uuid", "timestamp"],
  ),
  outcome: record({
    generator: { type: "string" },
    type: { type: "string" },
    outcome: {
      enum: [
        ...["sent", "nothing", "throttled", "already in view", "off", "over budget", "cut", "superseded"],
        ...["timed out", "failed", "resting"],
      ],
    },
    reason: { type: "string" },
    ms: { type: "number", minimum: 0 },
    tokens: whole,
  }),
  problem: record(
    {
      where: text("A file, or the name of an environment variable."),
      line: whole,
      column: whole,
      problem: { type: "string" },
    },
    ["where", "problem"],
  ),
};

export function turnDefinitions(): Record<string, JsonSchema> {
  return { ...sharedDefinitions, ...configDefinitions(), ...eventDefinitions() };
}

function eventDefinitions(): Record<string, JsonSchema> {
  const made = Object.entries(events).map(([type, { stored: schema }]): [string, JsonSchema] => {
    const { $schema: _schema, ...rest } = toJsonSchema(schema as GenericSchema, {
      typeMode: "input",
      errorMode: "ignore",
    });
    return [`event_${type}`, rest];
  });
  const event = { oneOf: made.map(([name]) => ref(name)), description: "Something that happened." };
  return { event, ...Object.fromEntries(made) };
}

/** Every key of the [system_reminder] table; its own definitions get names of their own. */
function configDefinitions(): Record<string, JsonSchema> {
  const { properties, definitions = {} } = configJsonSchema();
  const moved = JSON.stringify({ config: properties.system_reminder, ...prefixed(definitions) }).replaceAll(
    '"#/definitions/',
    '"#/definitions/config_',
  );
  return JSON.parse(moved) as Record<string, JsonSchema>;
}

function prefixed(definitions: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(definitions).map(([name, one]) => [`config_${name}`, one]));
}
