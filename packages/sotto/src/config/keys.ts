// Every config key: its documentation, and what a project's file may set before `sotto trust`.

import type { configSchema, memorySchema, sharedSchema, tasksSchema } from "./schema.ts";

/**
 * What a project may set before it is trusted. The list is short: a key is on it only if its worst value does no harm.
 * Everything else is `trusted`, including keys that nobody has thought about. An untrusted project never changes what the
 * user's own file sets.
 *
 * - `free`: any value is harmless.
 * - `text`: shown next to the user's text, quoted under the file's name.
 * - `inside`: a plain path inside the project.
 * - `trusted`: only after `sotto trust`.
 * - `user`: never; a project must not widen its own reach.
 * - `table`: judged key by key.
 */
export type Reach = "free" | "text" | "inside" | "trusted" | "user" | "table";

/**
 * Generators that a project may configure before it is trusted: they repeat what the agent knows anyway. Any other may
 * carry a message of the user, a hook or another agent, which a project must not silence or delay.
 */
export const tunableGenerators: readonly string[] = ["todo_reminders", "token_usage"];

export interface ConfigKey {
  project: Reach;
  says: string;
  /** The default, if the schema does not have it. */
  usual?: string;
  /**
   * It has text for the model, or names a path or a program: in the user's own file it counts only if the host has opted in
   * to what is outside the project.
   */
  outside?: true;
}

type Keys<Schema extends { entries: object }> = Record<keyof Schema["entries"], ConfigKey>;

export const configKeys = {
  preset: {
    project: "trusted",
    says: "The kind of agent: `coding`, or `assistant` without files, instruction files and todo reminders. All other config overrides it.",
  },
  enabled: { project: "trusted", says: "The master switch." },
  critical_instruction: {
    outside: true,
    project: "text",
    says: "Sent in every turn, also to sub-agents, and never cut.",
  },
  timeout_ms: { project: "trusted", says: "Deadline of a turn, in milliseconds." },
  enable_token_usage: {
    project: "free",
    says: "Turns `attachments.token_usage` on. `every_turn`: sends it in every turn, unless that type's own options say otherwise; this is what the environment variable means.",
  },
  placement: {
    project: "trusted",
    says: "Where new reminders go: at the end, or after the context at the start, which invalidates the prompt cache in every turn with a reminder.",
  },
  role: {
    project: "trusted",
    says: "`native` sends text written by the engine or its user in the provider's trusted role, if the dialect has one.",
  },
  context_forms: {
    outside: true,
    project: "trusted",
    says: "More prefixes of messages that count as context for `after_context`.",
  },
  plan_dir: {
    outside: true,
    project: "inside",
    says: "Directory of plan files. Empty: no default plan file.",
  },
  task_dir: {
    outside: true,
    project: "trusted",
    says: "Directory of teams' task lists, one subdirectory per team.",
  },
  mailbox_dir: {
    outside: true,
    project: "trusted",
    says: "Directory of mail between agents: `<team>/<agent>`.",
  },
  mailbox_file_dir: {
    project: "trusted",
    says: "Directory where other programs keep an agent's mail in one file `<id>.json`. The id is `CLAUDE_CODE_TEAMMATE_ID`, or the session's id. Empty: none.",
  },
  session_memory_dir: {
    outside: true,
    project: "trusted",
    says: "Directory in the project with notes of past sessions. Empty: none.",
  },
  todo_file: {
    outside: true,
    project: "trusted",
    says: "The file of the agent's todo list, JSON or a Markdown checklist; `{session}` is replaced by the session's id. Empty: none.",
  },
  claim_ttl_ms: {
    project: "trusted",
    says: "How long a running process may hold an offered reminder, in milliseconds.",
  },
  max_tokens_per_turn: { project: "trusted", says: "Token budget for types without their own." },
  max_prompt_tokens: {
    project: "trusted",
    says: "Token budget for what a prompt mentions, and for messages the user queued.",
  },
  max_memory_tokens: { project: "trusted", says: "Token budget for instructions for touched paths." },
  max_context_tokens: {
    project: "trusted",
    says: "Token budget of the first turn and of the one after compaction.",
  },
  max_file_characters: {
    project: "trusted",
    says: "Maximum characters shown of a file: mentioned, restored, a plan, an instruction file.",
  },
  max_file_lines: { project: "trusted", says: "Maximum lines shown of a file." },
  max_budget_usd: {
    project: "trusted",
    says: "Spending limit in US dollars; `budget_usd` reports against it.",
  },
  telemetry_sample: {
    project: "trusted",
    says: "Share of turns reported to telemetry, from 0 to 1.",
  },
  tasks: { project: "table", says: "How background tasks are reported." },
  memory: { project: "table", says: "Which instruction files and rules count." },
  language_servers: {
    outside: true,
    project: "trusted",
    says: "Language servers for the files the agent works on: `true` for the built-in ones, or a table.",
  },
  tags: {
    outside: true,
    project: "trusted",
    says: "Other names for our tags, by their usual name, if a filter reacts to those.",
  },
  attachments: {
    project: "table",
    says: "Types, generators and aliases by name: `true`, `false`, or a table of options.",
  },
} as const satisfies Keys<typeof configSchema>;

