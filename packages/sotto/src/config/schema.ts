// Config: checked against the catalogue, with the nearest right name where one is wrong.

import * as v from "valibot";
import type { Attachment } from "../attachments/attachment.ts";
import { issueText } from "../facts/parse-event.ts";
import { SottoError } from "../platform/errors.ts";
import { nearest } from "../platform/nearest.ts";
import { defaultReservedTags } from "../render/neutralise/neutralise.ts";
import { OWN_TAGS, type TagNames } from "../render/tags.ts";
import type { AttachmentName } from "./attachment-names.ts";
import {
  type LanguageServersConfig,
  type LanguageServersSettings,
  languageServersIn,
} from "./language-servers.ts";

const tokens = v.pipe(v.number(), v.integer(), v.minValue(100));
const turns = v.pipe(v.number(), v.integer(), v.minValue(0));
const place = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
const places = v.pipe(v.array(place), v.maxLength(100));

export const memorySchema = v.strictObject({
  /** Names of instruction files, in the order they are shown; `*.local.md` is the user's own. */
  file_names: v.optional(places),
  /** Directories of rules. */
  rules_dirs: v.optional(places),
  /** Whether the user's own instructions and rules are read. */
  user_settings: v.optional(v.boolean()),
  /** Whether the project's instructions and rules are read. */
  project_settings: v.optional(v.boolean()),
  /** Whether the user's own files in the project are read. */
  local_settings: v.optional(v.boolean()),
  /** How deep imports of imports go. */
  import_depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20))),
  // The rest is only for the user's own config and the host: a cloned repository must not widen its own reach.
  /** The directory of system-wide rules. */
  managed_dir: v.optional(place),
  /** Directories of the user's rules. */
  user_dirs: v.optional(places),
  /** Whether a project's files may import files from outside the project. */
  allow_external_imports: v.optional(v.boolean()),
});

const tagName = v.pipe(
  v.string(),
  v.regex(
    /^[a-z][a-z0-9_-]{2,39}$/u,
    "expected 3 to 40 lower-case letters, digits, - and _, starting with a letter",
  ),
  v.check((name) => !defaultReservedTags.includes(name), "expected a name that is not reserved already"),
);

/** Other names for tags, by their default name. */
const tagsSchema = v.pipe(
  v.strictObject(v.entriesFromList(OWN_TAGS, v.exactOptional(tagName))),
  v.check((names) => {
    const given = Object.values(names);
    return new Set(given).size === given.length;
  }, "expected a different name for each tag"),
);

export const tasksSchema = v.strictObject({
  /** `unified`: one format for all tasks; `classic`: separate formats for shells, agents and remote sessions. */
  style: v.optional(v.picklist(["unified", "classic"]), "unified"),
});

