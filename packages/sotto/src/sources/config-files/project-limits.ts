// Which settings a project's config may contain before it is trusted: a few harmless ones. The rest is ignored and
// reported.

import type { Attachment } from "../../attachments/attachment.ts";
import {
  configKeys,
  memoryKeys,
  optionKeys,
  type Reach,
  sharedKeys,
  tasksKeys,
  tunableGenerators,
} from "../../config/key-reference.ts";
import type { ConfigTable } from "../../config/layers.ts";
import { configSchema, type ProjectText, resolveSettings, typesNamed } from "../../config/schema.ts";
import { absolutePath, isWithin } from "../../platform/paths.ts";
import { isTable } from "../../platform/plain-data.ts";

export interface ProjectPlace {
  /** The config file. */
  path: string;
  cwd: string;
  root: string;
  /** The user's own config and environment, which a project cannot override. */
  user: ConfigTable;
  catalogue: readonly Attachment[];
}

export interface ReachedConfig {
  config: ConfigTable;
  instruction?: ProjectText;
  /** What was ignored, and why. `never`: it stays ignored even if the project is trusted. */
  ignored: { keys: readonly string[]; why: string; never?: true }[];
}

type Tables = { readonly [key: string]: { project: Reach } };
type Judge = (keys: readonly string[], value: unknown, reach: Reach) => boolean;

const INSIDE: Readonly<Record<string, Tables>> = { tasks: tasksKeys, memory: memoryKeys };
const TYPE_KEYS: Tables = { ...optionKeys, ...sharedKeys };
const LIMITS: Readonly<Record<string, "minTurnsBetween" | "minTurnsAfterTrigger" | "maxPerSession">> = {
  min_turns_between: "minTurnsBetween",
  min_turns_after_trigger: "minTurnsAfterTrigger",
  max_per_session: "maxPerSession",
};
/** Keys outside of `attachments` that switch a type on or off. */
const SWITCHES: Readonly<Record<string, string>> = { enable_token_usage: "token_usage" };
const USERS = "the user's own config sets it";
const TRUST = "it needs `sotto trust`";
const NEVER = "only the user's own config or the host may set it";
// Not reported.
const NO_CHANGE = "it holds without it";
// Such a path appears in our own texts, so it must not be able to inject anything.
const PLAIN_PATH = () => /^[\p{L}\p{M}\p{N}._@+/-]{0,200}$/u;

/** Expects a valid config, with attachments by their canonical names; the same for the user's. */
export function allowedConfig(config: ConfigTable, place: ProjectPlace): ReachedConfig {
  const ignored: ReachedConfig["ignored"] = [];
  const judge: Judge = (keys, value, reach) => {
    const why = whyIgnored(keys, value, reach, place);
    if (why !== undefined && why !== NO_CHANGE)
      ignored.push({ keys, why, ...(why === NEVER ? { never: true } : {}) });
    return why === undefined;
  };
  const allowed = Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
    const tables = INSIDE[key];
    if (tables !== undefined && isTable(value)) return [[key, partOf([key], value, tables, judge)]];
    if (key === "attachments" && isTable(value)) return [[key, tunedTypes(value, judge)]];
    return judge([key], value, (configKeys as Tables)[key]?.project ?? "trusted") ? [[key, value]] : [];
  });
  const { critical_instruction: content, ...rest } = Object.fromEntries(allowed);
  return {
    config: rest,
    ...(typeof content === "string" ? { instruction: { content, from: place.path } } : {}),
    ignored,
  };
}

/** What a trusted project may set: everything except what would extend its own rights. */
export function onceTrusted(config: ConfigTable): Pick<ReachedConfig, "config" | "ignored"> {
  const { memory } = config;
  if (!isTable(memory)) return { config, ignored: [] };
  const isOfUser = (key: string) => (memoryKeys as Tables)[key]?.project === "user";
  return {
    config: {
      ...config,
      memory: Object.fromEntries(Object.entries(memory).filter(([key]) => !isOfUser(key))),
    },
    ignored: Object.keys(memory)
      .filter(isOfUser)
      .map((key) => ({ keys: ["memory", key], why: NEVER, never: true })),
  };
}

