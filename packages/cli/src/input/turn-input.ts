// What `sotto turn` reads: checked field by field, nothing guessed, nothing ignored.

import { resolve } from "node:path";
import process from "node:process";
import {
  type Agent,
  anthropicMessages,
  type Config,
  type Dialect,
  gemini,
  openaiChat,
  openaiResponses,
  parseEvent,
  type ReadPermissions,
  type SessionEvent,
  type ToolDescription,
} from "sotto";
import { failed, wrongUse } from "../failure.ts";
import { didYouMean } from "../nearest.ts";
import { parseJson } from "./parse-json.ts";

export interface TurnInput {
  cwd: string;
  agent: Agent;
  events: SessionEvent[];
  request?: { dialect: Dialect; body: object };
  userPrompt?: string;
  config?: Config;
  home?: string;
  permissions?: ReadPermissions;
  tools?: (string | ToolDescription)[];
  /** Types of the sub-agents there are. */
  agents?: string[];
}

type Fields = Record<string, unknown>;

const FIELDS = [
  ...["cwd", "agent", "userPrompt", "dialect", "body", "messages", "events", "config", "tools"],
  ...["home", "permissions", "agents"],
];
const DIALECTS = [anthropicMessages, openaiChat, openaiResponses, gemini] as unknown as readonly Dialect[];

export function parseTurnInput(text: string): TurnInput {
  const { value, faithful } = parseJson(text);
  const input = fields(value, "the input", FIELDS);
  const exact = faithful as Fields;
  const request = toRequest(input, exact);
  return {
    cwd: resolve(process.cwd(), optional(input, "cwd", string) ?? "."),
    agent: optional(input, "agent", toAgent) ?? { kind: "main" },
    events: optional(input, "events", toEvents) ?? [],
    ...present("userPrompt", optional(input, "userPrompt", string)),
    // Its keys are the library's to check.
    ...present(
      "config",
      optional(input, "config", (given, where) => object(given, where) as Config),
    ),
    ...present("tools", optional(input, "tools", toTools)),
    ...present("agents", optional(input, "agents", texts)),
    ...present("home", optional(input, "home", string)),
    ...present("permissions", optional(input, "permissions", toPermissions)),
    ...present("request", request),
  };
}

function toRequest(input: Fields, exact: Fields): TurnInput["request"] {
  const name = optional(input, "dialect", string) ?? anthropicMessages.name;
  const dialect = DIALECTS.find((one) => one.name === name);
  const names = DIALECTS.map((one) => one.name);
  if (dialect === undefined)
    throw wrongUse(
      `dialect: "${name}" is not known${didYouMean(name, names) || `; there are ${names.join(", ")}`}`,
    );
  const { body, messages } = exact;
  if (body !== undefined && messages !== undefined)
    throw wrongUse("body and messages: give one of them; a body has its messages inside");
  if (body === undefined && messages === undefined) return undefined;
  const request = body ?? { [dialect.field]: messages };
  const problem = dialect.problem(request);
  if (problem !== undefined)
    throw failed(`the request is not of the dialect ${dialect.name}: ${problem}`, "invalid_request");
  return { dialect, body: request as object };
}

function toEvents(given: unknown, where: string): SessionEvent[] {
  return list(given, where).map((event, index) => {
    try {
      return parseEvent(event);
    } catch (error) {
      throw wrongUse(eventWords(error, event, `${where}.${index}`), "invalid_event");
    }
  });
}

/** The library names a field by its event's type, the caller knows it by its place in the list. */
export function eventWords(error: unknown, event: unknown, where: string): string {
  const { type } = (event ?? {}) as { type?: unknown };
  const { message } = error as Error;
  const root = ["event", String(type)].find(
    (name) => message.startsWith(`${name}.`) || message.startsWith(`${name}:`),
  );
  return root === undefined ? `${where}: ${message}` : `${where}${message.slice(root.length)}`;
}

function toAgent(given: unknown, where: string): Agent {
  const agent = fields(given, where, ["kind", "type", "definition"]);
  const { kind } = agent;
  if (kind !== "main" && kind !== "sub")
    throw wrongUse(`${where}.kind: expected "main" or "sub", got ${show(kind)}`);
  return {
    kind,
    ...present("type", optional(agent, "type", string, where)),
    ...present("definition", optional(agent, "definition", toDefinition, where)),
  };
}

function toDefinition(given: unknown, where: string): NonNullable<Agent["definition"]> {
  const definition = fields(given, where, ["criticalSystemReminder", "tools"]);
  return {
    ...present("criticalSystemReminder", optional(definition, "criticalSystemReminder", string, where)),
    ...present("tools", optional(definition, "tools", texts, where)),
  };
}

function toPermissions(given: unknown, where: string): ReadPermissions {
  const permissions = fields(given, where, ["denyRead", "allowSecrets"]);
  return {
    ...present("denyRead", optional(permissions, "denyRead", texts, where)),
    ...present("allowSecrets", optional(permissions, "allowSecrets", texts, where)),
  };
}

function toTools(given: unknown, where: string): (string | ToolDescription)[] {
  return list(given, where).map((tool, index) => {
    if (typeof tool === "string") return tool;
    const at = `${where}.${index}`;
    const { name, kind } = fields(tool, at, ["name", "kind"]);
    if (kind !== "read" && kind !== "write" && kind !== "run")
      throw wrongUse(`${at}.kind: expected "read", "write" or "run", got ${show(kind)}`);
    return { name: string(name, `${at}.name`), kind };
  });
}

function fields(given: unknown, where: string, names: readonly string[]): Fields {
  const found = object(given, where);
  const wrong = Object.keys(found).find((key) => !names.includes(key));
  if (wrong === undefined) return found;
  const hint = didYouMean(wrong, names) || `; there are ${names.join(", ")}`;
  throw wrongUse(`${where}: "${wrong}" is not known${hint}`);
}

function optional<T>(
  from: Fields,
  name: string,
  read: (given: unknown, where: string) => T,
  under?: string,
): T | undefined {
  return from[name] === undefined
    ? undefined
    : read(from[name], under === undefined ? name : `${under}.${name}`);
}

function object(given: unknown, where: string): Fields {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) return given as Fields;
  throw wrongUse(`${where}: expected an object, got ${show(given)}`);
}

function list(given: unknown, where: string): unknown[] {
  if (Array.isArray(given)) return given;
  throw wrongUse(`${where}: expected a list, got ${show(given)}`);
}

function texts(given: unknown, where: string): string[] {
  return list(given, where).map((one, index) => string(one, `${where}.${index}`));
}

function string(given: unknown, where: string): string {
  if (typeof given === "string") return given;
  throw wrongUse(`${where}: expected a text, got ${show(given)}`);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 60);
}

function present<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}
