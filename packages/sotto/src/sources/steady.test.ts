import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { catalogue } from "../attachments/catalogue.ts";
import { resolveSettings } from "../config/schema.ts";
import { initialFacts, type ObservedName } from "../facts/facts.ts";
import { builtInSources } from "./built-in.ts";
import type { Source, SourceSession, TurnInfo } from "./source.ts";
import { steady } from "./steady.ts";

let cwd: string;
let turn: TurnInfo & { userPrompt: string };
let servers: string[];
let sources: Source[];
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-steady-")));
  write("a.txt", "one");
  servers = [];
  turn = {
    cwd,
    session: "s",
    facts: structuredClone(initialFacts()),
    settings: resolveSettings({}, catalogue),
    userPrompt: "Please look around.",
    isTyped: true,
    servers: [],
    isOffered: () => false,
    sentKeys: () => [],
    isHanded: () => false,
    record: async () => {},
    putBlob: async () => "",
    getBlob: async () => undefined,
    work: () => Promise.reject(new Error("no worker is needed here")),
    observed: {},
  };
  sources = builtInSources({
    cwd,
    home: join(cwd, "home"),
    configDirectory: join(cwd, "home/.config/sotto"),
    agents: ["reviewer"],
    resources: { servers: () => servers, read: async () => ({ contents: [{ text: "text" }] }) },
    mailbox: { team: "t", agent: "a" },
    mailboxFile: {},
  });
  const session = { id: "s", cwd, settings: () => turn.settings, record: async () => {} };
  for (const source of sources) void source.start?.(session satisfies SourceSession);
});
afterEach(async () => {
  for (const source of sources) await source.close?.();
  rmSync(cwd, { recursive: true });
});

const write = (path: string, content: string) => {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
};
const facts = () => turn.facts as ReturnType<typeof initialFacts>;
const tracked = () => ({ [join(cwd, "a.txt")]: { path: join(cwd, "a.txt"), seq: 1 } });

/** Something that makes a difference for the fact of each source. */
const changes: { [Name in ObservedName]?: (source: Source) => unknown } = {
  planFile() {
    write("plan.md", "# Plan");
    facts().mode.planFilePath = "plan.md";
  },
  calendar: () => Object.assign(facts().start, { at: "2001-01-01T12:00:00Z" }),
  languageServers() {
    turn.settings = resolveSettings({ language_servers: { enabled: true } }, catalogue);
  },
  mail: () => write(".claude/mailbox/s.json", "[1]"),
  collab: () => write(".sotto/mail/t/.chats/general.jsonl", ""),
  mentioned: () => Object.assign(turn, { userPrompt: "See @a.txt" }),
  mentionedAgents: () => Object.assign(turn, { userPrompt: "Ask @agent-reviewer" }),
  mentionedResources() {
    servers = ["docs"];
    turn.userPrompt = "See @docs:page://one";
  },
  sessionNotes: () => Object.assign(facts().pastSessions, { wanted: true }),
  userReminders: () => write(".sotto/reminders/one.md", "Remember."),
  diagnosticsAccess: (source) =>
    source.prepare?.({
      type: "diagnostics_published",
      origin: "lsp",
      filePath: ".env",
      diagnostics: [{ message: "wrong", severity: "Error", line: 1 }],
    }),
  restoredFiles: () =>
    Object.assign(facts().files, { tracked: tracked(), toRestore: Object.keys(tracked()) }),
  ideAccess: () => Object.assign(facts().ide, { openFile: ".env" }),
  fileChanges: () =>
    Object.assign(facts().files, {
      tracked: tracked(),
      count: 1,
      revision: 1,
      recent: Object.keys(tracked()),
    }),
  projectContext: () => write("AGENTS.md", "Use tabs."),
};
// What it finds is recorded.
const CONSTANT = new Set<ObservedName>(["instructions"]);

describe("the value of each built-in source", () => {
  it("is the same object in the next turn; another if something changed, and then that one", async () => {
    for (const source of sources) {
      const { fact } = source;
      const observe = () => source.observe(turn, new AbortController().signal);
      const first = await observe();
      expect(await observe(), fact).toBe(first);
      if (CONSTANT.has(fact)) continue;
      const before = structuredClone(first);
      expect(changes, fact).toHaveProperty(fact);
      await changes[fact]?.(source);
      const second = await observe();
      expect(second, fact).not.toEqual(before);
      expect(first, `${fact}, as it was`).toEqual(before);
      expect(await observe(), fact).toBe(second);
    }
  });

  it("comes without waiting where there is nothing to wait for", async () => {
    const observe = (source: Source) => source.observe(turn, new AbortController().signal);
    const isLinux = process.platform === "linux";
    for (const source of sources) await observe(source);
    const waits = sources.filter((source) => observe(source) instanceof Promise).map(({ fact }) => fact);
    // Elsewhere a stat may block.
    const onDisk = ["mail", "collab", "userReminders", "projectContext"];
    expect(waits).toEqual(isLinux ? [] : onDisk);
  });
});

describe("a steady source", () => {
  const valuesOf = async (...values: unknown[]) => {
    const queue = [...values];
    const source = steady({ fact: "planFile", observe: () => queue.shift() as never } as Source);
    const seen: unknown[] = [];
    for (const _ of values) seen.push(await source.observe(turn, new AbortController().signal));
    return seen;
  };

  it("keeps an equal value, at once or later", async () => {
    const one = { list: [{ a: 1 }, "b"], absent: undefined };
    const again = { list: [{ a: 1 }, "b"], absent: undefined };
    expect((await valuesOf(one, again, Promise.resolve({ ...again }))).map((value) => value === one)).toEqual(
      [true, true, true],
    );
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: [1] }, { a: [1, 2] }],
    [{ a: undefined }, { b: undefined }],
    [{ a: undefined }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: null }, { a: {} }],
    [{ a: new Date(0) }, { a: new Date(0) }],
  ])("does not take %j and %j for the same", async (one, other) => {
    expect((await valuesOf(one, other))[1]).toBe(other);
  });
});
