// Bad stores through the whole engine, on real files: the agent goes on, nothing is lost, and the words say what is wrong.

import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type AnthropicBody,
  anthropicMessages,
  createSession,
  createSqliteStore,
  type Reminder,
  type Session,
} from "sotto";
import type { Store } from "sotto/extend";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useOwnDeadlines } from "../support/deadlines.ts";
import { runStoreChild, storeChild } from "../support/store-child.ts";
import { note } from "../support/store-notes.ts";
import { countCanaries, toEvent } from "./canaries.ts";

useOwnDeadlines();

/** Far beyond what a busy machine adds to a deadline. */
const MARGIN_MS = 30_000;
const source = new URL("../../packages/sotto/src/index.ts", import.meta.url).href;

let directory: string;
let path: string;
let opened: { session: Session; store: Store }[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "sotto-bad-store-"));
  path = join(directory, "store.db");
  opened = [];
});
afterEach(async () => {
  for (const { session, store } of opened) {
    await session.close();
    await store.close();
  }
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true });
});

function open(options: { timeoutMs?: number; lockWaitMs?: number } = {}) {
  const { timeoutMs = 30_000, lockWaitMs = 10_000 } = options;
  const store = createSqliteStore({ path, lockWaitMs });
  const session = createSession({
    id: "s",
    cwd: directory,
    agent: { kind: "main" },
    store,
    config: { timeout_ms: timeoutMs },
  });
  const one = { session, store };
  opened.push(one);
  return one;
}

async function shut(one: { session: Session; store: Store }): Promise<void> {
  opened = opened.filter((other) => other !== one);
  await one.session.close();
  await one.store.close();
}

const say = (word: string) => toEvent({ word, kind: "message" });

function request(...texts: string[]): AnthropicBody {
  return {
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  };
}

/** Canaries in the order of a request, or of what a turn without one says. */
function wordsIn(value: unknown): string[] {
  const texts = Array.isArray(value) ? value.map(({ text }: Reminder) => text) : value;
  const counts = countCanaries(JSON.stringify(texts));
  return [...counts].flatMap(([word, count]) => Array.from({ length: count }, () => word));
}

async function usedStore(): Promise<void> {
  const one = open();
  await one.session.record(say("CANARY-OLD"));
  const turn = await one.session.turn({ dialect: anthropicMessages, body: request("Prompt 1.") });
  await turn.commit();
  await shut(one);
}

describe("a store that cannot be used", () => {
  const damage: [string, RegExp, string, () => void][] = [
    [
      "is text",
      /damaged or not a SQLite database/u,
      "store_corrupt",
      () => writeFileSync(path, "no database\n".repeat(900)),
    ],
    ["was cut off", /damaged or not a SQLite database/u, "store_corrupt", () => truncateSync(path, 4096 * 2)],
    ["was written by a newer version", /written by a newer Sotto .*Update sotto/u, "store_newer", makeNewer],
  ];
  it.each(damage)(
    "lets the request through when it %s, says so, and works once it is replaced",
    async (_, words, code, spoil) => {
      await usedStore();
      const whole = readFileSync(path);
      spoil();
      const { session } = open();
      const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
      await expect(session.record(say("CANARY-NEW"))).rejects.toMatchObject({ code });
      const turn = await session.turn({ dialect: anthropicMessages, body });
      expect(turn.body).toBe(body);
      expect(turn.reminders).toEqual([]);
      expect(turn.problem).toMatch(words);
      expect(new Set(turn.trace.map(({ outcome }) => outcome))).toEqual(new Set(["failed"]));
      await turn.commit();
      await turn.abandon();

      renameSync(path, join(directory, "moved.db"));
      for (const beside of ["-wal", "-shm"]) rmSync(`${path}${beside}`, { force: true });
      writeFileSync(path, whole);
      await session.record(say("CANARY-NEW"));
      const next = await session.turn({ dialect: anthropicMessages, body });
      expect(next.problem).toBeUndefined();
      expect(wordsIn(next.body)).toEqual(["CANARY-OLD", "CANARY-NEW"]);
    },
  );

  function makeNewer(): void {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 999");
    database.close();
  }
});