export const configSchema = v.strictObject({
  /**
   * Defaults for a kind of agent: `coding`, or `assistant` for agents without files, instruction files and todo
   * reminders. Every other key overrides it.
   */
  preset: v.optional(v.picklist(["coding", "assistant"]), "coding"),
  /** Turns all reminders on or off. */
  enabled: v.optional(v.boolean(), true),
  /** Sent on every turn, to sub-agents too, and never cut. */
  critical_instruction: v.optional(v.pipe(v.string(), v.maxLength(20_000))),
  /** The deadline of a turn, in milliseconds. */
  timeout_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(60_000)), 1000),
  /**
   * Turns `attachments.token_usage` on. `every_turn` also sends it on every turn, unless that type's own options say
   * otherwise; the environment variable means `every_turn`.
   */
  enable_token_usage: v.optional(v.union([v.boolean(), v.literal("every_turn")]), false),
  /**
   * Where new reminders go: at the end of the request, or after the context at its front, which costs the prompt
   * cache on every turn with a new reminder.
   */
  placement: v.optional(v.picklist(["append", "after_context"]), "append"),
  /**
   * `native` puts text that the engine or its user wrote into the provider's own trusted role, where the dialect has
   * one.
   */
  role: v.optional(v.picklist(["user", "native"]), "user"),
  /** More beginnings of messages that count as context for `after_context`. */
  context_forms: v.optional(v.array(v.pipe(v.string(), v.minLength(3))), []),
  /** The directory of plan files. Empty: there is no default plan file. */
  plan_dir: v.optional(v.string(), ".claude/plans"),
  /** The directory of the teams' task lists, with one directory per team. */
  task_dir: v.optional(v.string(), "~/.claude/tasks"),
  /** The directory of all mailboxes, each in `<team>/<agent>`. Empty: none. */
  mailbox_dir: v.optional(v.string(), ".sotto/mail"),
  /**
   * The directory where other programs keep an agent's mail in one file `<id>.json`. The id is
   * `CLAUDE_CODE_TEAMMATE_ID`, or else the session's. Empty: none.
   */
  mailbox_file_dir: v.optional(v.string(), ".claude/mailbox"),
  /**
   * The file of the agent's todo list, a JSON list or a Markdown check list; `{session}` stands for the session's id.
   * Empty: none.
   */
  todo_file: v.optional(v.string(), ".claude/todos/{session}.json"),
  /** The project's directory with notes of past sessions. Empty: none. */
  session_memory_dir: v.optional(v.string(), ".claude/session-memory"),
  /** How long an offered reminder is reserved for a process that is alive, in milliseconds. */
  claim_ttl_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1000)), 120_000),
  /** Token budget per turn for types without their own. */
  max_tokens_per_turn: v.optional(tokens, 4000),
  /** Token budget for what a prompt mentions, and for messages that the user queued. */
  max_prompt_tokens: v.optional(tokens, 20_000),
  /** Token budget for instructions about files the agent touches. */
  max_memory_tokens: v.optional(tokens, 10_000),
  /** Token budget for the first turn and the one after compaction. */
  max_context_tokens: v.optional(tokens, 25_000),
  /** How many characters of a file are shown: mentioned, restored, a plan, an instruction file. */
  max_file_characters: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(1_000_000)),
    40_000,
  ),
  /** How many lines of a file are shown. */
  max_file_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)), 3000),
  /** What the session may spend, in US dollars; `budget_usd` reports on it. */
  max_budget_usd: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0.01))),
  /** The share of turns that is reported to telemetry, from 0 to 1. */
  telemetry_sample: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.05),
  // Checked apart, and documented in `Config`.
  tasks: v.optional(v.unknown(), {}),
  memory: v.optional(v.unknown(), {}),
  tags: v.optional(v.unknown(), {}),
  language_servers: v.optional(v.unknown()),
  attachments: v.optional(v.record(v.string(), v.unknown()), {}),
});

/** Config with the keys of the TOML's `[system_reminder]` table. */
export type Config = Omit<
  v.InferInput<typeof configSchema>,
  "attachments" | "memory" | "tasks" | "tags" | "language_servers"
> & {
  /** Other names for Sotto's tags, by their usual name, for where a filter reacts to those. */
  tags?: TagNames;
  /** How background tasks are reported. */
  tasks?: v.InferInput<typeof tasksSchema>;
  /** Which instruction files and rules are read. */
  memory?: MemoryConfig;
  /** Language servers to ask about files the agent works on: `true` for the built-in ones, or a table of servers. */
  language_servers?: LanguageServersConfig;
  /** Switches and options by type, generator or alias: `true`, `false`, or a table. */
  attachments?: AttachmentsConfig;
};

/** Switches and options by name; the built-in names complete in an editor, and those of the host's own types are fine. */
export type AttachmentsConfig = { [Name in AttachmentName]?: boolean | AttachmentConfig } & {
  [name: string]: boolean | AttachmentConfig;
};

