// The mailbox that is one file: other agents write it, each message is recorded once, and only then marked as read.

import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import fc from "fast-check";
import {
  createMemoryStore,
  createSession,
  createSqliteStore,
  type Session,
  type SessionOptions,
} from "sotto";
import { sendMessage } from "sotto/team";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runs } from "../support/runs.ts";
import { answered, outcomeOf } from "../support/telling.ts";

interface Message {
  id?: string | number;
  from: string;
  text: string;
  timestamp: string;
  read?: boolean;
}

let cwd: string;
let file: string;
let store: ReturnType<typeof createMemoryStore>;
const open: Session[] = [];

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-mailbox-file-")));
  mkdirSync(join(cwd, ".claude/mailbox"), { recursive: true });
  file = join(cwd, ".claude/mailbox/s.json");
  store = createMemoryStore();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const session of open.splice(0)) await session.close();
  rmSync(cwd, { recursive: true, force: true });
});

function openSession(options: Partial<SessionOptions> = {}): Session {
  const config = { timeout_ms: 30_000, ...options.config };
  const session = createSession({
    id: "s",
    cwd,
    home: cwd,
    agent: { kind: "main" },
    store,
    ...options,
    config,
  });
  open.push(session);
  return session;
}

const message = (text: string, more: Partial<Message> = {}): Message => ({
  from: "ada",
  text,
  timestamp: "2026-11-15T10:00:00.000Z",
  read: false,
  ...more,
});
const put = (messages: unknown, path = file) => writeFileSync(path, JSON.stringify(messages, undefined, 2));
const inFile = (path = file): Message[] => JSON.parse(readFileSync(path, "utf8"));
const unread = () => inFile().filter(({ read }) => read !== true).length;

async function heard(session: Session): Promise<string[]> {
  const { attachments } = await answered(session);
  return attachments
    .filter(({ type }) => type === "teammate_mailbox")
    .flatMap(({ data }) => (data as { messages: Message[] }).messages.map(({ text }) => text));
}

