// Config: checked against the catalogue, with the nearest right name where one is wrong.

import * as v from "valibot";
import { type Attachment, checkData, isValibot } from "../attachments/attachment.ts";
import { issueText } from "../facts/parse-event.ts";
import { SottoError } from "../platform/errors.ts";
import { shownName } from "../platform/key-shapes.ts";
import { nearest } from "../platform/nearest.ts";
import { isTable } from "../platform/plain-data.ts";
import { defaultReservedTags } from "../render/neutralise/neutralise.ts";
import { OWN_TAGS, type TagNames } from "../render/tags.ts";
import type { Config, MemoryConfig } from "./config.ts";
import { type LanguageServersSettings, languageServersIn } from "./language-servers.ts";

const tokens = v.pipe(v.number(), v.integer(), v.minValue(100));
const turns = v.pipe(v.number(), v.integer(), v.minValue(0));
const place = v.pipe(v.string(), v.minLength(1), v.maxLength(4096));
const places = v.pipe(v.array(place), v.maxLength(100));

export const memorySchema = v.strictObject({
  file_names: v.optional(places),
  rules_dirs: v.optional(places),
  user_settings: v.optional(v.boolean()),
  project_settings: v.optional(v.boolean()),
  local_settings: v.optional(v.boolean()),
  import_depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(20))),
  // The rest is only for the user's own config and the host: a cloned repository must not widen its own reach.
  managed_dir: v.optional(place),
  user_dirs: v.optional(places),
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
  style: v.optional(v.picklist(["unified", "classic"]), "unified"),
});

export const configSchema = v.strictObject({
  preset: v.optional(v.picklist(["coding", "assistant"]), "coding"),
  enabled: v.optional(v.boolean(), true),
  critical_instruction: v.optional(v.pipe(v.string(), v.maxLength(20_000))),
  timeout_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(60_000)), 1000),
  enable_token_usage: v.optional(v.union([v.boolean(), v.literal("every_turn")]), false),
  placement: v.optional(v.picklist(["append", "after_context"]), "append"),
  role: v.optional(v.picklist(["user", "native"]), "user"),
  context_forms: v.optional(v.array(v.pipe(v.string(), v.minLength(3))), []),
  plan_dir: v.optional(v.string(), ".claude/plans"),
  task_dir: v.optional(v.string(), "~/.claude/tasks"),
  mailbox_dir: v.optional(v.string(), ".sotto/mail"),
  mailbox_file_dir: v.optional(v.string(), ".claude/mailbox"),
  todo_file: v.optional(v.string(), ".claude/todos/{session}.json"),
  session_memory_dir: v.optional(v.string(), ".claude/session-memory"),
  claim_ttl_ms: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1000)), 120_000),
  max_tokens_per_turn: v.optional(tokens, 4000),
  max_prompt_tokens: v.optional(tokens, 20_000),
  max_memory_tokens: v.optional(tokens, 10_000),
  max_context_tokens: v.optional(tokens, 25_000),
  max_file_characters: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(1_000_000)),
    40_000,
  ),
  max_file_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000)), 3000),
  max_budget_usd: v.optional(v.pipe(v.number(), v.finite(), v.minValue(0.01))),
  telemetry_sample: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.05),
  // Checked apart.
  tasks: v.optional(v.unknown(), {}),
  memory: v.optional(v.unknown(), {}),
  tags: v.optional(v.unknown(), {}),
  language_servers: v.optional(v.unknown()),
  attachments: v.optional(v.record(v.string(), v.unknown()), {}),
});

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
  const { attachments, ...rest } = check([], configSchema, config ?? {}, () => keys(configSchema));
  const memory = check(["memory"], memorySchema, rest.memory, () => keys(memorySchema));
  const tasks = check(["tasks"], tasksSchema, rest.tasks, () => keys(tasksSchema));
  const tags = check(["tags"], tagsSchema, rest.tags, () => keys(tagsSchema));
  const language_servers = languageServersIn(rest.language_servers, check);
  checkTable((config as Config | undefined)?.attachments ?? {}, ["attachments"], () => namesIn(catalogue));
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

/** The names in a change at run time, whatever their values: `null` takes back only what there is. */
export function checkConfigNames(change: unknown, catalogue: readonly Attachment[]): void {
  const table = checkTable(change, [], () => keys(configSchema));
  const parts = { memory: memorySchema, tasks: tasksSchema, tags: tagsSchema };
  for (const [name, value] of Object.entries(table)) {
    if (!Object.hasOwn(configSchema.entries, name)) throw unknownName([], name, keys(configSchema));
    const names = Object.hasOwn(parts, name) ? keys(parts[name as keyof typeof parts]) : undefined;
    if (names !== undefined && isTable(value))
      for (const key of Object.keys(value)) if (!names.includes(key)) throw unknownName([name], key, names);
  }
  const { attachments } = table;
  if (!isTable(attachments)) return;
  for (const [name, value] of Object.entries(attachments)) {
    const types = typesNamed(name, catalogue);
    if (types.length === 0) throw unknownName(["attachments"], name, namesIn(catalogue));
    if (isTable(value)) checkOptionNames(name, value, types);
  }
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
    checkOptionNames(name, table, types);
    // Checked under the name it was written with.
    for (const one of types) typeSettings(one, table, name);
    for (const { type } of types) tables.set(type, { ...tables.get(type), ...table });
  }
  return tables;
}