/** Which instruction files and rules are read. */
export type MemoryConfig = v.InferInput<typeof memorySchema>;
/** Config of one attachment type: the keys all types share, and the type's own options. */
export interface AttachmentConfig {
  /** Turns the type on or off. */
  enabled?: boolean;
  /** How many turns must pass before it is sent again. */
  min_turns_between?: number;
  /** How many turns must pass after what it is about, also before the first time. */
  min_turns_after_trigger?: number;
  /** How often it may be sent in a session. */
  max_per_session?: number;
  [option: string]: unknown;
}

/** Text of a file in the project, which may be anyone's. */
export interface ProjectText {
  content: string;
  from: string;
  /** The user has allowed it: it is shown without the file's name, but never in the provider's trusted role. */
  trusted?: true;
}

export interface TypeSettings {
  enabled: boolean;
  minTurnsBetween?: number;
  minTurnsAfterTrigger?: number;
  maxPerSession?: number;
  options: unknown;
}

export interface Settings
  extends Omit<
    v.InferOutput<typeof configSchema>,
    "attachments" | "memory" | "tasks" | "tags" | "language_servers"
  > {
  tags: TagNames;
  tasks: v.InferOutput<typeof tasksSchema>;
  memory: MemoryConfig;
  language_servers: LanguageServersSettings;
  /** What a project's file wants said on every turn. It stands beside the user's instruction, never in its place. */
  project_instruction?: ProjectText;
  types: ReadonlyMap<string, TypeSettings>;
}

export const sharedSchema = v.object({
  enabled: v.optional(v.boolean()),
  min_turns_between: v.optional(turns),
  min_turns_after_trigger: v.optional(turns),
  max_per_session: v.optional(turns),
});
const SHARED_KEYS = Object.keys(sharedSchema.entries);

/** The settings in force; throws at the first thing that is wrong, naming it. */
export function resolveSettings(config: unknown, catalogue: readonly Attachment[]): Settings {
  const { attachments, ...rest } = check([], configSchema, config ?? {}, Object.keys(configSchema.entries));
  const memory = check(["memory"], memorySchema, rest.memory, Object.keys(memorySchema.entries));
  const tasks = check(["tasks"], tasksSchema, rest.tasks, Object.keys(tasksSchema.entries));
  const tags = check(["tags"], tagsSchema, rest.tags, Object.keys(tagsSchema.entries));
  const language_servers = languageServersIn(rest.language_servers, check);
  if (Array.isArray((config as Config | undefined)?.attachments))
    throw wrong(["attachments"], `${placeOf(["attachments"])}: expected a table`);
  const tables = tablesByType(attachments, catalogue);
  if (rest.enable_token_usage) {
    const own = tables.get("token_usage");
    const every_turn = rest.enable_token_usage === "every_turn" && own?.thresholds === undefined;
    tables.set("token_usage", { enabled: true, ...(every_turn ? { every_turn } : {}), ...own });
  }
  const types = new Map(
    catalogue.map((one) => {
      const table = tables.get(one.type);
      const settings = table === undefined ? defaultSettings(one) : typeSettings(one, table);
      return [one.type, rest.enabled ? settings : { ...settings, enabled: false }];
    }),
  );
  return { ...rest, memory, tasks, tags, language_servers, types };
}

/** Later wins, key by key; `true` and `false` in place of a table are its switch. */
export function mergeConfig(base: unknown, over: unknown): unknown {
  if (isTable(base) && typeof over === "boolean") return { ...base, enabled: over };
  if (typeof base === "boolean" && isTable(over)) return { enabled: base, ...over };
  if (!isTable(base) || !isTable(over)) return over === undefined ? base : over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) merged[key] = mergeConfig(merged[key], value);
  return merged;
}

