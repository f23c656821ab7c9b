import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createSession } from "../create-session.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import { withoutReminders } from "../history/strip.ts";
import { renderAttachment } from "../inspect.ts";
import { explain } from "../log/explain.ts";
import { SottoError } from "../platform/errors.ts";
import { profiles } from "../profiles/profiles.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSqliteStore } from "../stores/sqlite/on-demand.ts";
import type { SessionOptions } from "./options.ts";

const place = mkdtempSync(join(tmpdir(), "sotto-options-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
const right = { cwd: place, home: place, agent: { kind: "main" } } as const;

/** As a host without types could call it. */
function thrownBy(call: () => unknown): SottoError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    expect(error).toHaveProperty("code", "invalid_options");
    return error as SottoError;
  }
  throw new Error("nothing was thrown");
}
const create = (given: unknown) => createSession(given as SessionOptions);

describe("createSession names the option that is wrong, and what was expected", () => {
  const lacks = (name: string) => `createSession: ${name}`;
  it.each<[string, unknown, string]>([
    ["a home that is a number", { home: 5 }, "home: expected a home directory, a path, got 5"],
    ["an empty id", { id: "" }, 'id: expected a non-empty string of whole characters, got ""'],
    ["an empty cwd", { cwd: "" }, `cwd: expected the agent's working directory, a path, got ""`],
    ["no cwd", { cwd: undefined }, "cwd: expected the agent's working directory, a path, got undefined"],
    [
      "one pattern in place of a list",
      { permissions: { denyRead: "secret/**" } },
      'permissions.denyRead: expected a list of patterns such as ["secret/**"], got "secret/**"',
    ],
    [
      "a pattern that is none",
      { permissions: { denyRead: ["a", 5] } },
      "permissions.denyRead[1]: expected a non-empty string, got 5",
    ],
    [
      "another case",
      { permissions: { denyread: ["a"] } },
      'permissions.denyread: no such option; did you mean "denyRead"?',
    ],
    [
      "a misspelt option",
      { permission: { denyRead: ["a"] } },
      'permission: no such option; did you mean "permissions"?',
    ],
    ["an option nobody knows", { bogus: 1 }, "bogus: no such option; there are cwd, agent, id, home,"],
    ["trust: true", { trust: true }, "trust: expected an object such as { user: true }, got true"],
    ["an agent's name", { agent: "main" }, 'agent: expected an agent, such as { kind: "main" }, got "main"'],
    ["a kind of agent", { agent: { kind: "boss" } }, 'agent.kind: expected "main" or "sub", got "boss"'],
    ["an agent without a kind", { agent: {} }, 'agent.kind: missing, expected "main" or "sub"'],
    [
      "a tool in place of a list",
      { tools: "Read" },
      `tools: expected a list of the agent's tools, got "Read"`,
    ],
    ["a tool of no kind", { tools: [{ name: "x", kind: "y" }] }, "tools[0]: expected the name of a tool, or"],
    [
      "a store's name",
      { store: "x" },
      'store: expected a store, such as createSqliteStore({ path }), got "x"',
    ],
    ["half a store", { store: { append() {} } }, 'this one lacks the function "read"'],
    ["a store to be awaited", { store: Promise.resolve() }, 'this one lacks the function "append"'],
    [
      "a profile's name",
      { profile: "nope" },
      'profile: expected a profile, such as profiles["claude-code"], got "nope"',
    ],
    ["a preset nobody knows", { preset: "code" }, 'preset: expected "coding" or "assistant", got "code"'],
    [
      "a source that cannot look",
      { sources: [{ fact: "x" }] },
      "sources[0]: expected a source, with `fact` and",
    ],
    [
      "a bare attachment",
      { attachments: [{}] },
      "attachments[0]: expected an attachment, as defineAttachment",
    ],
    ["resources", { mentions: { resources: {} } }, "mentions.resources: expected a reader of resources"],
    [
      "trust.project: true",
      { trust: { project: true } },
      "trust.project: expected a function (path, content) => boolean, got true",
    ],
    ["a mailbox's name", { mailbox: "ada" }, "mailbox: expected a mail address, such as { team, agent }"],
    ["a config's path", { config: "sotto.toml" }, "config: expected an object with config keys"],
    ["null", { home: null }, "home: expected a home directory, a path, got null"],
  ])("%s", (_name, wrong, words) => {
    expect(thrownBy(() => create({ ...right, ...(wrong as object) })).message).toContain(words);
  });

  it.each([undefined, null, 5, "x", []])("no options at all: %j", (given) => {
    expect(thrownBy(() => create(given)).message).toMatch(/^createSession: /u);
  });

  it("a missing option is named too", () => {
    expect(thrownBy(() => create({ agent: { kind: "main" } })).message).toBe(
      lacks("cwd: missing, expected the agent's working directory, a path, got undefined"),
    );
  });

  it.each([
    ["readConfig", "configFiles.read"],
    ["defaults", "configFiles.defaults"],
    ["isTrusted", "trust.project"],
    ["instructions", "trust.user"],
    ["pastSessions", "trust.pastSessions"],
    ["neutraliseToolResults", "trust.neutraliseToolResults"],
    ["agents", "mentions.agents"],
    ["resources", "mentions.resources"],
  ])("an option that has moved names its new place: %s", (old, now) => {
    expect(thrownBy(() => create({ ...right, [old]: {} })).message).toBe(lacks(`${old}: it is ${now} now`));
  });

  it("every option refuses a value of a wrong kind, and takes undefined where it is optional", async () => {
    const all: Record<keyof SessionOptions, unknown> = {
      id: "s",
      cwd: place,
      home: place,
      agent: { kind: "sub", type: "x", definition: { tools: ["a"], criticalSystemReminder: "" } },
      preset: "coding",
      config: {},
      configFiles: { read: false, defaults: {} },
      profile: { ...profiles.codex, own: 1 },
      store: { ...createMemoryStore(), own: 1 },
      permissions: { denyRead: [], allowSecrets: undefined },
      trust: {
        project: () => false,
        user: false,
        pastSessions: false,
        neutraliseToolResults: true,
      },
      tools: ["Read", { name: "x", kind: "run", description: "own" }],
      mentions: {
        agents: ["Explore"],
        resources: { servers: () => [], read: async () => ({ contents: [] }) },
      },
      mailbox: { team: "t", agent: "a" },
      sources: [],
      attachments: [],
      idleAfterMs: 1000,
    };
    await create(all).close();
    for (const name of Object.keys(all)) {
      thrownBy(() => create({ ...all, [name]: Symbol("wrong") }));
      if (name !== "cwd") await create({ ...all, [name]: undefined }).close();
    }
  });

  it("options that are only inherited are missing", () => {
    expect(thrownBy(() => create(Object.create(right))).message).toContain("cwd: missing");
  });

  it("however long a wrong value is, the message is short", () => {
    const long = "x".repeat(10_000);
    expect(thrownBy(() => create({ ...right, tools: long })).message.length).toBeLessThan(300);
    expect(thrownBy(() => create({ ...right, [long]: 1 })).message.length).toBeLessThan(600);
  });

  it("a working directory may come later", async () => {
    await create({ ...right, cwd: join(place, "later") }).close();
  });
});

