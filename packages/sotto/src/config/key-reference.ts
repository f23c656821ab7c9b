// Every config key: what it is for, and what a project's own file may set without `sotto trust`.

import type { configSchema, memorySchema, sharedSchema, tasksSchema } from "./schema.ts";

/**
 * What a project's config file may set before the project is trusted. A key is allowed only if its worst value does no
 * harm; new keys are `trusted`. An untrusted project never changes what the user's own file sets.
 *
 * - `free`: any value is harmless.
 * - `text`: shown beside the user's own text, as the text of that file.
 * - `inside`: a plain path inside the project.
 * - `trusted`: only after `sotto trust`.
 * - `user`: never; a project must not widen its own reach.
 * - `table`: each of its keys has a rule of its own.
 */
export type Reach = "free" | "text" | "inside" | "trusted" | "user" | "table";

/**
 * Generators that a project may tune before it is trusted: they repeat what the agent knows anyway. Others may carry text
 * of the user, a hook or another agent, which a project must not suppress or delay.
 */
export const tunableGenerators: readonly string[] = ["todo_reminders", "token_usage"];

export interface ConfigKey {
  project: Reach;
  /** For docs/config.md and the JSON schema; the schema's doc comments repeat it for editors. */
  says: string;
  /** The default, where the schema has none. */
  usual?: string;
  /** It is text for the model, or names a path or a program: the user's own file sets it only with `trust.user`. */
  outside?: true;
}

type Keys<Schema extends { entries: object }> = Record<keyof Schema["entries"], ConfigKey>;

export const configKeys = {
  preset: {
    project: "trusted",
    says: "Defaults for a kind of agent: `coding`, or `assistant` for agents without files, instruction files and todo reminders. Every other key overrides it.",
  },
  enabled: { project: "trusted", says: "Turns all reminders on or off." },
  critical_instruction: {
    outside: true,
    project: "text",
    says: "Sent on every turn, to sub-agents too, and never cut.",
  },
  timeout_ms: { project: "trusted", says: "The deadline of a turn, in milliseconds." },
  enable_token_usage: {
    project: "free",
    says: "Turns `attachments.token_usage` on. `every_turn` also sends it on every turn, unless that type's own options say otherwise; the environment variable means `every_turn`.",
  },
  placement: {
    project: "trusted",
    says: "Where new reminders go: at the end of the request, or after the context at its front, which costs the prompt cache on every turn with a new reminder.",
  },
  role: {
    project: "trusted",
    says: "`native` puts text that the engine or its user wrote into the provider's own trusted role, where the dialect has one.",
  },
  context_forms: {
    outside: true,
    project: "trusted",
    says: "More beginnings of messages that count as context for `after_context`.",
  },
  plan_dir: {
    outside: true,
    project: "inside",
    says: "The directory of plan files. Empty: there is no default plan file.",
  },
  task_dir: {
    outside: true,
    project: "trusted",
    says: "The directory of the teams' task lists, with one directory per team.",
  },
  mailbox_dir: {
    outside: true,
    project: "trusted",
    says: "The directory of all mailboxes, each in `<team>/<agent>`. Empty: none.",
  },
  mailbox_file_dir: {
    outside: true,
    project: "trusted",
    says: "The directory where other programs keep an agent's mail in one file `<id>.json`. The id is `CLAUDE_CODE_TEAMMATE_ID`, or else the session's. Empty: none.",
  },
  session_memory_dir: {
    outside: true,
    project: "trusted",
    says: "The project's directory with notes of past sessions. Empty: none.",
  },
  todo_file: {
    outside: true,
    project: "trusted",
    says: "The file of the agent's todo list, a JSON list or a Markdown check list; `{session}` stands for the session's id. Empty: none.",
  },
  claim_ttl_ms: {
    project: "trusted",
    says: "How long an offered reminder is reserved for a process that is alive, in milliseconds.",
  },
  max_tokens_per_turn: { project: "trusted", says: "Token budget per turn for types without their own." },
  max_prompt_tokens: {
    project: "trusted",
    says: "Token budget for what a prompt mentions, and for messages that the user queued.",
  },
  max_memory_tokens: {
    project: "trusted",
    says: "Token budget for instructions about files the agent touches.",
  },
  max_context_tokens: {
    project: "trusted",
    says: "Token budget for the first turn and the one after compaction.",
  },
  max_file_characters: {
    project: "trusted",
    says: "How many characters of a file are shown: mentioned, restored, a plan, an instruction file.",
  },
  max_file_lines: { project: "trusted", says: "How many lines of a file are shown." },
  max_budget_usd: {
    project: "trusted",
    says: "What the session may spend, in US dollars; `budget_usd` reports on it.",
  },
  telemetry_sample: {
    project: "trusted",
    says: "The share of turns that is reported to telemetry, from 0 to 1.",
  },
  tasks: { project: "table", says: "How background tasks are reported." },
  memory: { project: "table", says: "Which instruction files and rules are read." },
  language_servers: {
    outside: true,
    project: "trusted",
    says: "Language servers to ask about files the agent works on: `true` for the built-in ones, or a table of servers.",
  },
  tags: {
    outside: true,
    project: "trusted",
    says: "Other names for Sotto's tags, by their usual name, for where a filter reacts to those.",
  },
  attachments: {
    project: "table",
    says: "Switches and options by type, generator or alias: `true`, `false`, or a table.",
  },
} as const satisfies Keys<typeof configSchema>;