describe("a store that another process has locked", () => {
  const holder = () => `
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(${JSON.stringify(path)}, { timeout: 20000 });
    database.exec("BEGIN EXCLUSIVE");
    say("locked");
    process.stdin.once("data", () => { database.close(); process.exit(); });`;

  it.each([
    ["before the session is opened", false],
    ["in the middle of a session", true],
  ])("costs a turn its deadline and no more, and nothing that was recorded, %s", async (_, early) => {
    await usedStore();
    // Long enough to open a session on a busy machine.
    const timeoutMs = 3000;
    const { session } = open({ timeoutMs, lockWaitMs: 60_000 });
    if (early) await session.record(say("CANARY-BEFORE"));
    const child = storeChild(holder());
    await child.saying(1);

    const recorded = session.record(say("CANARY-MEANWHILE"));
    const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
    const from = performance.now();
    const turn = await session.turn({ dialect: anthropicMessages, body });
    expect(performance.now() - from).toBeLessThan(timeoutMs + 100 + MARGIN_MS);
    // Nothing new; what was sent before is in its place.
    expect(wordsIn(turn.body)).toEqual(["CANARY-OLD"]);
    expect(turn.problem).toBe("the log did not answer in time");
    await turn.commit();

    child.tell("go");
    await child.ended;
    await recorded;
    const next = await punctualTurn(session, body);
    const expected = ["CANARY-OLD", ...(early ? ["CANARY-BEFORE"] : []), "CANARY-MEANWHILE"];
    expect(wordsIn(next.body)).toEqual(expected);
    const later = request("Prompt 1.", "Answer 1.", "Prompt 2.", "Answer 2.", "Prompt 3.");
    expect(wordsIn((await punctualTurn(session, later)).body)).toEqual(expected);
  });

  it("refuses records when the wait is over, and says what was said before all the same", async () => {
    await usedStore();
    const { session } = open({ lockWaitMs: 200 });
    await session.record(say("CANARY-BEFORE"));
    const child = storeChild(holder());
    await child.saying(1);
    await expect(session.record(say("CANARY-REFUSED"))).rejects.toMatchObject({ code: "store_locked" });
    const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
    const turn = await session.turn({ dialect: anthropicMessages, body });
    expect(turn.problem).toMatch(/locked by another process/u);
    expect(wordsIn(turn.body)).toEqual(["CANARY-OLD"]);
    expect(turn.reminders).toEqual([]);
    child.tell("go");
    await child.ended;
    expect(wordsIn((await settledTurn(session, body)).body)).toEqual(["CANARY-OLD", "CANARY-BEFORE"]);
  });
});

describe("a store that may not be written", () => {
  it("lets the request through and says so", async () => {
    await usedStore();
    chmodSync(path, 0o444);
    chmodSync(directory, 0o555);
    const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
    // As a user without rights on the files: root could write everything.
    const [said] = await runStoreChild(
      `
      import { anthropicMessages, createSession, createSqliteStore } from ${JSON.stringify(source)};
      import { writeSync } from "node:fs";
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      const store = createSqliteStore({ path: ${JSON.stringify(path)} });
      const session = createSession({ id: "s", cwd: "/", agent: { kind: "main" }, store, config: { timeout_ms: 30000 } });
      const code = await session.record(${JSON.stringify(say("CANARY-NEW"))}).then(() => "fine", (error) => error.code);
      const turn = await session.turn({ dialect: anthropicMessages, body: ${JSON.stringify(body)} });
      await turn.commit();
      writeSync(1, JSON.stringify({ code, body: turn.body, problem: turn.problem }) + "\\n");
      await session.close();
      await store.close();
      process.exit();`,
      { bare: true },
    );
    const { code, body: sent, problem } = said as { code: string; body: typeof body; problem: string };
    expect({ code, words: wordsIn(sent) }).toEqual({ code: "store_read_only", words: ["CANARY-OLD"] });
    expect(problem).toMatch(/read-only/u);
  });
});