function tunedTypes(attachments: ConfigTable, judge: Judge): ConfigTable {
  const tuned = Object.entries(attachments).flatMap(([name, options]): [string, unknown][] => {
    const keys = ["attachments", name];
    const isTunable = tunableGenerators.includes(name);
    if (isTable(options)) return [[name, partOf(keys, options, isTunable ? TYPE_KEYS : {}, judge)]];
    return judge(keys, options, isTunable ? "free" : "trusted") ? [[name, options]] : [];
  });
  return Object.fromEntries(tuned);
}

function partOf(keys: readonly string[], table: ConfigTable, tables: Tables, judge: Judge): ConfigTable {
  return Object.fromEntries(
    Object.entries(table).filter(([key, value]) =>
      judge([...keys, key], value, tables[key]?.project ?? "trusted"),
    ),
  );
}

function whyIgnored(
  keys: readonly string[],
  value: unknown,
  reach: Reach,
  place: ProjectPlace,
): string | undefined {
  if (reach === "text") return undefined;
  const own = valueAt(place.user, keys);
  if (own !== undefined) return isSame(own, value) ? undefined : USERS;
  if (isSetByUser(keys, place)) return USERS;
  if (isUsual(keys, value, place.catalogue)) return reach === "trusted" ? NO_CHANGE : undefined;
  if (reach === "user") return NEVER;
  if (reach === "trusted") return TRUST;
  return reach === "inside" ? whyNotInside(value, place) : undefined;
}

/**
 * A type that the user's config mentions belongs to the user, whichever name or option is used: another name is the
 * same switch, and options can switch a type off as well (`max_per_session = 0`).
 */
function isSetByUser(keys: readonly string[], { user, catalogue }: ProjectPlace): boolean {
  const types = typesIn(keys, catalogue);
  if (types.length === 0) return false;
  const names = isTable(user.attachments) ? Object.keys(user.attachments) : [];
  const mentioned = [...Object.keys(user).map((key) => [key]), ...names.map((name) => ["attachments", name])];
  const owned = new Set(mentioned.flatMap((at) => typesIn(at, catalogue)));
  return types.some((type) => owned.has(type));
}

function typesIn([key = "", name]: readonly string[], catalogue: readonly Attachment[]): string[] {
  const switched = key === "attachments" ? name : SWITCHES[key];
  return switched === undefined ? [] : typesNamed(switched, catalogue).map(({ type }) => type);
}

function whyNotInside(value: unknown, { cwd, root }: ProjectPlace): string | undefined {
  if (typeof value !== "string" || !PLAIN_PATH().test(value))
    return "a path with anything but letters, digits and . _ - @ + / needs `sotto trust`";
  return value === "" || isWithin(root, absolutePath(value, cwd))
    ? undefined
    : "a path outside the project needs `sotto trust`";
}

/** A value that equals the default needs no permission, but must not undo what a host or a preset sets. */
function isUsual(keys: readonly string[], value: unknown, catalogue: readonly Attachment[]): boolean {
  const [key = "", ...deeper] = keys;
  if (key === "attachments") return isUsualOfTypes(deeper, value, catalogue);
  const entry = (configSchema.entries as Record<string, { default?: unknown }>)[key];
  return deeper.length === 0 && entry?.default !== undefined && isSame(entry.default, value);
}

/** Whether all types of that name get the same settings without it. */
function isUsualOfTypes(keys: readonly string[], value: unknown, catalogue: readonly Attachment[]): boolean {
  const [name = "", key] = keys;
  const types = typesNamed(name, catalogue);
  const limit = LIMITS[key ?? ""];
  if (limit !== undefined) {
    const usual = types.flatMap(({ throttle }) => throttle?.[limit] ?? []);
    return usual.length > 0 && usual.every((one) => one === value);
  }
  const table = key === undefined ? value : { [key]: value };
  const without = resolveSettings({}, types).types;
  const withIt = resolveSettings({ attachments: { [name]: table } }, types).types;
  return types.every(({ type }) => isSame(without.get(type), withIt.get(type)));
}

/** A switch (`true`) stands for the table with `enabled = true`. */
function valueAt(config: ConfigTable, keys: readonly string[]): unknown {
  let at: unknown = config;
  for (const key of keys) {
    if (typeof at === "boolean") return key === "enabled" ? at : undefined;
    at = isTable(at) ? at[key] : undefined;
  }
  return at;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
