// Config as a host writes it, written out so that editors show a comment for every key. `schema.ts` has the schemas;
// `key-reference.test.ts` holds the two together, and the comments to `key-reference.ts`.

import type { TagNames } from "../render/tags.ts";
import type { AttachmentName } from "./attachment-names.ts";
import type { LanguageServersConfig } from "./language-servers.ts";

/** Config with the keys of the TOML's `[system_reminder]` table. */
export interface Config {
  /**
   * Defaults for a kind of agent: `coding`, or `assistant` for agents without files, instruction files and todo
   * reminders. Every other key overrides it.
   */
  preset?: "coding" | "assistant" | undefined;
  /** Turns all reminders on or off. */
  enabled?: boolean | undefined;
  /** Sent on every turn, to sub-agents too, and never cut. */
  critical_instruction?: string | undefined;
  /** The deadline of a turn, in milliseconds. */
  timeout_ms?: number | undefined;
  /**
   * Turns `attachments.token_usage` on. `every_turn` also sends it on every turn, unless that type's own options say
   * otherwise; the environment variable means `every_turn`.
   */
  enable_token_usage?: boolean | "every_turn" | undefined;
  /**
   * Where new reminders go: at the end of the request, or after the context at its front, which costs the prompt
   * cache on every turn with a new reminder.
   */
  placement?: "append" | "after_context" | undefined;
  /**
   * `native` puts text that the engine or its user wrote into the provider's own trusted role, where the dialect has
   * one.
   */
  role?: "user" | "native" | undefined;
  /** More beginnings of messages that count as context for `after_context`. */
  context_forms?: string[] | undefined;
  /** The directory of plan files. Empty: there is no default plan file. */
  plan_dir?: string | undefined;
  /** The directory of the teams' task lists, with one directory per team. */
  task_dir?: string | undefined;
  /** The directory of all mailboxes, each in `<team>/<agent>`. Empty: none. */
  mailbox_dir?: string | undefined;
  /**
   * The directory where other programs keep an agent's mail in one file `<id>.json`. The id is
   * `CLAUDE_CODE_TEAMMATE_ID`, or else the session's. Empty: none.
   */
  mailbox_file_dir?: string | undefined;
  /**
   * The file of the agent's todo list, a JSON list or a Markdown check list; `{session}` stands for the session's id.
   * Empty: none.
   */
  todo_file?: string | undefined;
  /** The project's directory with notes of past sessions. Empty: none. */
  session_memory_dir?: string | undefined;
  /** How long an offered reminder is reserved for a process that is alive, in milliseconds. */
  claim_ttl_ms?: number | undefined;
  /** Token budget per turn for types without their own. */
  max_tokens_per_turn?: number | undefined;
  /** Token budget for what a prompt mentions, and for messages that the user queued. */
  max_prompt_tokens?: number | undefined;
  /** Token budget for instructions about files the agent touches. */
  max_memory_tokens?: number | undefined;
  /** Token budget for the first turn and the one after compaction. */
  max_context_tokens?: number | undefined;
  /** How many characters of a file are shown: mentioned, restored, a plan, an instruction file. */
  max_file_characters?: number | undefined;
  /** How many lines of a file are shown. */
  max_file_lines?: number | undefined;
  /** What the session may spend, in US dollars; `budget_usd` reports on it. */
  max_budget_usd?: number | undefined;
  /** The share of turns that is reported to telemetry, from 0 to 1. */
  telemetry_sample?: number | undefined;
  /** Other names for Sotto's tags, by their usual name, for where a filter reacts to those. */
  tags?: TagNames | undefined;
  /** How background tasks are reported. */
  tasks?: TasksConfig | undefined;
  /** Which instruction files and rules are read. */
  memory?: MemoryConfig | undefined;
  /** Language servers to ask about files the agent works on: `true` for the built-in ones, or a table of servers. */
  language_servers?: LanguageServersConfig | undefined;
  /** Switches and options by type, generator or alias: `true`, `false`, or a table. */
  attachments?: AttachmentsConfig | undefined;
}

/** Which instruction files and rules are read. */
export interface MemoryConfig {
  /** Names of instruction files, in the order they are shown; `*.local.md` is the user's own. */
  file_names?: string[] | undefined;
  /** Directories of rules. */
  rules_dirs?: string[] | undefined;
  /** Whether the user's own instructions and rules are read. */
  user_settings?: boolean | undefined;
  /** Whether the project's instructions and rules are read. */
  project_settings?: boolean | undefined;
  /** Whether the user's own files in the project are read. */
  local_settings?: boolean | undefined;
  /** How deep imports of imports go. */
  import_depth?: number | undefined;
  /** The directory of system-wide rules. */
  managed_dir?: string | undefined;
  /** Directories of the user's rules. */
  user_dirs?: string[] | undefined;
  /** Whether a project's files may import files from outside the project. */
  allow_external_imports?: boolean | undefined;
}

/** How background tasks are reported. */
export interface TasksConfig {
  /** `unified`: one format for all tasks; `classic`: separate formats for shells, agents and remote sessions. */
  style?: "unified" | "classic" | undefined;
}

/** Switches and options by name; the built-in names complete in an editor, and those of the host's own types are fine. */
export type AttachmentsConfig = { [Name in AttachmentName]?: boolean | AttachmentConfig } & {
  [name: string]: boolean | AttachmentConfig;
};

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
