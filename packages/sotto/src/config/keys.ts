// Every key of config: what it is for, and what a project's own file may say of it without `sotto trust`.

import type { configSchema, memorySchema, sharedSchema, tasksSchema } from "./schema.ts";

/**
 * What a project may say before it is trusted. It is a short list: a key is on it only if the worst value does no harm.
 * Everything else is `trusted`, and so is a key that nobody has thought about. No key of an untrusted project changes
 * what the user's own file sets.
 *
 * - `free`: any value is harmless.
 * - `text`: shown beside what the user says, as the words of that file.
 * - `inside`: a plain path inside the project.
 * - `trusted`: only after `sotto trust`.
 * - `user`: never; a project must not widen its own reach.
 * - `table`: its keys are judged one by one.
 */
export type Reach = "free" | "text" | "inside" | "trusted" | "user" | "table";

/**
 * Generators that a project may tune before it is trusted: they repeat what the agent knows anyway. Any other may carry
 * what the user, a hook or another agent has to say, and a project must not silence or slow that down.
 */
export const tunableGenerators: readonly string[] = ["todo_reminders", "token_usage"];

export interface ConfigKey {
  project: Reach;
  says: string;
  /** What holds without it, where the schema does not say. */
  usual?: string;
  /**
   * It has words for the model, or names a place or a program: from the user's own file it counts only where the host has
   * opted in to what is outside the project.
   */
  outside?: true;
}

type Keys<Schema extends { entries: object }> = Record<keyof Schema["entries"], ConfigKey>;

export const configKeys = {
  preset: {
    project: "trusted",
    says: "Whom it is for: `coding` agents, or an `assistant` without files, instruction files and todo reminders. What else config says goes before it.",
  },
  enabled: { project: "trusted", says: "Everything, on or off." },
  critical_instruction: {
    outside: true,
    project: "text",
    says: "Said on every turn, to sub-agents too, and never cut.",
  },
  timeout_ms: { project: "trusted", says: "The deadline of a turn, in milliseconds." },
  enable_token_usage: {
    project: "free",
    says: "Switches `attachments.token_usage` on. `every_turn`: and says it on every turn, unless that type's own options say otherwise; the environment's switch means this.",
  },
  placement: {
    project: "trusted",
    says: "Where new reminders go: behind everything, or behind the context at the front, which costs the prompt cache on every turn that says something.",
  },
  role: {
    project: "trusted",
    says: "`native` puts what the engine or its user wrote into the provider's own trusted channel, where a dialect has one.",
  },
  context_forms: {
    outside: true,
    project: "trusted",
    says: "Further beginnings of messages that count as context for `after_context`.",
  },
  plan_dir: {
    outside: true,
    project: "inside",
    says: "Where plans are kept; empty: there is no default plan file.",
  },
  task_dir: {
    outside: true,
    project: "trusted",
    says: "Where teams keep their task lists, each in a directory of its name.",
  },
  mailbox_dir: {
    outside: true,
    project: "trusted",
    says: "Where teams keep their mail, each agent in a directory of its team and name.",
  },
  mailbox_file_dir: {
    project: "trusted",
    says: "Where other programs keep mail for an agent, in one file `<id>.json`. The id is `CLAUDE_CODE_TEAMMATE_ID`, else the session's. Empty: nowhere.",
  },
  session_memory_dir: {
    outside: true,
    project: "trusted",
    says: "Where the project keeps notes of past sessions. Empty: nowhere.",
  },
  todo_file: {
    outside: true,
    project: "trusted",
    says: "Where the agent's todo list is kept, as a JSON list or a check list in Markdown; `{session}` stands for the session's id. Empty: nowhere.",
  },
  claim_ttl_ms: {
    project: "trusted",
    says: "How long what was offered is held for a process that is alive, in milliseconds.",
  },
  max_tokens_per_turn: { project: "trusted", says: "Room for everything that has no room of its own." },
  max_prompt_tokens: {
    project: "trusted",
    says: "Room for what a prompt mentions, and for messages the user queued.",
  },
  max_memory_tokens: { project: "trusted", says: "Room for instructions about touched paths." },
  max_context_tokens: {
    project: "trusted",
    says: "Room in the first turn and in the one after compaction.",
  },
  max_file_characters: {
    project: "trusted",
    says: "How many characters of a file are shown: mentioned, restored, a plan, an instruction file.",
  },
  max_file_lines: { project: "trusted", says: "How many lines of a file are shown." },
  max_budget_usd: { project: "trusted", says: "What may be spent, in US dollars; `budget_usd` tells of it." },
  telemetry_sample: {
    project: "trusted",
    says: "Which share of the turns is told to telemetry, from 0 to 1.",
  },
  tasks: { project: "table", says: "How background tasks are told." },
  memory: { project: "table", says: "Which instruction files and rules count." },
  language_servers: {
    outside: true,
    project: "trusted",
    says: "Language servers that are asked about the files the agent works on: `true` for the usual ones, or a table of them.",
  },
  tags: {
    outside: true,
    project: "trusted",
    says: "Other names for our tags, by their usual name, where a filter reacts to those.",
  },
  attachments: {
    project: "table",
    says: "Every type, generator and alias by its name: `true`, `false`, or a table of options.",
  },
} as const satisfies Keys<typeof configSchema>;

