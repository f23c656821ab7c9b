// What a project's own config may say: all of it where its file is trusted, else only what neither runs anything nor
// speaks with authority.

import { configSchema, isTable, type ProjectText } from "../../core/config.ts";
import {
  configKeys,
  memoryKeys,
  optionKeys,
  type Reach,
  sharedKeys,
  tasksKeys,
} from "../../core/config-keys.ts";
import type { ConfigTable } from "../../core/config-layers.ts";
import { absolutePath } from "../../core/path.ts";
import { isWithin } from "../memory/paths.ts";

export interface ProjectPlace {
  /** The config file. */
  path: string;
  cwd: string;
  root: string;
  /** What the user's own config says: what is off there stays off. */
  user: ConfigTable;
}

export interface ReachedConfig {
  config: ConfigTable;
  instruction?: ProjectText;
  /** What was left out, and why. */
  ignored: { keys: readonly string[]; why: string }[];
}

type Tables = { readonly [key: string]: { project: Reach } };

const INSIDE: Readonly<Record<string, Tables>> = { tasks: tasksKeys, memory: memoryKeys };
const TYPE_KEYS: Tables = { ...optionKeys, ...sharedKeys };

/** The config is right, and its attachments have one name each; so have the user's. */
export function withinReach(config: ConfigTable, place: ProjectPlace): ReachedConfig {
  const ignored: ReachedConfig["ignored"] = [];
  const judge = (keys: readonly string[], value: unknown, reach: Reach): boolean => {
    const why = whyIgnored(keys, value, reach, place);
    if (why !== undefined) ignored.push({ keys, why });
    return why === undefined;
  };
  const part = (keys: readonly string[], table: ConfigTable, tables: Tables): ConfigTable =>
    Object.fromEntries(
      Object.entries(table).filter(([key, value]) =>
        judge([...keys, key], value, tables[key]?.project ?? "trusted"),
      ),
    );
  const allowed = Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
    const tables = INSIDE[key];
    if (tables !== undefined && isTable(value)) return [[key, part([key], value, tables)]];
    if (key !== "attachments" || !isTable(value))
      return judge([key], value, (configKeys as Tables)[key]?.project ?? "trusted") ? [[key, value]] : [];
    const types = Object.entries(value).flatMap(([name, options]): [string, unknown][] => {
      const keys = ["attachments", name];
      if (isTable(options)) return [[name, part(keys, options, TYPE_KEYS)]];
      return judge(keys, options, "switch") ? [[name, options]] : [];
    });
    return [[key, Object.fromEntries(types)]];
  });
  const { critical_instruction: content, ...rest } = Object.fromEntries(allowed);
  return {
    config: rest,
    ...(typeof content === "string" ? { instruction: { content, from: place.path } } : {}),
    ignored,
  };
}

function whyIgnored(
  keys: readonly string[],
  value: unknown,
  reach: Reach,
  { cwd, root, user }: ProjectPlace,
): string | undefined {
  if (reach === "trusted" && !isDefault(keys, value)) return "it needs `sotto trust`";
  if (reach === "inside" && !isInside(value, cwd, root))
    return "a path outside the project needs `sotto trust`";
  if (reach === "switch" && value === true && isOff(keys, user))
    return "the user's config has switched it off";
  return undefined;
}

/** What holds without it needs nobody's leave. */
function isDefault(keys: readonly string[], value: unknown): boolean {
  const [key = "", ...deeper] = keys;
  const entry = (configSchema.entries as Record<string, { default?: unknown }>)[key];
  return deeper.length === 0 && value !== undefined && entry?.default === value;
}

function isInside(value: unknown, cwd: string, root: string): boolean {
  if (typeof value !== "string" || value.startsWith("~")) return false;
  return value === "" || isWithin(root, absolutePath(value, cwd));
}

/** `false`, or a table that says so. */
function isOff(keys: readonly string[], user: ConfigTable): boolean {
  let at: unknown = user;
  for (const key of keys) {
    if (key === "enabled" && at === false) return true;
    at = isTable(at) ? at[key] : undefined;
  }
  return at === false || (isTable(at) && at.enabled === false);
}
