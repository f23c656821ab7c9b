// Config of language servers: which are asked about the files the agent works on, and how each is started.

import * as v from "valibot";
import { SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { sizeProblem } from "../platform/size.ts";

/** Servers that need no config: their programs are looked for. */
export const BUILT_IN_SERVERS = ["typescript", "python"] as const;
export type BuiltInServer = (typeof BUILT_IN_SERVERS)[number];

const word = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
const extension = v.pipe(
  v.string(),
  v.regex(/^\.[^./\\\s]{1,30}$/u, 'expected an extension with its dot, as ".ts"'),
);

export const serverSchema = v.strictObject({
  enabled: v.optional(v.boolean()),
  command: v.optional(v.pipe(v.array(word), v.minLength(1), v.maxLength(100))),
  extensions: v.optional(v.pipe(v.array(extension), v.minLength(1), v.maxLength(50))),
  language_id: v.optional(word),
  settings: v.optional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.check((value) => sizeProblem(value) === undefined, "must be plain data"),
    ),
  ),
});
const sharedSchema = v.strictObject({
  enabled: v.optional(v.boolean(), true),
  wait_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(5000)), 200),
});
const SHARED = Object.keys(sharedSchema.entries);
const KEYS = Object.keys(serverSchema.entries);

// Written out, so that editors show the comments.

/** Config of one language server. */
export interface LanguageServerConfig {
  /** Whether it is used. Default: true. */
  enabled?: boolean | undefined;
  /** The program and its arguments. A bare name is looked up; one with a slash is used as it is. */
  command?: string[] | undefined;
  /** Extensions of the files it is asked about, with the dot. */
  extensions?: string[] | undefined;
  /** The language id the server expects, such as `typescript`. */
  language_id?: string | undefined;
  /** What the server gets when it requests its configuration. */
  settings?: { [key: string]: unknown } | undefined;
}

/** `true`: the usual ones. A table: these as well, or changed. */
export type LanguageServersConfig = boolean | LanguageServersTable;

interface LanguageServersTable {
  /** Whether language servers are used. */
  enabled?: boolean;
  /** How long a turn waits for diagnostics of files that were just written, where the server is up and quick. */
  wait_ms?: number;
  /** A server by its name. */
  [name: string]: LanguageServerConfig | boolean | number | undefined;
}

export interface LanguageServersSettings {
  enabled: boolean;
  wait_ms: number;
  servers: Readonly<Record<string, LanguageServerConfig>>;
}

export type Check = <T>(
  where: readonly string[],
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  names: () => readonly string[],
) => T;

/** Off unless it is asked for: a library starts no programs by itself. */
export function languageServersIn(
  value: unknown,
  check: Check,
  where: readonly string[] = ["language_servers"],
): LanguageServersSettings {
  const table =
    value === undefined ? { enabled: false } : typeof value === "boolean" ? { enabled: value } : value;
  const given = check(where, v.record(v.string(), v.unknown()), table, () => []);
  const isServer = (name: string) => !SHARED.includes(name);
  const shared = Object.fromEntries(Object.entries(given).filter(([name]) => !isServer(name)));
  const servers = Object.entries(given).flatMap(([name, own]): [string, LanguageServerConfig][] =>
    isServer(name) ? [[name, serverIn([...where, name], own, check)]] : [],
  );
  return { ...check(where, sharedSchema, shared, () => SHARED), servers: Object.fromEntries(servers) };
}

function serverIn(where: readonly string[], value: unknown, check: Check): LanguageServerConfig {
  const name = where.at(-1) ?? "";
  const server = typeof value === "boolean" ? { enabled: value } : value;
  const checked = check(where, serverSchema, server, () => KEYS);
  const isKnown = (BUILT_IN_SERVERS as readonly string[]).includes(name);
  if (isKnown || checked.enabled === false || (checked.command && checked.extensions)) return checked;
  const right = nearest(name, [...BUILT_IN_SERVERS, ...SHARED]);
  const hint = right === undefined ? "" : `; did you mean "${right}"?`;
  const words = `config.${where.join(".")}: a server needs a command and extensions${hint}`;
  throw new SottoError("invalid_config", words, undefined, where);
}