export const tasksKeys = {
  style: {
    project: "free",
    says: "`unified`: one format for all; `classic`: one format each for shells, agents and remote sessions.",
  },
} as const satisfies Keys<typeof tasksSchema>;

export const memoryKeys = {
  file_names: {
    project: "trusted",
    says: "Names of instruction files, in the order they are sent; `*.local.md` is the user's own.",
    usual: "`AGENTS.md`, `CLAUDE.md`, `.claude/CLAUDE.md`, `CLAUDE.local.md`",
  },
  rules_dirs: { project: "trusted", says: "Directories of rules.", usual: "`.claude/rules`, `.sotto/rules`" },
  user_settings: {
    project: "trusted",
    says: "Whether the user's own instructions and rules count.",
    usual: "`true`",
  },
  project_settings: {
    project: "free",
    says: "Whether the project's instructions and rules count.",
    usual: "`true`",
  },
  local_settings: {
    project: "trusted",
    says: "Whether the user's own files in the project count.",
    usual: "`true`",
  },
  import_depth: { project: "trusted", says: "Maximum depth of nested imports.", usual: "`5`" },
  managed_dir: { outside: true, project: "user", says: "Directory of system-wide rules." },
  user_dirs: {
    outside: true,
    project: "user",
    says: "Directories of the user's rules.",
    usual: "`~/.claude/rules`, `rules` in the config directory",
  },
  allow_external_imports: {
    outside: true,
    project: "user",
    says: "Whether a project's files may import from outside the project.",
    usual: "`false`",
  },
} as const satisfies Keys<typeof memorySchema>;

/** Keys of every type's table. Before trust, a project may set them for `tunableGenerators` only. */
export const sharedKeys = {
  enabled: { project: "free", says: "On or off.", usual: "see below" },
  min_turns_between: {
    project: "free",
    says: "Minimum number of turns before it is sent again.",
    usual: "see below, or 0",
  },
  min_turns_after_trigger: {
    project: "free",
    says: "Minimum number of turns after what it is about, also before the first time.",
    usual: "see below, or 0",
  },
  max_per_session: {
    project: "free",
    says: "Maximum number of times it is sent in a session.",
    usual: "see below, or no limit",
  },
} as const satisfies Keys<typeof sharedSchema>;

/** Options that only some types have, by name. Before trust, as for `sharedKeys`. */
export const optionKeys: Readonly<Record<string, ConfigKey>> = {
  backs_off: {
    project: "free",
    says: "Whether it is sent less and less often while it is ignored; `false`: at fixed intervals.",
  },
  every_turn: { project: "free", says: "Every turn, not only when a threshold is crossed." },
  every_turns: { project: "free", says: "Minimum number of turns between two." },
  full_every: { project: "free", says: "Sends the full text every n-th time, otherwise the short one." },
  max_characters: { project: "free", says: "Maximum characters shown of the selection." },
  max_diff_lines: { project: "free", says: "Maximum lines shown of a change." },
  max_explore_agents: { project: "free", says: "Number of Explore agents the plan text mentions." },
  max_plan_agents: { project: "free", says: "Number of Plan agents the plan text mentions." },
  min_severity: { project: "free", says: "Less severe diagnostics are left out." },
  send: { project: "free", says: "Whether the new image is sent." },
  thresholds: { project: "free", says: "Percentages; sent when one is crossed." },
};
