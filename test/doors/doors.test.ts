// Every public function refuses wrong options with an error that names the function, the option and what was expected.

import {
  anthropicMessages,
  createMemoryStore,
  createSession,
  isReminder,
  SottoError,
  withoutReminders,
} from "sotto";
import { reminders as aiSdk, remindersForStep } from "sotto/ai-sdk";
import { reminders as anthropic } from "sotto/anthropic";
import { reminders as claude } from "sotto/claude-agent-sdk";
import { reminders as google } from "sotto/google-genai";
import { createHooks, hooksFor } from "sotto/hooks";
import { createIdeSource } from "sotto/ide";
import {
  configFor,
  instructionsFor,
  languageServersFor,
  mentionsIn,
  mute,
  mutedTypes,
  projectTrust,
  remindersFor,
  skillsFor,
  unmute,
} from "sotto/inspect";
import { reminders as langchain } from "sotto/langchain";
import { reminders as mastra } from "sotto/mastra";
import { createMcpSource } from "sotto/mcp";
import { reminders as openai } from "sotto/openai";
import { reminders as openaiAgents } from "sotto/openai-agents";
import { createPostgresStore, migratePostgres, planPostgresMigration } from "sotto/postgres";
import { postToChat, readChat, sendMessage } from "sotto/team";
import { describe, expect, it } from "vitest";

type Call = (options: never) => unknown;
async function refused(call: () => unknown): Promise<SottoError> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(SottoError);
    return error as SottoError;
  }
  throw new Error("nothing was thrown");
}

const store = createMemoryStore();
const cwd = "/nowhere";
const address = { team: "t", agent: "a" };
/** Each with right values for all of its options: the required ones, then the others. */
type Door = [string, Call, object, object];
const doors: Door[] = [
  ["configFor", configFor, { cwd }, { home: "/h", trust: {} }],
  [
    "instructionsFor",
    instructionsFor,
    { cwd },
    { home: "/h", config: {}, configFiles: {}, permissions: {}, trust: {}, paths: [] },
  ],
  ["remindersFor", remindersFor, { cwd }, { home: "/h", permissions: {}, trust: {}, attachments: [] }],
  ["skillsFor", skillsFor, { cwd }, { home: "/h", permissions: {}, trust: {} }],
  ["languageServersFor", languageServersFor, { cwd }, { home: "/h", config: {}, trust: {} }],
  ["mentionsIn", mentionsIn, { cwd, prompt: "hi" }, { home: "/h", permissions: {}, servers: [], agents: [] }],
  ["projectTrust", projectTrust, { cwd }, { home: "/h" }],
  ["hooksFor", hooksFor, { cwd }, { home: "/h", trust: {} }],
  [
    "createHooks",
    createHooks,
    { cwd, session: { id: "s", record() {} }, hooks: {} },
    { env: {}, common: () => ({}), onProblem: () => {} },
  ],
  [
    "createMcpSource",
    createMcpSource,
    { servers: {} },
    { environment: {}, connectMs: 5, clock: {}, fetch: () => {} },
  ],
  [
    "createIdeSource",
    createIdeSource,
    {},
    { permissions: {}, home: "/h", directory: "/d", environment: {}, clock: {} },
  ],
  [
    "sendMessage",
    sendMessage,
    { cwd, to: address, from: "me", text: "hi" },
    { mailbox: "/m", home: "/h", id: "1" },
  ],
  [
    "postToChat",
    postToChat,
    { cwd, team: "t", chat: "c", from: "me", text: "hi" },
    { mailbox: "/m", home: "/h" },
  ],
  ["readChat", readChat, { cwd, team: "t", chat: "c", agent: "a" }, { mailbox: "/m", home: "/h" }],
  ...[createPostgresStore, migratePostgres, planPostgresMigration].map(
    (call): Door => [
      call.name,
      call,
      { connectionString: "postgres://nowhere/none" },
      { schema: "s", connections: 1, waitMs: 1 },
    ],
  ),
  ["mute", mute, { store, session: "s", name: "todo_reminder" }, {}],
  ["unmute", unmute, { store, session: "s", name: "todo_reminder" }, {}],
  ["mutedTypes", mutedTypes, { store, session: "s" }, {}],
];

