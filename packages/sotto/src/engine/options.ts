// What a host says when it creates a session.

import * as v from "valibot";
import type { Attachment } from "../attachments/attachment.ts";
import { type PresetName, presets } from "../config/layers.ts";
import type { Config } from "../config/schema.ts";
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
  plain,
  shape,
  table,
  text,
} from "../platform/check-options.ts";
import type { ToolDescription } from "../profiles/known-tools.ts";
import type { Profile } from "../profiles/profile.ts";
import type { IsTrusted, ReadPermissions, ResourceReader, Source } from "../sources/source.ts";
import type { MailAddress } from "../sources/team/mailbox-path.ts";
import type { OutsideProjectOptions } from "../sources/trust/outside-project.ts";

export interface SessionOptions extends OutsideProjectOptions {
  id?: string;
  cwd: string;
  /** The user's home directory; the system's unless given. */
  home?: string;
  agent: Agent;
  /**
   * Whom it is for: `coding` unless given; `assistant` for agents that do not work on files (no files, no instruction
   * files, no todo reminders). Whatever config says goes before it.
   */
  preset?: PresetName;
  config?: Config;
  /** What the host would have unless the user's or the project's files say otherwise: below those, where `config` is above. */
  defaults?: Config;
  /** Whether config files and the environment count beside `config`; they do unless told otherwise. */
  readConfig?: boolean;
  /**
   * Whose requests these are, where the agent is somebody else's: the tool calls in them are looked at, and what the
   * agent tells its model itself is off unless config says otherwise.
   */
  profile?: Profile;
  /**
   * This process takes part in a conversation that goes on elsewhere, for a call or two: that it begins is recorded
   * only where the log is empty.
   */
  joins?: boolean;
  /** In memory unless given. Whoever opened it closes it. */
  store?: Store;
  /** What the agent may not read; neither content nor changes of it are ever shown. */
  permissions?: ReadPermissions;
  /**
   * Whether what tools gave is neutralised in the requests that turns hand back, as everything inside reminders is: no
   * output can be read as a reminder then. Off unless told; the host's own messages are never changed.
   */
  neutraliseToolResults?: boolean;
  /** The tools the agent has: reminders name no other. With a kind where the gate cannot know it. */
  tools?: readonly (string | ToolDescription)[];
  /** Types of the sub-agents there are: `@agent-<type>` in a prompt asks for one. */
  agents?: readonly string[];
  /** Reads resources of MCP servers: `@server:uri` in a prompt asks for one. */
  resources?: ResourceReader;
  /**
   * Whether the user has allowed what a file of the project says with authority, as it stands, or would run. Without it
   * what the user has allowed with `sotto trust`; the user's own files always are.
   */
  isTrusted?: IsTrusted;
  /** Whose mail it reads, from `mailbox_dir`; sub-agents read none. */
  mailbox?: MailAddress;
  /** Sources of the host's own, besides the built-in ones. */
  sources?: readonly Source[];
  /** Attachments of the host's own, behind those of the catalogue. */
  attachments?: readonly Attachment[];
}

// Checks what a host passes when it creates a session, a sub-agent, a fork or a store: at once, and in words that name
// the option, what was expected, and the nearest right name. A misspelt `denyRead` must not leave a secret readable.

const source = having({ fact: "string", observe: "function" }, "a source, with `fact` and `observe`");
const sources = list(source, "a list of sources");
const names = list(text(), "a list of names");
const patterns = list(text(), 'a list of patterns such as ["secret/**"]');

// A host's own definition has more to it, such as a prompt.
const definition = v.looseObject(
  {
    criticalSystemReminder: v.optional(shape("a text", (value) => typeof value === "string")),
    untrustedFrom: v.optional(text()),
    ofProject: v.optional(shape("true", (value) => value === true)),
    tools: v.optional(names),
  },
  (issue) => gotInstead("the definition of a sub-agent, such as { criticalSystemReminder }", issue),
);

const session = {
  id: v.optional(text()),
  cwd: text("the agent's working directory, a path"),
  home: v.optional(text("a home directory, a path")),
  agent: table(
    { kind: oneOf(["main", "sub"]), type: v.optional(text()), definition: v.optional(definition) },
    'an agent, such as { kind: "main" }',
  ),
  preset: v.optional(oneOf(Object.keys(presets))),
  config: v.optional(plain("an object with config keys")),
  defaults: v.optional(plain("an object with config keys")),
  readConfig: v.optional(flag),
  profile: v.optional(
    having(
      { name: "string", title: "string", tools: "object", does: "object", names: "object" },
      'a profile, such as profiles["claude-code"]',
    ),
  ),
  joins: v.optional(flag),
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
  permissions: v.optional(
    table(
      { denyRead: v.optional(patterns), allowSecrets: v.optional(patterns) },
      "an object such as { denyRead: [] }",
    ),
  ),
  neutraliseToolResults: v.optional(flag),
  tools: v.optional(
    list(
      v.union([text(), v.looseObject({ name: text(), kind: oneOf(["read", "write", "run"]) })], (issue) =>
        gotInstead('the name of a tool, or { name, kind: "read" | "write" | "run" }', issue),
      ),
      "a list of the agent's tools",
    ),
  ),
  agents: v.optional(names),
  resources: v.optional(
    having({ servers: "function", read: "function" }, "a reader of resources, with `servers` and `read`"),
  ),
  isTrusted: v.optional(callable("a function (path, content) => boolean")),
  mailbox: v.optional(table({ team: text(), agent: text() }, "an address of mail, such as { team, agent }")),
  sources: v.optional(sources),
  attachments: v.optional(
    list(
      having(
        { type: "string", generator: "string", trigger: "function", render: "function" },
        "an attachment, as defineAttachment gives it",
      ),
      "a list of attachments",
    ),
  ),
  instructions: v.optional(table({ user: v.optional(flag) }, "an object such as { user: true }")),
  pastSessions: v.optional(flag),
} satisfies Record<keyof SessionOptions, v.GenericSchema>;

export const sessionOptions = table(session, 'options such as { cwd, agent: { kind: "main" } }');

export const subagentOptions = table(
  {
    agentType: text("the type of the sub-agent"),
    definition: v.optional(definition),
    id: v.optional(text()),
  },
  "options such as { agentType }",
);

export const forkOptions = table(
  { id: v.optional(text()), turn: v.optional(count), sources: v.optional(sources) },
  "options such as { turn }",
);
