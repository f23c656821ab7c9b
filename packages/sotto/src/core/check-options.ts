// Checks what a host passes when it creates a session, a sub-agent, a fork or a store: at once, and in words that name
// the option, what was expected, and the nearest right name. A misspelt `denyRead` must not leave a secret readable.

import * as v from "valibot";
import { SottoError } from "./errors.ts";
import { nearest } from "./nearest.ts";
import type { SessionOptions } from "./options.ts";
import { presets } from "./presets.ts";

/** Throws `invalid_options` where something is wrong. `call`: the function that was called, for the message. */
export function checkOptions(call: string, schema: v.GenericSchema, given: unknown): void {
  // Of its own fields only: what it inherits is lost where options are passed on.
  const own = isTable(given) ? { ...(given as object) } : given;
  const { issues } = v.safeParse(schema, own, { abortEarly: true });
  if (issues === undefined) return;
  const [{ path = [], message }] = issues;
  const where = path
    .map(({ key }) => (typeof key === "number" ? `[${key}]` : `.${short(String(key))}`))
    .join("");
  throw new SottoError(
    "invalid_options",
    `${call}: ${where === "" ? "" : `${where.replace(/^\./u, "")}: `}${message}`,
  );
}

/** Every key is known, and undefined is as good as absent. */
function table<Entries extends v.ObjectEntries>(entries: Entries, expected: string): v.GenericSchema {
  const names = Object.keys(entries);
  return v.strictObject(entries, (issue) => {
    const key = String(issue.path?.[0]?.key ?? "");
    if (issue.expected === "Object") return gotInstead(expected, issue);
    return issue.expected === "never"
      ? `there is no such option${meant(key, names)}`
      : `missing, ${messageFor(entries[key])}`;
  });
}

const text = (expected = "a text that is not empty") =>
  shape(expected, (value) => typeof value === "string" && value !== "");
const flag = shape("true or false", (value) => typeof value === "boolean");
const callable = (expected: string) => shape(expected, (value) => typeof value === "function");
const oneOf = (names: readonly string[]) =>
  shape(names.map((name) => `"${name}"`).join(" or "), (value) => names.includes(value as string));
const count = shape("a whole number from 0 on", (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const list = (item: v.GenericSchema, expected: string) =>
  v.array(item, (issue) => gotInstead(expected, issue));
const plain = (expected: string) => shape(expected, isTable);

/** Something of the host's own making: these fields must be there, by their types; others are its own affair. */
function having(fields: Readonly<Record<string, "function" | "string" | "object">>, expected: string) {
  const wanted = Object.entries(fields);
  const kinds = { function: "the function", string: "the text", object: "the object" };
  return v.pipe(
    shape(expected, (value) => typeof value === "object" && value !== null),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const value = dataset.value as Readonly<Record<string, unknown>>;
      const missing = wanted.find(([name, type]) => typeof value[name] !== type || value[name] === null);
      if (missing === undefined) return;
      addIssue({ message: `expected ${expected}; this one lacks ${kinds[missing[1]]} "${missing[0]}"` });
    }),
  );
}

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

export const sqliteStoreOptions = table(
  {
    path: text("the path of the database file"),
    lockWaitMs: v.optional(
      shape("milliseconds, from 0 on", (value) => typeof value === "number" && value >= 0),
    ),
    sync: v.optional(oneOf(["process", "power"])),
    isOwnerAlive: v.optional(callable("a function (owner) => boolean")),
  },
  "options such as { path }",
);

function shape(expected: string, fits: (value: unknown) => boolean) {
  return v.custom<unknown>(fits, (issue) => gotInstead(expected, issue));
}

function messageFor(schema: v.ObjectEntries[string] | undefined): string {
  return schema === undefined
    ? ""
    : (v.safeParse(schema as v.GenericSchema, undefined).issues?.[0].message ?? "");
}

function gotInstead(expected: string, { received }: { received: string }): string {
  return `expected ${expected}, got ${short(received)}`;
}

function meant(wrong: string, names: readonly string[]): string {
  // Letters of another case are the most frequent slip of all.
  const right = names.find((name) => name.toLowerCase() === wrong.toLowerCase()) ?? nearest(wrong, names);
  return right === undefined ? `; there are ${names.join(", ")}` : `; did you mean "${right}"?`;
}

function short(words: string): string {
  return words.length > 100 ? `${words.slice(0, 100).toWellFormed()}…` : words;
}

function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