function checkOptionNames(name: string, table: Record<string, unknown>, types: readonly Attachment[]): void {
  for (const key of Object.keys(table))
    if (key in {} || (!SHARED_KEYS.includes(key) && !types.some((type) => hasOption(type, key))))
      throw unknownName(["attachments", name], key, [...SHARED_KEYS, ...types.flatMap(optionKeys)]);
}

/** The types that a name in config switches. */
export function typesNamed(name: string, catalogue: readonly Attachment[]): readonly Attachment[] {
  const known = switchesOf.get(catalogue) ?? switchesIn(catalogue);
  switchesOf.set(catalogue, known);
  return known.get(name) ?? catalogue.filter((one) => one.type === name);
}

const switchesOf = new WeakMap<readonly Attachment[], ReadonlyMap<string, Attachment[]>>();

/** The types by the names of what they are part of. */
function switchesIn(catalogue: readonly Attachment[]): ReadonlyMap<string, Attachment[]> {
  const found = new Map<string, Attachment[]>();
  const add = (name: string | undefined, one: Attachment) => {
    if (name === undefined) return;
    const types = found.get(name);
    if (types === undefined) found.set(name, [one]);
    else if (types.at(-1) !== one) types.push(one);
  };
  for (const one of catalogue) {
    add(one.generator, one);
    add(one.sentAs, one);
    for (const alias of one.aliases ?? []) add(alias, one);
  }
  return found;
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
  const { defaultEnabled = true } = attachment;
  if (attachment.options === undefined && Object.keys(table).length === 0)
    return { enabled: defaultEnabled, options: {} };
  const { enabled, ...limits } = check(where, sharedSchema, pick(table, SHARED_KEYS), () => SHARED_KEYS);
  const options = optionsIn(where, attachment, table);
  const settings: TypeSettings = { enabled: enabled ?? defaultEnabled, options };
  if (limits.min_turns_between !== undefined) settings.minTurnsBetween = limits.min_turns_between;
  if (limits.min_turns_after_trigger !== undefined)
    settings.minTurnsAfterTrigger = limits.min_turns_after_trigger;
  if (limits.max_per_session !== undefined) settings.maxPerSession = limits.max_per_session;
  return settings;
}

function optionsIn(
  where: readonly string[],
  attachment: Attachment,
  table: Record<string, unknown>,
): unknown {
  const { options } = attachment;
  if (options === undefined) return {};
  const own = pick(
    table,
    Object.keys(table).filter((key) => !SHARED_KEYS.includes(key) && hasOption(attachment, key)),
  );
  if (isValibot(options)) return check(where, options, own, () => []);
  const checked = checkData(options, own, placeOf(where));
  if ("problem" in checked) throw wrong(where, checked.problem);
  return checked.data;
}

function hasOption({ options }: Attachment, key: string): boolean {
  return options !== undefined && (keysOf(options)?.includes(key) ?? true);
}

export function optionKeys({ options }: Attachment): readonly string[] {
  return options === undefined ? [] : (keysOf(options) ?? []);
}

/** As far as a schema shows them: valibot's and zod's objects do; any other checks its keys itself. */
function keysOf(options: NonNullable<Attachment["options"]>): readonly string[] | undefined {
  const { entries, shape } = options as { entries?: unknown; shape?: unknown };
  const fields = entries ?? shape;
  return isTable(fields) ? Object.keys(fields) : undefined;
}

function checkTable(
  value: unknown,
  where: readonly string[],
  names: () => readonly string[],
): Record<string, unknown> {
  if (!isTable(value)) throw wrong(where, `${placeOf(where)}: expected a table`);
  // Such as `__proto__` and `constructor`, which a schema passes over.
  const odd = Object.keys(value).find((key) => key in {});
  if (odd !== undefined) throw unknownName(where, odd, names());
  return value;
}

function check<T>(
  where: readonly string[],
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  names: () => readonly string[],
): T {
  checkTable(value, where, names);
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const key = String(issue.path?.at(-1)?.key ?? "");
  if (issue.type === "strict_object" && issue.expected === "never") throw unknownName(where, key, names());
  const inside = issue.path?.map((part) => String(part.key)) ?? [];
  throw wrong([...where, ...inside], issueText(placeOf(where), issue));
}

function unknownName(where: readonly string[], name: string, names: readonly string[]): SottoError {
  const right = nearest(name, names);
  const hint = right === undefined ? "" : `; did you mean "${right}"?`;
  return wrong([...where, name], `${placeOf(where)}: "${shownName(name)}" is not known${hint}`);
}

function wrong(keys: readonly string[], words: string): SottoError {
  return new SottoError("invalid_config", words, undefined, keys);
}

function keys({ entries }: { entries: object }): string[] {
  return Object.keys(entries);
}

function placeOf(keys: readonly string[]): string {
  return ["config", ...keys].join(".");
}

function pick(table: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys.includes(key)));
}
