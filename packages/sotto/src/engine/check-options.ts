// Checks what a host passes when it creates a session, a sub-agent, a fork or a store: at once, and in words that name
// the option, what was expected, and the nearest right name. A misspelt `denyRead` must not leave a secret readable.

import * as v from "valibot";
import type { SessionOptions } from "./options.ts";
import { presets } from "../config/presets.ts";
import { table, text, flag, callable, oneOf, count, list, plain, having, shape, gotInstead } from "../platform/check-options.ts";

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
        { type: "string", generator: "string", schema: "object", trigger: "function", render: "function" },
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