describe("a disk without room", () => {
  it("refuses to record, acknowledges nothing, and takes the event once there is room", async () => {
    const { session, store } = open();
    const disk = await limitedDisk(store);
    await session.record(say("CANARY-BEFORE"));
    await disk.fill();
    await expect(session.record(say("CANARY-NEW"))).rejects.toMatchObject({
      code: "store_full",
      message: expect.stringMatching(/store\.db .*Free some space/u),
    });
    disk.free();
    const turn = await settledTurn(session);
    expect(wordsIn(turn.reminders)).toEqual(["CANARY-BEFORE"]);
    await session.record(say("CANARY-NEW"));
    expect(wordsIn((await settledTurn(session)).reminders)).toEqual(["CANARY-NEW"]);
    expect((await settledTurn(session)).reminders).toEqual([]);
  });

  it("lets the request out with what was said before and nothing new, which comes later", async () => {
    const { session, store } = open();
    const disk = await limitedDisk(store);
    await session.record(say("CANARY-OLD"));
    await settledTurn(session, request("Prompt 1."));
    await session.record(say("CANARY-NEW"));
    await disk.fill();
    const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
    const turn = await session.turn({ dialect: anthropicMessages, body });
    expect(turn.problem).toMatch(/cannot grow/u);
    expect(wordsIn(turn.body)).toEqual(["CANARY-OLD"]);
    expect(turn.reminders).toEqual([]);
    await turn.commit();
    disk.free();
    const next = await settledTurn(
      session,
      request("Prompt 1.", "Answer 1.", "Prompt 2.", "Answer 2.", "Prompt 3."),
    );
    expect(wordsIn(next.body)).toEqual(["CANARY-OLD", "CANARY-NEW"]);
    expect(next.reminders.map(({ again }) => again)).toEqual([false]);
  });

  it.each(["a turn later", "when the session is closed"])(
    "keeps a confirmation that it could not write, and writes it %s",
    async (when) => {
      const one = open();
      const { session, store } = one;
      const disk = await limitedDisk(store);
      await session.record(say("CANARY-NEW"));
      const turn = await session.turn();
      expect(wordsIn(turn.reminders)).toEqual(["CANARY-NEW"]);
      await disk.fill();
      await turn.commit();
      disk.free();
      if (when === "a turn later") expect((await settledTurn(session)).reminders).toEqual([]);
      await shut(one);
      expect((await settledTurn(open().session)).reminders).toEqual([]);
    },
  );

  it("keeps trying to write a confirmation while there is no room", async () => {
    const { session, store } = open();
    const disk = await limitedDisk(store);
    await session.record(say("CANARY-NEW"));
    const turn = await session.turn();
    await disk.fill();
    await turn.commit();
    for (let tries = 0; tries < 3; tries++) {
      const between = await session.turn();
      expect([between.problem, between.reminders]).toEqual([expect.stringMatching(/cannot grow/u), []]);
    }
    disk.free();
    expect((await settledTurn(session)).reminders).toEqual([]);
  });
});

