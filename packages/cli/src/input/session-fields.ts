// Fields of the input that describe a session and its request.

import { resolve } from "node:path";
import process from "node:process";
import {
  type Agent,
  anthropicMessages,
  type Config,
  gemini,
  openaiChat,
  openaiResponses,
  type PresetName,
  type Profile,
  profiles,
  type ReadPermissions,
  type SessionOptions,
  type SubagentDefinition,
  type ToolDescription,
} from "sotto";
import type { Dialect } from "sotto/extend";
import { presets } from "sotto/inspect";
import { didYouMean } from "sotto/internal";
import { failed, usageError } from "sotto-agent/terminal";
import {
  boolean,
  type Fields,
  fields,
  list,
  object,
  optional,
  optionalField,
  show,
  string,
  texts,
} from "./fields.ts";

export const SESSION_FIELDS = [
  ...["cwd", "agent", "config", "tools", "home", "permissions", "agents", "profile", "preset"],
  ...["instructions", "pastSessions"],
];
export const PROFILE_NAMES: readonly string[] = Object.keys(profiles);
export const PRESET_NAMES: readonly string[] = Object.keys(presets);

/** The session's options: the input keeps its flat field names, which its schema publishes. */
export function toSessionOptions(input: Fields): SessionOptions {
  const agents = optional(input, "agents", texts);
  const instructions = optional(input, "instructions", toInstructions);
  const pastSessions = optional(input, "pastSessions", boolean);
  return {
    cwd: resolve(process.cwd(), optional(input, "cwd", string) ?? "."),
    agent: optional(input, "agent", toAgent) ?? { kind: "main" },
    ...optionalField("config", optional(input, "config", toConfig)),
    ...optionalField("tools", optional(input, "tools", toTools)),
    ...optionalField("home", optional(input, "home", string)),
    ...optionalField("permissions", optional(input, "permissions", toPermissions)),
    ...optionalField("profile", optional(input, "profile", toProfile)),
    ...optionalField("preset", optional(input, "preset", toPreset)),
    trust: { user: instructions?.user, pastSessions },
    ...(agents === undefined ? {} : { mentions: { agents } }),
  };
}

/** The library checks the keys. */
export function toConfig(given: unknown, where: string): Config {
  return object(given, where) as Config;
}

export function toDefinition(given: unknown, where: string): SubagentDefinition {
  const definition = fields(given, where, ["criticalSystemReminder", "tools"]);
  return {
    ...optionalField("criticalSystemReminder", optional(definition, "criticalSystemReminder", string, where)),
    ...optionalField("tools", optional(definition, "tools", texts, where)),
  };
}

function toAgent(given: unknown, where: string): Agent {
  const agent = fields(given, where, ["kind", "type", "definition"]);
  const { kind } = agent;
  if (kind !== "main" && kind !== "sub")
    throw usageError(`${where}.kind: expected "main" or "sub", got ${show(kind)}`);
  return {
    kind,
    ...optionalField("type", optional(agent, "type", string, where)),
    ...optionalField("definition", optional(agent, "definition", toDefinition, where)),
  };
}

function toProfile(given: unknown, where: string): Profile {
  const name = string(given, where);
  if (Object.hasOwn(profiles, name)) return profiles[name as keyof typeof profiles];
  const hint = didYouMean(name, PROFILE_NAMES) || `; there are ${PROFILE_NAMES.join(", ")}`;
  throw usageError(`${where}: "${name}" is not known${hint}`);
}

function toPreset(given: unknown, where: string): PresetName {
  const name = string(given, where);
  if (Object.hasOwn(presets, name)) return name as PresetName;
  throw usageError(`${where}: "${name}" is not known; there are ${PRESET_NAMES.join(" and ")}`);
}

function toPermissions(given: unknown, where: string): ReadPermissions {
  const permissions = fields(given, where, ["denyRead", "allowSecrets", "within"]);
  return {
    ...optionalField("denyRead", optional(permissions, "denyRead", texts, where)),
    ...optionalField("allowSecrets", optional(permissions, "allowSecrets", texts, where)),
    ...optionalField("within", optional(permissions, "within", texts, where)),
  };
}

function toInstructions(given: unknown, where: string): { user?: boolean } {
  const instructions = fields(given, where, ["user"]);
  return { ...optionalField("user", optional(instructions, "user", boolean, where)) };
}

function toTools(given: unknown, where: string): (string | ToolDescription)[] {
  return list(given, where).map((tool, index) => {
    if (typeof tool === "string") return tool;
    const at = `${where}.${index}`;
    const { name, kind } = fields(tool, at, ["name", "kind"]);
    if (kind !== "read" && kind !== "write" && kind !== "run")
      throw usageError(`${at}.kind: expected "read", "write" or "run", got ${show(kind)}`);
    return { name: string(name, `${at}.name`), kind };
  });
}

/** A request body in a dialect, given whole or as its messages. */
export interface GivenRequest {
  dialect: Dialect;
  body: object;
}

export const REQUEST_FIELDS = ["dialect", "body", "messages"];
const DIALECTS = [anthropicMessages, openaiChat, openaiResponses, gemini] as unknown as readonly Dialect[];
export const DIALECT_NAMES: readonly string[] = DIALECTS.map((one) => one.name);

/** `exact` is the same input with numbers kept verbatim. */
export function toRequest(input: Fields, exact: Fields): GivenRequest | undefined {
  const dialect = toDialect(optional(input, "dialect", string) ?? anthropicMessages.name);
  const { body, messages } = exact;
  if (body !== undefined && messages !== undefined)
    throw usageError("body and messages: give one of them; a body has its messages inside");
  if (body === undefined && messages === undefined) return undefined;
  const request = body ?? { [dialect.field]: messages };
  const problem = dialect.problem(request);
  if (problem !== undefined)
    throw failed(`the request is not of the dialect ${dialect.name}: ${problem}`, "invalid_request");
  return { dialect, body: request as object };
}

function toDialect(name: string): Dialect {
  const dialect = DIALECTS.find((one) => one.name === name);
  if (dialect !== undefined) return dialect;
  const hint = didYouMean(name, DIALECT_NAMES) || `; there are ${DIALECT_NAMES.join(", ")}`;
  throw usageError(`dialect: "${name}" is not known${hint}`);
}