export const tasksKeys = {
  style: {
    project: "free",
    says: "`unified`: one format for all tasks; `classic`: separate formats for shells, agents and remote sessions.",
  },
} as const satisfies Keys<typeof tasksSchema>;

export const memoryKeys = {
  file_names: {
    outside: true,
    project: "trusted",
    says: "Names of instruction files, in the order they are shown; `*.local.md` is the user's own.",
    usual: "`AGENTS.md`, `CLAUDE.md`, `.claude/CLAUDE.md`, `CLAUDE.local.md`",
  },
  rules_dirs: {
    outside: true,
    project: "trusted",
    says: "Directories of rules.",
    usual: "`.claude/rules`, `.sotto/rules`",
  },
  user_settings: {
    project: "trusted",
    says: "Whether the user's own instructions and rules are read.",
    usual: "`true`",
  },
  project_settings: {
    project: "free",
    says: "Whether the project's instructions and rules are read.",
    usual: "`true`",
  },
  local_settings: {
    project: "trusted",
    says: "Whether the user's own files in the project are read.",
    usual: "`true`",
  },
  import_depth: { project: "trusted", says: "How deep imports of imports go.", usual: "`5`" },
  managed_dir: { outside: true, project: "user", says: "The directory of system-wide rules." },
  user_dirs: {
    outside: true,
    project: "user",
    says: "Directories of the user's rules.",
    usual: "`~/.claude/rules`, `rules` in the config directory",
  },
  allow_external_imports: {
    outside: true,
    project: "user",
    says: "Whether a project's files may import files from outside the project.",
    usual: "`false`",
  },
} as const satisfies Keys<typeof memorySchema>;

/** Whether a key, such as `plan_dir` or `memory.user_dirs`, is text for the model, or names a path or a program. */
export function isOutsideKey(key: string): boolean {
  const [table, own]: [Readonly<Record<string, ConfigKey>>, string] = key.startsWith("memory.")
    ? [memoryKeys, key.slice("memory.".length)]
    : [configKeys, key];
  return Object.hasOwn(table, own) && table[own]?.outside === true;
}

/** Keys of every type's table; an untrusted project may set them only for `tunableGenerators`. */
export const sharedKeys = {
  enabled: { project: "free", says: "Turns the type on or off.", usual: "as below" },
  min_turns_between: {
    project: "free",
    says: "How many turns must pass before it is sent again.",
    usual: "as below, else 0",
  },
  min_turns_after_trigger: {
    project: "free",
    says: "How many turns must pass after what it is about, also before the first time.",
    usual: "as below, else 0",
  },
  max_per_session: {
    project: "free",
    says: "How often it may be sent in a session.",
    usual: "as below, else no limit",
  },
} as const satisfies Keys<typeof sharedSchema>;

/** Options of single types, by name; untrusted projects as for `sharedKeys`. */
export const optionKeys: Readonly<Record<string, ConfigKey>> = {
  backs_off: {
    project: "free",
    says: "Whether it is sent less and less often while the agent does not react; `false` keeps a fixed rhythm.",
  },
  every_turn: { project: "free", says: "Send it on every turn, not only when a threshold is crossed." },
  every_turns: { project: "free", says: "Send it only every so many turns." },
  full_every: { project: "free", says: "Every how many times the full text is sent; a short one otherwise." },
  max_characters: { project: "free", says: "How many characters of the selection are shown." },
  max_diff_lines: { project: "free", says: "How many lines of a change are shown." },
  max_explore_agents: { project: "free", says: "How many Explore agents the plan text mentions." },
  max_plan_agents: { project: "free", says: "How many Plan agents the plan text mentions." },
  min_severity: { project: "free", says: "Diagnostics below this severity are left out." },
  send: { project: "free", says: "Whether the new image is sent." },
  thresholds: { project: "free", says: "Percentages; crossing one is reported." },
};
