// Chats of a team, on a real disk: what is unread is told when it changes, whatever else stands in the files.

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createMemoryStore, createSession, type Session } from "sotto";
import { postToChat, readChat } from "sotto/team";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../support/runs.ts";
import { answered, outcomeOf, textOf } from "../support/telling.ts";

let cwd: string;
let directory: string;
let store: ReturnType<typeof createMemoryStore>;
const open: Session[] = [];

beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-chats-")));
  directory = join(cwd, ".sotto/mail/parsers/.chats");
  store = createMemoryStore();
});
afterEach(async () => {
  for (const session of open.splice(0)) await session.close();
  rmSync(cwd, { recursive: true, force: true });
});

function openSession(agent = "grace"): Session {
  const session = createSession({
    id: agent,
    cwd,
    home: cwd,
    agent: { kind: "main" },
    store,
    mailbox: { team: "parsers", agent },
    config: { timeout_ms: 60_000 },
    tools: ["CollabRead"],
  });
  open.push(session);
  return session;
}

const post = (chat: string, text: string, from = "ada") =>
  postToChat({ cwd, home: cwd, team: "parsers", chat, from, text });
const read = (chat: string, agent = "grace") => readChat({ cwd, home: cwd, team: "parsers", chat, agent });
const texts = async (chat: string, agent?: string) =>
  (await read(chat, agent))?.messages.map(({ text }) => text);
const told = async (session: Session) =>
  textOf(await answered(session), "collab_notification")?.replace(/<.*>\n?|\n/gu, "");
const file = (chat: string) => join(directory, `${chat}.jsonl`);

describe("collab_notification", () => {
  it("AC-44 tells what others wrote, when it changes, and not what the agent wrote itself", async () => {
    const session = openSession();
    expect(await told(session)).toBeUndefined();
    await post("general", "one");
    await post("general", "two");
    await post("general", "mine", "grace");
    await post("builds", "red");
    expect(await told(session)).toBe(
      "You have 3 unread collab message(s) from: @builds (1 new), @general (2 new). CollabRead reads them.",
    );
    expect(await told(session)).toBeUndefined();
    expect(await texts("general")).toEqual(["one", "two", "mine"]);
    expect(await told(session)).toBe(
      "You have 1 unread collab message(s) from: @builds (1 new). CollabRead reads them.",
    );
    expect(await texts("builds")).toEqual(["red"]);
    expect(outcomeOf(await answered(session), "collab_notification")).toBe(
      "nothing: no chat has unread messages",
    );
  });

  it("tells of as many messages as before when they are others", async () => {
    const session = openSession();
    await post("general", "one");
    expect(await told(session)).toContain("@general (1 new)");
    await read("general");
    await post("general", "two");
    expect(await told(session)).toContain("@general (1 new)");
  });

  it("a cold process says nothing again; each agent has a mark of its own", async () => {
    await post("general", "one");
    const first = openSession();
    expect(await told(first)).toContain("(1 new)");
    await first.close();
    expect(await told(openSession())).toBeUndefined();
    expect(await told(openSession("mary"))).toContain("(1 new)");
    await read("general", "mary");
    expect(await texts("general")).toEqual(["one"]);
    expect(await texts("general")).toEqual([]);
  });

  it("sub-agents read no chats", async () => {
    await post("general", "one");
    const child = openSession().subagent({ agentType: "Explore" });
    expect(outcomeOf(await answered(child), "collab_notification")).toContain("nothing");
  });
});