it("a misspelt option is named before the one that is missing for it", () => {
  expect(thrownBy(() => create({ cdw: place })).message).toBe(
    'createSession: cdw: no such option; did you mean "cwd"?',
  );
});

it("subagent, fork and createSqliteStore check theirs", async () => {
  const session = createSession(right);
  onTestFinished(() => session.close());
  const subagent = session.subagent as (given?: unknown) => unknown;
  const fork = session.fork as (given?: unknown) => Promise<unknown>;
  const store = createSqliteStore as (given?: unknown) => unknown;
  expect(thrownBy(() => subagent()).message).toMatch(/^subagent: expected options such as/u);
  expect(thrownBy(() => subagent({})).message).toContain("agentType: missing");
  expect(thrownBy(() => subagent({ type: "Explore" })).message).toContain(
    "type: no such option; there are agentType,",
  );
  expect(thrownBy(() => subagent({ agentType: "x", agenttype: "y" })).message).toContain('"agentType"?');
  await expect(fork({ turn: "3" })).rejects.toThrow('fork: turn: expected a whole number from 0 on, got "3"');
  await expect(fork(null)).rejects.toThrow("fork: expected options such as { turn }, got null");
  expect(thrownBy(() => store({})).message).toBe(
    "createSqliteStore: path: missing, expected the path of the database file, got undefined",
  );
  expect(thrownBy(() => store({ pth: "x" })).message).toBe(
    'createSqliteStore: pth: no such option; did you mean "path"?',
  );
  for (const address of ["postgres://me:secret@host/db", "file:///tmp/x.db"])
    expect(thrownBy(() => store({ path: address })).message).toBe(
      "createSqliteStore: path: expected the path of a file, got an address; for Postgres use createPostgresStore of sotto/postgres",
    );
  for (const wrong of [
    undefined,
    "x.db",
    { path: "" },
    { path: 5 },
    { path: "x", sync: "disk" },
    { file: "x" },
  ])
    thrownBy(() => store(wrong));
});

it("withoutReminders and explain check what they are given", async () => {
  const session = createSession(right);
  onTestFinished(() => session.close());
  const body = { messages: [] };
  const misspelt = { word: false } as object;
  const message = 'withoutReminders: word: no such option; did you mean "words"?';
  expect(thrownBy(() => withoutReminders(anthropicMessages, body, misspelt)).message).toBe(message);
  await expect(session.withoutReminders(anthropicMessages, body, misspelt)).rejects.toThrow(message);
  for (const wrong of [{}, undefined, "log"])
    expect(thrownBy(() => explain(wrong as never)).message).toContain("expected the entries of a log");
  for (const wrong of [{}, undefined, "todo"])
    expect(() => renderAttachment(wrong as never, {})).toThrow("renderAttachment: expected an attachment");
});