describe.each(doors)("%s", (name, call, required, others) => {
  it.each([null, 5, "x", [], new Map()])("refuses %j in place of its options", async (given) => {
    const { code, message } = await refused(() => call(given as never));
    expect({ code, message }).toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining(`${name}: `),
    });
  });

  it("refuses an option there is none of, with the nearest name", async () => {
    const [known = ""] = Object.keys({ ...required, ...others });
    const { message } = await refused(() => call({ ...required, [`${known}x`]: 1 } as never));
    expect(message).toContain(`${name}: ${known}x: no such option; did you mean "`);
  });

  it.each(Object.keys(required))("refuses to do without %s", async (option) => {
    const { code, message } = await refused(() => call({ ...required, [option]: undefined } as never));
    expect({ code, message }).toMatchObject({
      code: "invalid_options",
      message: expect.stringContaining(`${name}: ${option}: `),
    });
  });

  it.each(Object.keys({ ...required, ...others }))("refuses a wrong %s", async (option) => {
    for (const wrong of [null, Symbol("s"), 1.5]) {
      const { code, message } = await refused(() =>
        call({ ...required, ...others, [option]: wrong } as never),
      );
      expect({ code, message }).toMatchObject({
        code: "invalid_options",
        message: expect.stringContaining(`${name}: ${option}: `),
      });
    }
  });
});

describe("reminders of every integration", () => {
  const all: Record<string, (session: never) => unknown> = {
    aiSdk,
    remindersForStep,
    anthropic,
    claude,
    google,
    langchain,
    mastra,
    openai,
    openaiAgents,
  };
  it.each(Object.entries(all))("%s refuses what is no session", async (_, make) => {
    for (const wrong of [undefined, null, 5, "x", {}, []]) {
      const { code, message } = await refused(() => make(wrong as never));
      expect(code).toBe("invalid_options");
      expect(message).toMatch(/^reminders: expected a session/u);
    }
    expect(() => make((() => undefined) as never)).not.toThrow();
  });
});

describe("methods of a session, and the functions beside them", () => {
  const session = createSession({ cwd, configFiles: { read: false } });
  const nothing = undefined as never;
  it.each<[string, () => unknown, string]>([
    ["allows(undefined)", () => session.allows(nothing, {}), "allows: expected the name of a tool"],
    ["hasSeen(undefined)", async () => (await session.state()).hasSeen(nothing), "hasSeen: expected a path"],
    ["beforeWrite(undefined)", () => session.beforeWrite(nothing), "beforeWrite: expected a path"],
    [
      "session.withoutReminders(A, null)",
      () => session.withoutReminders(anthropicMessages, null as never),
      "the request is not of the dialect anthropic-messages: ",
    ],
    [
      "session.isReminder(undefined)",
      () => session.isReminder(nothing, {}),
      "isReminder: dialect: expected a dialect",
    ],
    [
      "withoutReminders(A, null)",
      () => withoutReminders(anthropicMessages, null as never),
      "the request is not of the dialect anthropic-messages: ",
    ],
    [
      "withoutReminders(undefined)",
      () => withoutReminders(nothing, {}),
      "withoutReminders: dialect: expected a dialect",
    ],
    ["isReminder(undefined)", () => isReminder(nothing, {}), "isReminder: dialect: expected a dialect"],
  ])("%s", async (_, call, words) => {
    const { code, message } = await refused(call);
    expect(code).toBe("invalid_request");
    expect(message).toContain(words);
  });
});