export const tasksKeys = {
  style: {
    project: "free",
    says: "`unified`: one form for all; `classic`: a form for each of shells, agents and remote sessions.",
  },
} as const satisfies Keys<typeof tasksSchema>;

export const memoryKeys = {
  file_names: {
    project: "trusted",
    says: "Instruction files, in the order they are shown; `*.local.md` is the user's own.",
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
  import_depth: { project: "trusted", says: "How deep imports of imports reach.", usual: "`5`" },
  managed_dir: { outside: true, project: "user", says: "System-wide rules." },
  user_dirs: {
    outside: true,
    project: "user",
    says: "The user's rules.",
    usual: "`~/.claude/rules`, `rules` in the config directory",
  },
  allow_external_imports: {
    outside: true,
    project: "user",
    says: "Whether a project's files may import from outside the project.",
    usual: "`false`",
  },
} as const satisfies Keys<typeof memorySchema>;

/** In the table of any type; before trust a project has the say over `tunableGenerators` only. */
export const sharedKeys = {
  enabled: { project: "free", says: "On or off.", usual: "as below" },
  min_turns_between: {
    project: "free",
    says: "How many turns must pass before it is said again.",
    usual: "as below, else 0",
  },
  min_turns_after_trigger: {
    project: "free",
    says: "How many turns must pass after what it is about, also before the first time.",
    usual: "as below, else 0",
  },
  max_per_session: {
    project: "free",
    says: "How often it is said in a session at the most.",
    usual: "as below, else no limit",
  },
} as const satisfies Keys<typeof sharedSchema>;

/** Options that only some types have, by their name; before trust as `sharedKeys`. */
export const optionKeys: Readonly<Record<string, ConfigKey>> = {
  backs_off: {
    project: "free",
    says: "Whether it comes less and less often while nothing comes of it; `false` is a fixed rhythm.",
  },
  every_turn: { project: "free", says: "On every turn, not on crossings only." },
  every_turns: { project: "free", says: "Only every so many turns." },
  full_every: { project: "free", says: "Every how many times the full text is said; sparse otherwise." },
  max_characters: { project: "free", says: "How much of the selection is shown." },
  max_diff_lines: { project: "free", says: "How many lines of a change are shown." },
  max_explore_agents: { project: "free", says: "How many Explore agents the plan text speaks of." },
  max_plan_agents: { project: "free", says: "How many Plan agents the plan text speaks of." },
  min_severity: { project: "free", says: "Diagnostics below it are left out." },
  send: { project: "free", says: "Whether the new picture is sent." },
  thresholds: { project: "free", says: "Percentages; crossing one is told." },
};