function tablesByType(
  attachments: Record<string, unknown>,
  catalogue: readonly Attachment[],
): Map<string, Record<string, unknown>> {
  const tables = new Map<string, Record<string, unknown>>();
  const byReach = Object.entries(attachments).map(([name, value]) => {
    const types = typesNamed(name, catalogue);
    if (types.length === 0) throw unknownName(["attachments"], name, namesIn(catalogue));
    return { name, value, types };
  });
  // A generator's table first, so that one for a single type has the last word.
  byReach.sort((a, b) => b.types.length - a.types.length);
  for (const { name, value, types } of byReach) {
    const table = toTable(name, value);
    for (const key of Object.keys(table))
      if (!SHARED_KEYS.includes(key) && !types.some((type) => optionKeys(type).includes(key)))
        throw unknownName(["attachments", name], key, [...SHARED_KEYS, ...types.flatMap(optionKeys)]);
    // Checked under the name it was written with.
    for (const one of types) typeSettings(one, table, name);
    for (const { type } of types) tables.set(type, { ...tables.get(type), ...table });
  }
  return tables;
}

/** The types that a name in config switches. */
export function typesNamed(name: string, catalogue: readonly Attachment[]): Attachment[] {
  const generator = catalogue.filter(
    (one) => one.generator === name || one.sentAs === name || one.aliases?.includes(name),
  );
  return generator.length > 0 ? generator : catalogue.filter((one) => one.type === name);
}

/** Every name that switches something. */
export function namesIn(catalogue: readonly Attachment[]): string[] {
  return [...new Set(catalogue.flatMap((one) => [one.type, one.generator, ...(one.aliases ?? [])]))];
}

function toTable(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === "boolean") return { enabled: value };
  if (isTable(value)) return value;
  const keys = ["attachments", name];
  throw wrong(keys, `${placeOf(keys)}: expected true, false or a table`);
}

// Most types have no config, in any session: they share their settings, which nobody modifies.
const defaults = new WeakMap<Attachment, TypeSettings>();

function defaultSettings(attachment: Attachment): TypeSettings {
  const known = defaults.get(attachment) ?? typeSettings(attachment, {});
  defaults.set(attachment, known);
  return known;
}

function typeSettings(
  attachment: Attachment,
  table: Record<string, unknown>,
  name = attachment.type,
): TypeSettings {
  const where = ["attachments", name];
  const { enabled, ...limits } = check(where, sharedSchema, pick(table, SHARED_KEYS), SHARED_KEYS);
  const own = pick(table, optionKeys(attachment));
  const options = attachment.options === undefined ? {} : check(where, attachment.options, own, []);
  const settings: TypeSettings = { enabled: enabled ?? attachment.defaultEnabled ?? true, options };
  if (limits.min_turns_between !== undefined) settings.minTurnsBetween = limits.min_turns_between;
  if (limits.min_turns_after_trigger !== undefined)
    settings.minTurnsAfterTrigger = limits.min_turns_after_trigger;
  if (limits.max_per_session !== undefined) settings.maxPerSession = limits.max_per_session;
  return settings;
}

export function optionKeys({ options }: Attachment): string[] {
  return options !== undefined && "entries" in options ? Object.keys(options.entries as object) : [];
}

function check<T>(
  where: readonly string[],
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  names: string[],
): T {
  if (!isTable(value)) throw wrong(where, `${placeOf(where)}: expected a table`);
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const key = String(issue.path?.at(-1)?.key ?? "");
  if (issue.type === "strict_object" && issue.expected === "never") throw unknownName(where, key, names);
  const inside = issue.path?.map((part) => String(part.key)) ?? [];
  throw wrong([...where, ...inside], issueText(placeOf(where), issue));
}

function unknownName(where: readonly string[], name: string, names: readonly string[]): SottoError {
  const right = nearest(name, names);
  const hint = right === undefined ? "" : `; did you mean "${right}"?`;
  return wrong([...where, name], `${placeOf(where)}: "${name}" is not known${hint}`);
}

function wrong(keys: readonly string[], words: string): SottoError {
  return new SottoError("invalid_config", words, undefined, keys);
}

function placeOf(keys: readonly string[]): string {
  return ["config", ...keys].join(".");
}

function pick(table: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys.includes(key)));
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