describe("createSession", () => {
  const create = (options: object) =>
    createSession({ cwd, configFiles: { read: false }, ...options } as never);
  it.each<[string, object, string, string]>([
    [
      "a team that leads elsewhere",
      { mailbox: { team: "../..", agent: "a" } },
      "invalid_options",
      "mailbox.team: expected a name",
    ],
    ["a cwd with NUL", { cwd: "/a\0b" }, "invalid_options", "cwd: expected the agent's working directory"],
    ["a home with NUL", { home: "/a\0b" }, "invalid_options", "home: expected a home directory"],
    [
      "an id with half a character",
      { id: "a\ud800" },
      "invalid_options",
      "id: expected a non-empty string of whole characters",
    ],
    [
      "a misspelt field of a definition",
      { agent: { kind: "sub", definition: { criticalSystemReminders: "x" } } },
      "invalid_options",
      'agent.definition: criticalSystemReminders: no such field; did you mean "criticalSystemReminder"?',
    ],
    [
      "a config that is a map",
      { config: new Map() },
      "invalid_options",
      "config: expected an object with config keys",
    ],
    [
      "a config that is a date",
      { config: new Date() },
      "invalid_options",
      "config: expected an object with config keys",
    ],
    [
      "defaults with a wrong key",
      { configFiles: { defaults: { timeout: 5 } } },
      "invalid_config",
      'configFiles.defaults: config: "timeout" is not known',
    ],
    [
      "a config with a wrong key",
      { config: { timeout: 5 } },
      "invalid_config",
      'config: "timeout" is not known',
    ],
  ])("refuses %s", async (_, options, code, words) => {
    const error = await refused(() => create(options));
    expect(error.message).toContain(words);
    expect(error.code).toBe(code);
  });

  it("a definition may have fields of its own", () => {
    expect(() =>
      create({
        agent: {
          kind: "sub",
          definition: { name: "x", model: "m", prompt: "p", color: "red", description: "d" },
        },
      }),
    ).not.toThrow();
  });

  it("sub-agents and forks have ids of whole characters, too", async () => {
    const session = create({});
    expect((await refused(() => session.subagent({ agentType: "x", id: "\udc00" }))).code).toBe(
      "invalid_options",
    );
    expect((await refused(() => session.fork({ id: "\udc00" }))).code).toBe("invalid_options");
    await session.close();
  });
});

describe("config", () => {
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const places: [string, (key: string) => unknown][] = [
    ["config", (key) => JSON.parse(`{"${key}": 1}`)],
    ["config.attachments", (key) => ({ attachments: JSON.parse(`{"${key}": true}`) })],
    [
      "config.attachments.todo_reminder",
      (key) => ({ attachments: { todo_reminder: JSON.parse(`{"${key}": 1}`) } }),
    ],
    ["config.memory", (key) => ({ memory: JSON.parse(`{"${key}": 1}`) })],
    ["config.tasks", (key) => ({ tasks: JSON.parse(`{"${key}": 1}`) })],
    ["config.language_servers", (key) => ({ language_servers: JSON.parse(`{"${key}": 1}`) })],
  ];
  it.each(places.flatMap(([where, at]) => odd.map((key) => [where, key, at(key)] as const)))(
    "%s refuses %s, also as a change at run time",
    async (where, key, config) => {
      const created = await refused(() => createSession({ cwd, config: config as never }));
      expect(created.code).toBe("invalid_config");
      expect(created.message).toContain(`${where}: "${key}" is not known`);
      const session = createSession({ cwd, configFiles: { read: false } });
      const changed = await refused(() =>
        session.record({ type: "config_changed", config: config as never }),
      );
      expect(changed.code).toBe("invalid_event");
      await session.close();
    },
  );

  it.each<[string, unknown, string]>([
    ["a list", [], "config_changed.config: expected a table"],
    ["a date", new Date(), "config_changed.config: expected a table"],
    ["a map", new Map(), "config_changed.config: expected a table"],
    ["a name nobody knows, taken back", { nope: null }, 'config: "nope" is not known'],
    [
      "a type nobody knows, taken back",
      { attachments: { nope: null } },
      'config.attachments: "nope" is not known',
    ],
    [
      "an option nobody knows, taken back",
      { attachments: { todo_reminder: { nope: null } } },
      'config.attachments.todo_reminder: "nope" is not known',
    ],
    [
      "a key of a table nobody knows, taken back",
      { memory: { nope: null } },
      'config.memory: "nope" is not known',
    ],
  ])("config_changed refuses %s", async (_, config, words) => {
    const session = createSession({ cwd, configFiles: { read: false } });
    const { code, message } = await refused(() =>
      session.record({ type: "config_changed", config } as never),
    );
    expect(code).toBe("invalid_event");
    expect(message).toContain(words);
    await session.record({
      type: "config_changed",
      config: { timeout_ms: null, attachments: { todo_reminder: { enabled: null } } },
    });
    await session.close();
  });
});