describe("what is no message", () => {
  it("is passed over and told: half lines, other shapes, bytes that are no text, endless lines", async () => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(
      file("general"),
      Buffer.concat([
        Buffer.from('not JSON\n{"from":"ada"}\n[]\n\n'),
        Buffer.from([0xff, 0xfe, 0x0a]),
        Buffer.from(`${"x".repeat(1024 * 1024 + 5)}\n`),
        Buffer.from('{"from":"ada","text":"whole"}\n{"from":"ada","te'),
      ]),
    );
    const session = openSession();
    expect(await told(session)).toContain("@general (1 new)");
    // Behind half a line the next message begins a line of its own.
    await post("general", "after");
    expect(await told(session)).toContain("@general (2 new)");
    const parts = [];
    for (let part = await read("general"); part !== undefined; part = await read("general")) {
      parts.push(part);
      if (!part.more) break;
    }
    expect(parts.flatMap(({ messages }) => messages.map(({ text }) => text))).toEqual(["whole", "after"]);
    expect(parts.flatMap(({ problems }) => problems).length).toBeGreaterThanOrEqual(5);
    expect(outcomeOf(await answered(session), "collab_notification")).toMatch(
      /^nothing: no chat has unread messages; could not be read, the latest: general: a line at byte \d+/u,
    );
  });

  it("is a link, a directory, a mark that is none, a name that leads elsewhere", async () => {
    mkdirSync(file("folder"), { recursive: true });
    writeFileSync(join(cwd, "elsewhere"), '{"from":"ada","text":"secret"}\n');
    symlinkSync(join(cwd, "elsewhere"), file("link"));
    const session = openSession();
    const turn = await answered(session);
    expect(textOf(turn, "collab_notification")).toBeUndefined();
    expect(outcomeOf(turn, "collab_notification")).toContain("the latest: link");
    await post("general", "one");
    mkdirSync(join(directory, ".read/grace"), { recursive: true });
    writeFileSync(join(directory, ".read/grace/general"), "-5 or so");
    expect(await texts("general")).toEqual(["one"]);
    for (const chat of ["../x", "", ".read", "a/b"]) {
      await expect(post(chat, "x")).rejects.toThrow("chat: expected a name");
      await expect(read(chat)).rejects.toThrow("chat: expected a name");
    }
    await expect(post("general", " ")).rejects.toThrow("text: expected");
    await expect(post("general", "x".repeat(20_001))).rejects.toThrow("20000");
  });

  it("a directory that leads out of the project is not read", async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "sotto-outside-")));
    mkdirSync(join(outside, ".chats"));
    writeFileSync(join(outside, ".chats/general.jsonl"), '{"from":"ada","text":"x"}\n');
    mkdirSync(join(cwd, ".sotto/mail"), { recursive: true });
    symlinkSync(outside, join(cwd, ".sotto/mail/parsers"));
    expect(outcomeOf(await answered(openSession()), "collab_notification")).toContain("leads elsewhere");
    rmSync(outside, { recursive: true });
  });
});

it("a chat that was begun anew is read from its start", async () => {
  const session = openSession();
  await post("general", "a long first message");
  await told(session);
  await read("general");
  truncateSync(file("general"), 0);
  await post("general", "new");
  expect(await told(session)).toContain("@general (1 new)");
  expect(await texts("general")).toEqual(["new"]);
  expect(await read("nowhere")).toBeUndefined();
});

it("every message of many writers is read once, in the order of the file, whatever lies between", async () => {
  const junk = fc.constantFrom("{", "null", "\n", '{"from":1,"text":"x","timestamp":""}', "\u0000");
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.record({ from: fc.constantFrom("ada", "mary"), text: fc.string({ minLength: 1 }) }),
          junk,
        ),
      ),
      async (steps) => {
        rmSync(directory, { recursive: true, force: true });
        const posts = steps
          .filter((step) => typeof step !== "string")
          .filter(({ text }) => text.trim() !== "");
        const got: string[] = [];
        for (const step of steps) {
          if (typeof step === "string") {
            mkdirSync(directory, { recursive: true });
            appendFileSync(file("general"), step);
          } else if (step.text.trim() !== "") await post("general", step.text, step.from);
          if (got.length % 3 === 0) got.push(...((await texts("general")) ?? []));
        }
        got.push(...((await texts("general")) ?? []));
        expect(got).toEqual(posts.map(({ text }) => text));
      },
    ),
    runs(30),
  );
});

it("writers side by side lose nothing", async () => {
  const writers = ["ada", "mary", "joan"];
  await Promise.all(
    writers.flatMap((from) =>
      Array.from({ length: 20 }, (_, index) => post("general", `${from} ${index}`, from)),
    ),
  );
  expect(readFileSync(file("general"), "utf8").split("\n").filter(Boolean)).toHaveLength(60);
  expect(new Set(await texts("general")).size).toBe(60);
});