describe("malformed entries in the middle of a log", () => {
  const malformed: [string, string, string][] = [
    ["is cut off", "event", '{"kind":"event","v":1,"at":"2026'],
    ["is empty", "event", ""],
    ["is not an object", "event", "[]"],
    ["is of a newer version", "event", '{"kind":"event","v":99,"event":{"type":"compacted"}}'],
    ["has an unknown kind", "event", '{"kind":"rumour","v":1}'],
    ["has no event", "event", '{"kind":"event","v":1,"at":"2026-11-15T10:00:00.000Z"}'],
    [
      "has an event without its fields",
      "event",
      '{"kind":"event","v":1,"at":"x","event":{"type":"message_received"}}',
    ],
    ["has an event nobody knows", "event", '{"kind":"event","v":1,"at":"x","event":{"type":"rumour"}}'],
    ["is an offer without its fields", "offered", '{"kind":"delivery","v":1,"at":"x","state":"offered"}'],
    [
      "is an offer with fields of other types",
      "offered",
      '{"kind":"delivery","v":1,"at":"x","state":"offered","id":1,"branch":null,"covers":"all","blocks":{}}',
    ],
    [
      "is an offer in no known state",
      "offered",
      '{"kind":"delivery","v":1,"at":"x","state":"whispered","id":"a"}',
    ],
    ["is a confirmation of nothing", "confirmed", '{"kind":"delivery","v":1,"at":"x","state":"confirmed"}'],
    ["is a turn without its fields", "turn", '{"kind":"turn","v":1,"at":"x"}'],
    [
      "is a turn with fields of other types",
      "turn",
      '{"kind":"turn","v":1,"at":"x","turn":"first","branch":{},"outcomes":3,"head":7}',
    ],
  ];

  it.each(malformed)("are skipped and reported where one %s", async (_, place, text) => {
    await usedStore();
    const before = open();
    await before.session.record(say("CANARY-LATER"));
    await shut(before);
    const seq = spoil(place, text);

    const { session } = open();
    expect((await session.state()).damaged.map((one) => one.seq)).toEqual([seq]);
    await session.record(say("CANARY-NEW"));
    const body = request("Prompt 1.", "Answer 1.", "Prompt 2.");
    const turn = await settledTurn(session, body);
    const words = wordsIn(turn.body).filter((word) => word !== "CANARY-OLD");
    expect(words).toEqual(["CANARY-LATER", "CANARY-NEW"]);
    expect(wordsIn(turn.body).filter((word) => word === "CANARY-OLD").length).toBeLessThan(2);
    expect((await session.state()).damaged.map((one) => one.seq)).toEqual([seq]);
  });

  it("are skipped where a rewind makes the engine read the whole log again", async () => {
    await usedStore();
    const seq = spoil("event", malformed[6]?.[2] ?? "");
    const { session } = open();
    await session.record({ type: "rewound", toTurn: 0 });
    await session.record(say("CANARY-NEW"));
    expect(wordsIn((await settledTurn(session, request("Prompt 1."))).body)).toContain("CANARY-NEW");
    expect((await session.state()).damaged.map((one) => one.seq)).toEqual([seq]);
  });

  /** Overwrites the first entry of a kind or state behind the session's begin; its number. */
  function spoil(place: string, text: string): number {
    const database = new DatabaseSync(path);
    const rows = database.prepare("SELECT seq, body FROM entries WHERE seq > 1 ORDER BY seq").all();
    const found = rows.find(({ body }) => {
      const { kind, state } = JSON.parse(String(body)) as { kind: string; state?: string };
      return kind === place || state === place;
    });
    database.prepare("UPDATE entries SET body = ? WHERE seq = ?").run(text, Number(found?.seq));
    database.close();
    return Number(found?.seq);
  }
});

async function settledTurn(session: Session, body?: AnthropicBody) {
  const turn = await session.turn(body === undefined ? {} : { dialect: anthropicMessages, body });
  expect(turn.problem).toBeUndefined();
  await turn.commit();
  return turn;
}

/** With a short deadline a busy machine may need more than one try. */
async function punctualTurn(session: Session, body: AnthropicBody) {
  for (let tries = 0; tries < 50; tries++) {
    const turn = await session.turn({ dialect: anthropicMessages, body });
    if (turn.problem !== undefined) continue;
    await turn.commit();
    return turn;
  }
  throw new Error("every turn was late");
}

/** A database that may not grow once it was filled to the brim. */
async function limitedDisk(store: Store) {
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  await store.sessions();
  const database = exec.mock.contexts[0] as DatabaseSync;
  exec.mockRestore();
  return {
    async fill() {
      const pages = Number(database.prepare("PRAGMA page_count").get()?.page_count);
      database.exec(`PRAGMA max_page_count = ${pages}`);
      for (const size of [3000, 300, 0]) while (await fits(store, size));
    },
    free: () => database.exec("PRAGMA max_page_count = 1000000"),
  };
}

async function fits(store: Store, size: number): Promise<boolean> {
  return store.append("ballast", { entries: [{ ...note(1), padding: "x".repeat(size) } as never] }).then(
    () => true,
    () => false,
  );
}
