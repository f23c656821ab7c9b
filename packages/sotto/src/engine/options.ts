// The options of a session, and their checks.

import * as v from "valibot";
import type { Attachment } from "../attachments/attachment.ts";
import type { Config } from "../config/config.ts";
import { type PresetName, presets } from "../config/layers.ts";
import type { Agent } from "../facts/agent.ts";
import type { Store } from "../log/entries.ts";
import {
  callable,
  count,
  flag,
  gotInstead,
  having,
  list,
  oneOf,
  open,
  plain,
  shape,
  table,
  text,
} from "../platform/check-options.ts";
import type { ToolDescription } from "../profiles/known-tools.ts";
import type { Profile } from "../profiles/profile.ts";
import type { IsTrusted, ReadPermissions, ResourceReader, Source } from "../sources/source.ts";
import { isTeamName, type MailAddress } from "../sources/team/mailbox-path.ts";

/** What `createSession` takes; only `cwd` is required. */
export interface SessionOptions {
  /** The agent's working directory. A relative path is resolved against the process's. */
  cwd: string;
  /** Main agent or sub-agent. Default: `{ kind: "main" }`. */
  agent?: Agent | undefined;
  /** The session's id. The same id with the same store resumes the session. Default: a new UUID. */
  id?: string | undefined;
  /** The user's home directory. Default: the system's. */
  home?: string | undefined;
  /** Where the log is kept. The caller closes it. Default: in memory. */
  store?: Store | undefined;
  /**
   * Defaults for a kind of agent: `"coding"`, or `"assistant"` for agents that do not work on files (no file changes,
   * instruction files or todo reminders). Config overrides it. Default: `"coding"`.
   */
  preset?: PresetName | undefined;
  /**
   * The coding agent that makes the requests, when it is not the host's own: Sotto reads its tool calls from the
   * history and turns off what that agent already sends itself, unless config says otherwise.
   */
  profile?: Profile | undefined;
  /** The agent's tools: reminders mention no others. Add a kind where `allows` cannot know it from the name. */
  tools?: readonly (string | ToolDescription)[] | undefined;
  /** Config with the keys of the TOML's `[system_reminder]` table. It overrides config files. */
  config?: Config | undefined;
  /** Which config applies besides `config`. */
  configFiles?: ConfigFilesOptions | undefined;
  /** What the agent may not read: neither its content nor its changes are ever shown. */
  permissions?: ReadPermissions | undefined;
  /** What may reach the model. Everything here is off by default. */
  trust?: TrustOptions | undefined;
  /** What a prompt can mention besides files. */
  mentions?: MentionOptions | undefined;
  /** The mailbox this agent reads, under the config key `mailbox_dir`. Sub-agents have none. */
  mailbox?: MailAddress | undefined;
  /** The host's own sources. One with a built-in source's `fact` replaces it. */
  sources?: readonly Source[] | undefined;
  /** The host's own attachment types, after the built-in ones. */
  attachments?: readonly Attachment[] | undefined;
  /**
   * After so many milliseconds without a call the session gives its memory back; the next call reads it again from the
   * store. Nothing else changes. Default: 300,000, five minutes. 0: never.
   */
  idleAfterMs?: number | undefined;
}

/** Config files and the environment: whether they are read, and what applies below them. */
export interface ConfigFilesOptions {
  /** Whether config files and environment variables are read. Default: true. */
  read?: boolean | undefined;
  /** The host's defaults: config files override them, whereas `config` overrides the files. */
  defaults?: Config | undefined;
}

/** What a host lets reach the model. An agent that serves other people leaves all of it off. */
export interface TrustOptions {
  /**
   * Whether a project's file may run commands or inject trusted text, given its path and content. The user's own files
   * always may. Default: the files approved with `sotto trust`.
   */
  project?: IsTrusted | undefined;
  /**
   * Whether to read the user's own files: instruction files and rules in the home directory and above the project, the
   * user's reminders, templates, skills and hooks, the texts, paths and programs in the user's config, and files outside
   * the project that the prompt in a request mentions. Default: false.
   */
  user?: boolean | undefined;
  /** Whether to show notes of the user's earlier sessions in this directory. Default: false. */
  pastSessions?: boolean | undefined;
  /**
   * Whether reserved tags in tool results are neutralised in the request a turn returns, so that no tool output can pose
   * as a reminder. The caller's own messages never change. Default: false.
   */
  neutraliseToolResults?: boolean | undefined;
}

/** What a prompt can mention besides files. */
export interface MentionOptions {
  /** The sub-agent types there are: `@agent-<type>` in a prompt asks for one. */
  agents?: readonly string[] | undefined;
  /** Reads resources of MCP servers: `@server:uri` in a prompt asks for one. */
  resources?: ResourceReader | undefined;
}

/** The host's options as the engine takes them. */
export interface EngineOptions extends SessionOptions {
  agent: Agent;
  /** The process lives for a call or two of a longer conversation: its start is recorded only in an empty log. */
  shortLived?: boolean;
  /** Made by our own program, so that config in it needs no check. */
  isOurs?: boolean;
}

// Checked at once, with an error that names the option, what was expected, and the nearest right name: a misspelt
// `denyRead` must not leave a secret readable.

