// A session that sleeps between any two calls sends, records and says the same as one that stays awake.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs as tries } from "../../../../test/support/runs.ts";
import { catalogue } from "../attachments/catalogue.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { SessionEvent } from "../facts/session-events.ts";
import type { Store } from "../log/entries.ts";
import { nodePlatform } from "../platform/node-platform.ts";
import type { Platform } from "../platform/platform.ts";
import { builtInSources } from "../sources/built-in.ts";
import type { Source } from "../sources/source.ts";
import { createMemoryStore } from "../stores/memory.ts";
import { createSqliteStore } from "../stores/sqlite/sqlite.ts";
import type { EngineOptions } from "./options.ts";
import { createSessionFrom, type Session } from "./session.ts";

let directory: string;
let cwd: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "sotto-sleep-")));
  cwd = join(directory, "project");
  mkdirSync(cwd);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A session whose clock stands still until the test moves it, and that sleeps when the test says so. */
function open(store: Store, options: Partial<EngineOptions> = {}, more: readonly Source[] = []) {
  let [minutes, ids] = [0, 0];
  const timers: (() => unknown)[] = [];
  const clock = { at: Date.UTC(2026, 0, 2) };
  const platform: Platform = {
    ...nodePlatform,
    owner: "here:1:",
    now: () => clock.at,
    // Later turns of the test must not time out.
    monotonic: () => minutes * 60_000,
    backgroundTimer: (_ms, run) => void timers.push(run),
    uuid: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, "0")}`,
  };
  const places = { home: join(directory, "home"), configDirectory: join(directory, "config") };
  const parts = {
    platform,
    catalogue,
    sources: () => oneAfterTheOther([...builtInSources({ cwd, ...places, mailboxFile: {} }), ...more]),
    store,
  };
  const config = { timeout_ms: 60_000 };
  const session = createSessionFrom(parts, { id: "s", cwd, agent: { kind: "main" }, config, ...options });
  return {
    session,
    clock,
    /** Everything that was left alone for so long falls asleep. */
    async leaveAlone(time = 5): Promise<void> {
      minutes += time;
      for (const run of timers.splice(0)) await run();
    },
  };
}

/** What sources find side by side is recorded in any order. */
function oneAfterTheOther(sources: readonly Source[]): Source[] {
  const facts = sources.map(({ fact }) => fact);
  return sources.map((source, index) =>
    Object.defineProperty(source, "behind", { value: facts.slice(0, index) }),
  );
}

const readsOf = (store: Store) => {
  const reads: string[] = [];
  const counted: Store = {
    ...store,
    snapshot(...given) {
      reads.push("snapshot");
      return store.snapshot(...given);
    },
    read(...given) {
      reads.push(`after ${given[1]}`);
      return store.read(...given);
    },
  };
  return { reads, counted };
};

const FILES = ["a.txt", "b.txt", "AGENTS.md", "src/AGENTS.md"] as const;
const todos = (status: "pending" | "completed") => ({ content: "Write it", status }) as const;
const EVENTS: readonly SessionEvent[] = [
  { type: "todos_written", items: [todos("pending")] },
  { type: "todos_written", items: [todos("completed")] },
  { type: "mode_changed", mode: "plan" },
  { type: "mode_changed", mode: "normal" },
  { type: "task_started", taskId: "t1", taskType: "shell", description: "build" },
  { type: "task_finished", taskId: "t1", status: "completed" },
  { type: "prompt_queued", id: "p1", prompt: "And the tests?" },
  { type: "message_received", id: "m1", from: "ann", text: "Done.", timestamp: "2026-01-02T00:00:00.000Z" },
  { type: "usage_reported", usedTokens: 150_000, totalTokens: 200_000, usedUsd: 0.5 },
  { type: "ultramemory_changed", content: "Be kind." },
  { type: "file_read", path: "a.txt" },
  { type: "file_read", path: "src/c.txt" },
  { type: "file_written", path: "b.txt" },
  { type: "assistant_turn" },
  { type: "compacted" },
  { type: "rewound", toTurn: 1 },
  { type: "config_changed", config: { attachments: { todo_reminder: false } } },
  { type: "config_changed", config: { enable_token_usage: true, tags: { "system-reminder": "note" } } },
];

type Step = { sleeps: boolean } & (
  | { do: "record"; event: SessionEvent }
  | { do: "write"; file: (typeof FILES)[number]; text: string }
  | { do: "remove"; file: (typeof FILES)[number] }
  | { do: "turn"; how: "grow" | "call" | "same" | "edit" | "shorten"; end: "commit" | "abandon" | "neither" }
);

const file = fc.constantFrom(...FILES);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc
    .tuple(
      fc.boolean(),
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.constantFrom(...EVENTS).map((event) => ({ do: "record" as const, event })),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant("write" as const),
            file,
            text: fc.stringMatching(/^[a-z\n]{1,40}$/u),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), file }) },
        {
          weight: 6,
          arbitrary: fc.record({
            do: fc.constant("turn" as const),
            how: fc.constantFrom("grow", "grow", "call", "same", "edit", "shorten"),
            end: fc.constantFrom("commit", "commit", "abandon", "neither"),
          }),
        },
      ),
    )
    .map(([sleeps, step]): Step => ({ sleeps, ...step })),
  { minLength: 4, maxLength: 20 },
);

type Message = { role: string; content: unknown };

function next(messages: Message[], how: string, index: number): Message[] {
  const [first, ...rest] = messages;
  const id = `call_${index}`;
  switch (how) {
    case "grow":
      return [
        ...messages,
        { role: "assistant", content: `answer ${index}` },
        { role: "user", content: `next ${index}` },
      ];
    case "call":
      return [
        ...messages,
        {
          role: "assistant",
          content: [{ type: "tool_use", id, name: "Read", input: { file_path: join(cwd, "a.txt") } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `text ${index}` }] },
      ];
    case "edit":
      return [{ ...(first as Message), content: `edited ${index}` }, ...rest];
    default:
      return how === "shorten" ? messages.slice(0, Math.max(1, messages.length - 2)) : messages;
  }
}

/** The times of files are the file system's, and how fresh one was depends on the machine. */
const withoutTimes = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, inner) =>
      key === "stat" || key === "racy" || key === "ms" ? undefined : inner,
    ),
  );

async function take({ session, clock }: ReturnType<typeof open>, step: Step, messages: Message[]) {
  clock.at += 1000;
  if (step.do === "record") return session.record(step.event).then(() => "recorded", String);
  if (step.do !== "turn") return undefined;
  // Parsed anew, as a server does.
  const body = JSON.parse(JSON.stringify({ messages }));
  const turn = await session.turn({ dialect: anthropicMessages, body });
  if (step.end === "commit") await turn.commit();
  if (step.end === "abandon") await turn.abandon();
  const { number, body: sent, problem, problems, trace, reminders } = turn;
  return withoutTimes({ number, sent, problem, problems, trace, reminders });
}

// Past so many entries a session falls asleep with a snapshot.
const MANY = 45;

async function live(
  all: readonly Step[],
  { stores, isLong }: { stores: readonly [Store, Store]; isLong: boolean },
): Promise<void> {
  for (const name of FILES) rmSync(join(cwd, name), { force: true });
  mkdirSync(join(cwd, "src"), { recursive: true });
  writeFileSync(join(cwd, "a.txt"), "one\n");
  const [awake, sleeper] = [open(stores[0], { idleAfterMs: 0 }), open(stores[1])];
  for (const { session } of [awake, sleeper])
    for (let count = 0; isLong && count < MANY; count++)
      await session.record({
        type: "tool_finished",
        toolName: "Read",
        callId: `${count}`,
        success: true,
        durationMs: 1,
      });
  let messages: Message[] = [{ role: "user", content: "Begin." }];
  for (const [index, step] of all.entries()) {
    if (step.sleeps) await sleeper.leaveAlone();
    if (step.do === "write") writeFileSync(join(cwd, step.file), `${step.text}${index}\n`);
    if (step.do === "remove") rmSync(join(cwd, step.file), { force: true });
    if (step.do === "turn") messages = next(messages, step.how, index);
    expect(await take(sleeper, step, messages)).toEqual(await take(awake, step, messages));
  }
  await Promise.all([awake.session.close(), sleeper.session.close()]);
  const [one, other] = await Promise.all(stores.map(async (store) => (await store.read("s", 0)).entries));
  expect(withoutTimes(other)).toEqual(withoutTimes(one));
}

describe("a session that was left alone", () => {
  it("sends, records and says the same as one that never slept", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), fc.boolean(), async (all, isOnDisk, isLong) => {
        const create = (name: string): Store =>
          isOnDisk ? createSqliteStore({ path: join(directory, `${runs}-${name}.db`) }) : createMemoryStore();
        runs++;
        const stores = [create("awake"), create("sleeper")] as const;
        try {
          await live(all, { stores, isLong });
        } finally {
          for (const store of stores) await store.close();
        }
      }),
      tries(200),
    );
  });

  it("is read back from one snapshot by the next call, and by that one only", async () => {
    const { reads, counted } = readsOf(createMemoryStore());
    const { session, leaveAlone } = open(counted);
    for (let count = 0; count < 50; count++) await session.record({ type: "assistant_turn" });
    const { entries } = await counted.read("s", 0);
    await leaveAlone();
    reads.length = 0;
    await session.state();
    // From its last entry on, to see that it is still the same log.
    expect(reads).toEqual(["snapshot", `after ${entries.length - 1}`]);
    reads.length = 0;
    await session.state();
    expect(reads).toEqual([`after ${entries.length - 1}`]);
    await session.close();
  });

  it("is not put to sleep early, nor with idleAfterMs: 0", async () => {
    for (const [options, time] of [
      [{}, 4],
      [{ idleAfterMs: 0 }, 60],
    ] as const) {
      const { reads, counted } = readsOf(createMemoryStore());
      const { session, leaveAlone } = open(counted, options);
      await session.state();
      await leaveAlone(time);
      reads.length = 0;
      await session.state();
      expect(reads).toEqual([expect.stringMatching(/^after/u)]);
      await session.close();
    }
  });

  it("stays awake while a call is under way, and while the store cannot keep a snapshot", async () => {
    const store = createMemoryStore();
    let fails = true;
    const { reads, counted } = readsOf({
      ...store,
      saveSnapshot: (...given) => (fails ? Promise.reject(new Error("full")) : store.saveSnapshot(...given)),
    });
    const waiting = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const slow = {
      fact: "ideLink",
      async observe() {
        asked.resolve();
        await waiting.promise;
        return { connected: false };
      },
    } as unknown as Source;
    const { session, leaveAlone } = open(counted, {}, [slow]);
    await session.open();
    for (let count = 0; count < 50; count++) await session.record({ type: "assistant_turn" });
    const turn = session.turn();
    await asked.promise;
    reads.length = 0;
    await leaveAlone();
    expect(reads).toEqual([]);
    waiting.resolve();
    expect((await turn).problem).toBeUndefined();
    const isRead = async () => {
      await leaveAlone();
      reads.length = 0;
      await session.state();
      return reads.includes("snapshot");
    };
    expect(await isRead()).toBe(false);
    fails = false;
    expect(await isRead()).toBe(true);
    await session.close();
  });

  it("confirms what it sent before it fell asleep", async () => {
    const store = createMemoryStore();
    const { session, leaveAlone } = open(store);
    await session.record({ type: "prompt_queued", id: "p1", prompt: "And the tests?" });
    const turn = await session.turn({
      dialect: anthropicMessages,
      body: { messages: [{ role: "user", content: "Begin." }] },
    });
    expect(turn.reminders.map(({ type }) => type)).toContain("queued_command");
    await leaveAlone();
    expect(await turn.commit()).toBe(true);
    const { entries } = await store.read("s", 0);
    expect(entries.at(-1)).toMatchObject({ kind: "delivery", state: "confirmed" });
    await session.close();
  });

  it("says what keeps it from waking, and wakes with the next turn", async () => {
    const store = createMemoryStore();
    let fails = false;
    const broken: Store = {
      ...store,
      snapshot: (...given) =>
        fails ? Promise.reject(new Error("the disk is gone")) : store.snapshot(...given),
    };
    const { session, leaveAlone } = open(broken);
    const turn = (): ReturnType<Session["turn"]> => session.turn();
    await turn();
    await leaveAlone();
    fails = true;
    expect((await turn()).problem).toBe("the disk is gone");
    fails = false;
    expect(await turn()).toMatchObject({ number: 2, problems: [] });
    await session.close();
  });
});