describe("messages in the file", () => {
  it("AC-44 arrive with the next turn, in order, once, and are marked as read", async () => {
    const session = openSession();
    expect(await heard(session)).toEqual([]);
    put([message("one", { id: "a" }), message("two", { read: true }), message("three")]);
    expect(await heard(session)).toEqual(["one", "three"]);
    expect(inFile()).toEqual([
      message("one", { id: "a", read: true }),
      message("two", { read: true }),
      message("three", { read: true }),
    ]);
    put([...inFile(), message("four")]);
    expect(await heard(session)).toEqual(["four"]);
    expect(await heard(session)).toEqual([]);
    expect(readdirSync(join(cwd, ".claude/mailbox"))).toEqual(["s.json"]);
  });

  it("come beside letters of our own", async () => {
    const to = { team: "parsers", agent: "grace" };
    await sendMessage({ cwd, to, from: "ada", text: "a letter" });
    put([message("in the file")]);
    expect(await heard(openSession({ mailbox: to }))).toEqual(
      expect.arrayContaining(["a letter", "in the file"]),
    );
  });

  it("are those of CLAUDE_CODE_TEAMMATE_ID where the environment has it", async () => {
    vi.stubEnv("CLAUDE_CODE_TEAMMATE_ID", "grace@parsers");
    put([message("for the session")]);
    put([message("for grace")], join(cwd, ".claude/mailbox/grace@parsers.json"));
    expect(await heard(openSession())).toEqual(["for grace"]);
    expect(unread()).toBe(1);
    // A server that reads no config reads no environment either.
    expect(await heard(openSession({ id: "s", configFiles: { read: false } }))).toEqual(["for the session"]);
  });

  it("a teammate id that is no file name is named in the trace", async () => {
    vi.stubEnv("CLAUDE_CODE_TEAMMATE_ID", "../../secrets");
    expect(outcomeOf(await answered(openSession()), "teammate_mailbox")).toContain(
      "CLAUDE_CODE_TEAMMATE_ID cannot be used",
    );
  });

  it("keep whatever else stands in the file", async () => {
    const entry = { ...message("one"), color: "blue", nested: { a: [1, null] } };
    writeFileSync(file, `[\n\t${JSON.stringify(entry)}\n]\n`);
    await heard(openSession());
    expect(inFile()).toEqual([{ ...entry, read: true }]);
    expect(readFileSync(file, "utf8")).toMatch(/^\[\n\t\{\n\t\t"from"/u);
  });

  it("are one where they have the same id of the same sender, or the same content without an id", async () => {
    put([
      message("one", { id: 1 }),
      message("one", { id: 1 }),
      message("other", { id: 1, from: "bob" }),
      message("same"),
      message("same"),
      message("same", { timestamp: "2026-11-15T10:00:01Z" }),
    ]);
    expect(await heard(openSession())).toEqual(["one", "other", "same", "same"]);
    expect(unread()).toBe(0);
  });

  it("with an id that another text has, read or not, stay unread, and the trace says so", async () => {
    const clash = /1 set aside, the latest: .*s\.json\[1\]: another message of its sender has the same id/u;
    put([message("a", { id: "m1" }), message("b", { id: "m1" })]);
    const session = openSession();
    const turn = await answered(session);
    expect(turn.reminders.map(({ text }) => text)).toEqual([expect.stringContaining("\na\n")]);
    expect(outcomeOf(turn, "teammate_mailbox")).toMatch(clash);
    expect(inFile()).toEqual([
      message("a", { id: "m1", read: true }),
      message("b", { id: "m1", read: false }),
    ]);
    expect(outcomeOf(await answered(session), "teammate_mailbox")).toMatch(clash);
    put([message("a", { id: "m1", read: true }), message("b", { id: "m2" })]);
    expect(await heard(session)).toEqual(["b"]);
  });

  it("with an id that another text had which was taken out of the file, too", async () => {
    put([message("a", { id: 1 }), message("c".repeat(300_000), { id: 2 })]);
    const session = openSession();
    await answered(session);
    put([message("a", { id: 1 }), message("b", { id: 1 }), message("c".repeat(300_000), { id: 2 })]);
    const more = await answered(session);
    expect(more.reminders.map(({ type }) => type)).toEqual([]);
    put([message("b", { id: 1 })]);
    expect(outcomeOf(await answered(session), "teammate_mailbox")).toMatch(
      /1 set aside, the latest: .*s\.json\[0\]: another message of its sender has the same id/u,
    );
    expect(unread()).toBe(1);
  });

  it("AC-16 are not looked for where the type is off or there is no place, nor by sub-agents", async () => {
    put([message("one")]);
    await answered(openSession({ config: { attachments: { teammate_mailbox: false } } }));
    await answered(openSession({ id: "s", config: { mailbox_file_dir: "" } }));
    const sub = openSession({ config: { mailbox_file_dir: "" } }).subagent({ agentType: "Explore" });
    open.push(sub);
    expect(await heard(sub)).toEqual([]);
    expect(unread()).toBe(1);
  });

  it("come in parts where there are many, all of them, in order", async () => {
    const texts = Array.from({ length: 700 }, (_, index) => `message ${index}`);
    put(texts.map((text, index) => message(text, { id: index })));
    const session = openSession();
    const said: string[] = [];
    for (let turn = 0; turn < 40 && said.length < texts.length; turn++) said.push(...(await heard(session)));
    expect(said).toEqual(texts);
    expect(unread()).toBe(0);
  });

  it("whoever adds and marks, in any order, each message is heard once", async () => {
    const step = fc.oneof(
      fc.constantFrom("turn", "restart", "unmark"),
      fc.record({
        id: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        text: fc.constantFrom("a", "b", "c"),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        rmSync(file, { force: true });
        store = createMemoryStore();
        let session = openSession();
        const said: string[] = [];
        const sent = new Map<string, string>();
        for (const one of [...steps, "turn" as const]) {
          const list = existsSync(file) ? inFile() : [];
          if (one === "turn") said.push(...(await heard(session)));
          else if (one === "restart") session = openSession();
          else if (one === "unmark") put(list.map((entry) => ({ ...entry, read: false })));
          else {
            const { id, text } = one;
            const key = id === undefined ? `text ${text}` : `id ${id}`;
            if (!sent.has(key)) sent.set(key, text);
            put([...list, message(sent.get(key) as string, id === undefined ? {} : { id })]);
          }
        }
        expect(said.sort()).toEqual([...sent.values()].sort());
      }),
      runs(30),
    );
  });
});

describe("the lock", () => {
  it("held by a writer is waited for: nothing is read or marked meanwhile, and nothing is lost", async () => {
    mkdirSync(`${file}.lock`);
    put([message("one")]);
    const session = openSession();
    const turn = await answered(session);
    expect(outcomeOf(turn, "teammate_mailbox")).toContain("is locked by another process");
    expect(unread()).toBe(1);
    rmSync(`${file}.lock`, { recursive: true });
    expect(await heard(session)).toEqual(["one"]);
  });

  it.each([
    ["a directory", () => mkdirSync(`${file}.lock`), -60_000],
    ["a file", () => writeFileSync(`${file}.lock`, "4711"), -60_000],
    ["from the future", () => mkdirSync(`${file}.lock`), 3_600_000],
  ])("that a killed process left (%s) is taken over", async (_, make, age) => {
    make();
    const then = new Date(Date.now() + age);
    utimesSync(`${file}.lock`, then, then);
    put([message("one")]);
    expect(await heard(openSession())).toEqual(["one"]);
    expect([unread(), existsSync(`${file}.lock`)]).toEqual([0, false]);
  });
});

describe("two processes, and killed ones", () => {
  const child = (script: string) => {
    const prelude =
      'import { createSession, createSqliteStore } from "sotto"; import process from "node:process";';
    return promisify(execFile)(
      process.execPath,
      ["--conditions=sotto-source", "--input-type=module", "-e", `${prelude}\n${script}`],
      { cwd: process.cwd() },
    );
  };
  const opening = () => `
    const store = createSqliteStore({ path: ${JSON.stringify(join(cwd, "s.db"))} });
    const config = { timeout_ms: 30000 };
    const open = (id, given = store) =>
      createSession({ id, cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(cwd)}, agent: { kind: "main" }, store: given, config });`;

  it("one killed between recording and marking loses and repeats nothing", async () => {
    put([message("one"), message("two", { id: 7 })]);
    const killed = child(`${opening()}
      const append = async (session, batch) => {
        const done = await store.append(session, batch);
        if (JSON.stringify(batch).includes("message_received")) process.kill(process.pid, "SIGKILL");
        return done;
      };
      await open("s", new Proxy(store, { get: (all, name) => name === "append" ? append : Reflect.get(all, name) })).turn();`);
    await expect(killed).rejects.toMatchObject({ signal: "SIGKILL" });
    expect([unread(), existsSync(`${file}.lock`)]).toEqual([2, true]);
    const then = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, then, then);
    const kept = createSqliteStore({ path: join(cwd, "s.db") });
    const session = openSession({ store: kept });
    expect([await heard(session), await heard(session), unread()]).toEqual([["one", "two"], [], 0]);
    await session.close();
    open.splice(0);
    await kept.close();
  });

  it("on two sessions with one mailbox, each message is heard by one of them", async () => {
    put(Array.from({ length: 60 }, (_, index) => message(`m${index}`, { id: index })));
    const reader = (id: string) =>
      child(`process.env.CLAUDE_CODE_TEAMMATE_ID = "s"; ${opening()}
      const session = open(${JSON.stringify(id)});
      for (let count = 0; count < 12; count++) {
        const turn = await session.turn();
        for (const { type, data } of turn.attachments)
          if (type === "teammate_mailbox") for (const { text } of data.messages) console.log(text);
        await turn.commit();
        await session.record({ type: "assistant_turn" });
      }
      await session.close(); await store.close();`);
    const both = await Promise.all([reader("first"), reader("second")]);
    const said = both.flatMap(({ stdout }) => stdout.trim().split("\n").filter(Boolean));
    expect(said.sort()).toEqual(Array.from({ length: 60 }, (_, index) => `m${index}`).sort());
    expect(unread()).toBe(0);
  });
});

describe("what is no mailbox, and what is no message", () => {
  it.each<[string, unknown, string]>([
    ["no sender", { text: "t", timestamp: "2026-11-15T10:00:00Z" }, "message_received.from"],
    ["no text", { from: "eve", timestamp: "2026-11-15T10:00:00Z" }, "message_received.text"],
    ["a wrong time", { from: "eve", text: "t", timestamp: "noon" }, "timestamp"],
    ["a long text", message("x".repeat(100_001)), "the limit is 100000"],
    ["a long sender", message("t", { from: "x".repeat(300) }), "more than 200 characters"],
    ["a word", "hello", "it is not an object"],
    ["nothing", null, "it is not an object"],
  ])("%s is left as it is, is named in the trace, and holds up nothing", async (_, entry, words) => {
    put([message("before"), entry, message("behind")]);
    const session = openSession();
    expect(await heard(session)).toEqual(["before", "behind"]);
    expect(inFile()[1]).toEqual(entry);
    const outcome = outcomeOf(await answered(session), "teammate_mailbox");
    expect(outcome).toContain("[1]");
    expect(outcome).toContain(words);
  });

  it.each<[string, () => void, string]>([
    ["half of a JSON", () => writeFileSync(file, '[{"from":"ada"'), "is not JSON"],
    ["an object", () => put({ messages: [] }), "is not a list of messages"],
    ["a list 100000 deep", () => writeFileSync(file, `${"[".repeat(1e5)}${"]".repeat(1e5)}`), ""],
    ["5 MB", () => put([message("x".repeat(5_000_000))]), "more than 1048576 bytes"],
    ["no text", () => writeFileSync(file, Uint8Array.of(0xff, 0xfe, 0, 1, 2)), "is not"],
    ["a directory", () => mkdirSync(file), "directory"],
    ["a pipe", () => execFileSync("mkfifo", [file]), "special"],
    ["a link to a device", () => symlinkSync("/dev/zero", file), "is not read"],
    [
      "a link inside the project",
      () => {
        put([message("canary")], join(cwd, "package.json"));
        symlinkSync(join(cwd, "package.json"), file);
      },
      "leads elsewhere",
    ],
    [
      "a directory that leads out",
      () => {
        rmSync(join(cwd, ".claude/mailbox"), { recursive: true });
        symlinkSync(tmpdir(), join(cwd, ".claude/mailbox"));
      },
      "leads elsewhere",
    ],
  ])("%s is not read, and the turn goes on", async (_, make, words) => {
    make();
    const turn = await answered(openSession());
    expect(turn.problem).toBeUndefined();
    expect(JSON.stringify(turn.reminders)).not.toContain("canary");
    expect(outcomeOf(turn, "teammate_mailbox")).toContain(words);
  });

  it("what may not be read is not read", async () => {
    put([message("canary")]);
    const turn = await answered(openSession({ permissions: { denyRead: [".claude/mailbox/**"] } }));
    expect(JSON.stringify(turn.reminders)).not.toContain("canary");
    expect(unread()).toBe(1);
  });

  // Root writes everywhere.
  if (process.getuid?.() !== 0)
    it("a directory that cannot be written is read once, by the log", async () => {
      put([message("one")]);
      chmodSync(join(cwd, ".claude/mailbox"), 0o500);
      const session = openSession();
      expect([await heard(session), await heard(session)]).toEqual([["one"], []]);
      chmodSync(join(cwd, ".claude/mailbox"), 0o700);
    });
});