const path = (expected: string) =>
  shape(expected, (value) => typeof value === "string" && value !== "" && !value.includes("\0"));
// It is part of file names and of the log.
const id = shape(
  "a non-empty string of whole characters",
  (value) => typeof value === "string" && value !== "" && value.isWellFormed(),
);
const source = having({ fact: "string", observe: "function" }, "a source, with `fact` and `observe`");
const sources = list(source, "a list of sources");
const names = list(text(), "a list of names");
const patterns = list(text(), 'a list of patterns such as ["secret/**"]');

// A host's own definition has more to it, such as a prompt.
const definition = open(
  {
    criticalSystemReminder: v.optional(shape("a text", (value) => typeof value === "string")),
    untrustedFrom: v.optional(text()),
    ofProject: v.optional(shape("true", (value) => value === true)),
    tools: v.optional(names),
  },
  "the definition of a sub-agent, such as { criticalSystemReminder }",
);

export const nameInTeam = shape(
  "a name of up to 100 letters, digits, _ . @ and -, not beginning with . @ or -",
  isTeamName,
);
export const mailAddress = table(
  { team: nameInTeam, agent: nameInTeam },
  "a mail address, such as { team, agent }",
);

const session = {
  cwd: path("the agent's working directory, a path"),
  agent: v.optional(
    table(
      { kind: oneOf(["main", "sub"]), type: v.optional(text()), definition: v.optional(definition) },
      'an agent, such as { kind: "main" }',
    ),
  ),
  id: v.optional(id),
  home: v.optional(path("a home directory, a path")),
  store: v.optional(
    having(
      {
        append: "function",
        read: "function",
        snapshot: "function",
        saveSnapshot: "function",
        putBlob: "function",
        getBlob: "function",
      },
      "a store, such as createSqliteStore({ path })",
    ),
  ),
  preset: v.optional(oneOf(Object.keys(presets))),
  profile: v.optional(
    having(
      { name: "string", title: "string", tools: "object", alreadySends: "object", names: "object" },
      'a profile, such as profiles["claude-code"]',
    ),
  ),
  tools: v.optional(
    list(
      v.union([text(), v.looseObject({ name: text(), kind: oneOf(["read", "write", "run"]) })], (issue) =>
        gotInstead('the name of a tool, or { name, kind: "read" | "write" | "run" }', issue),
      ),
      "a list of the agent's tools",
    ),
  ),
  config: v.optional(plain("an object with config keys")),
  configFiles: v.optional(
    table(
      { read: v.optional(flag), defaults: v.optional(plain("an object with config keys")) },
      "an object such as { read: false }",
    ),
  ),
  permissions: v.optional(
    table(
      {
        denyRead: v.optional(patterns),
        allowSecrets: v.optional(patterns),
        within: v.optional(list(path("a directory"), 'a list of directories such as ["/repo"]')),
      },
      "an object such as { denyRead: [] }",
    ),
  ),
  trust: v.optional(
    table(
      {
        project: v.optional(callable("a function (path, content) => boolean")),
        user: v.optional(flag),
        pastSessions: v.optional(flag),
        neutraliseToolResults: v.optional(flag),
      },
      "an object such as { user: true }",
    ),
  ),
  mentions: v.optional(
    table(
      {
        agents: v.optional(names),
        resources: v.optional(
          having(
            { servers: "function", read: "function" },
            "a reader of resources, with `servers` and `read`",
          ),
        ),
      },
      "an object such as { agents: [] }",
    ),
  ),
  mailbox: v.optional(mailAddress),
  sources: v.optional(sources),
  attachments: v.optional(
    list(
      having(
        { type: "string", generator: "string", trigger: "function", render: "function" },
        "an attachment, as defineAttachment returns it",
      ),
      "a list of attachments",
    ),
  ),
  idleAfterMs: v.optional(
    shape(
      "a number of milliseconds from 0 to 2147483647",
      (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31,
    ),
  ),
} satisfies Record<keyof SessionOptions, v.GenericSchema>;

/** The checks of some of the options, for functions that take the same ones, and of `more`. */
export function someOptions(
  names: readonly (keyof SessionOptions)[],
  more: v.ObjectEntries = {},
): v.GenericSchema {
  const some = Object.fromEntries(names.map((name) => [name, session[name]]));
  return table({ ...some, ...more }, `options such as { ${[...names, ...Object.keys(more)][0]} }`);
}

/** Where options of earlier versions are now. */
const movedOptions: Readonly<Record<string, string>> = {
  readConfig: "configFiles.read",
  defaults: "configFiles.defaults",
  isTrusted: "trust.project",
  instructions: "trust.user",
  pastSessions: "trust.pastSessions",
  neutraliseToolResults: "trust.neutraliseToolResults",
  agents: "mentions.agents",
  resources: "mentions.resources",
  joins: "createShortLivedSession of sotto/internal",
};

export const sessionOptions = table(session, "options such as { cwd }", movedOptions);

export const subagentOptions = table(
  {
    agentType: text("the type of the sub-agent"),
    definition: v.optional(definition),
    id: v.optional(id),
  },
  "options such as { agentType }",
);

export const forkOptions = table(
  { id: v.optional(id), turn: v.optional(count), sources: v.optional(sources) },
  "options such as { turn }",
);
