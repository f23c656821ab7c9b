// Processes that live for one call: what they said has left, and the next one knows what became of it.

import { describe, expect, it } from "vitest";
import { createShortLivedSession } from "../create-session.ts";
import type { Store } from "../log/entries.ts";
import { explain } from "../log/explain.ts";
import { createMemoryStore } from "../stores/memory.ts";
import type { WasSeen } from "./hand-over.ts";
import type { Session } from "./session.ts";
import type { Turn } from "./turn.ts";

const id = "s";
const message = (word: string) =>
  ({ type: "prompt_queued", id: word, prompt: word }) as const satisfies Parameters<Session["record"]>[0];

function join(store: Store): Session {
  return createShortLivedSession({
    id,
    cwd: "/repo",
    store,
    configFiles: { read: false },
    config: { timeout_ms: 30_000, critical_instruction: "Run the tests." },
  });
}

/** One call of a process: what it is told about the one before, what happens, and what it says. */
async function call(
  store: Store,
  { seen, events = [] }: { seen?: WasSeen; events?: Parameters<Session["record"]>[0][] } = {},
  end: (turn: Turn) => Promise<unknown> = (turn) => turn.handOver(),
): Promise<string[]> {
  const session = join(store);
  if (seen !== undefined) await session.settleHandedOver(seen);
  for (const event of events) await session.record(event);
  const turn = await session.turn();
  await end(turn);
  await session.close();
  return wordsOf(turn);
}

function wordsOf({ reminders }: Turn): string[] {
  return reminders.flatMap(({ text }) => /word-\w+/u.exec(text)?.[0] ?? []).sort();
}

async function statesOf(store: Store, type: string): Promise<string[]> {
  const turns = explain((await store.read(id, 0)).entries);
  return turns
    .flatMap(({ deliveries }) => deliveries.filter((one) => one.type === type))
    .map((one) => one.state);
}

describe("AC-38 what was handed over", () => {
  it("waits where nobody can tell yet, and comes again where a sign of it is missing, which is counted", async () => {
    const store = createMemoryStore();
    const missed: number[] = [];
    const asked =
      (verdict: boolean | undefined): WasSeen =>
      (text, about) => {
        if (!text.includes("word-a")) return true;
        missed.push(about.missed);
        expect(about.isEdge).toBe(true);
        expect(Math.abs(Date.now() - about.at)).toBeLessThan(600_000);
        return verdict;
      };
    await call(store, { events: [message("word-z")] });
    await call(store, { seen: true, events: [message("word-a")] });
    expect(await call(store, { seen: asked(undefined) })).toEqual([]);
    expect(await call(store, { seen: asked(false) })).toEqual(["word-a"]);
    expect(await call(store, { seen: asked(false) })).toEqual(["word-a"]);
    expect(await call(store, { seen: asked(true) })).toEqual([]);
    expect(missed).toEqual([0, 0, 1, 2]);
    expect(await call(store, { seen: asked(false) })).toEqual([]);
  });

  it("is judged beside what was seen before, newest first", async () => {
    const store = createMemoryStore();
    await call(store, { events: [message("word-a")] });
    await call(store, { seen: true, events: [message("word-b")] });
    await call(store, { seen: true, events: [message("word-c")] });
    const before: string[] = [];
    await call(store, {
      seen: (text, { seenBefore }) => {
        if (text.includes("word-c"))
          before.push(...seenBefore().flatMap(({ text: one }) => /word-\w/u.exec(one)?.[0] ?? []));
        return true;
      },
    });
    expect(before).toEqual(["word-b", "word-a"]);
  });

  it("is said by nobody else while nobody knows what became of it", async () => {
    const store = createMemoryStore();
    expect(await call(store, { events: [message("word-a")] })).toEqual(["word-a"]);
    expect(await statesOf(store, "queued_command")).toEqual(["handed"]);
    expect(await call(store)).toEqual([]);
  });

  it("is confirmed by whoever comes next, and stays said", async () => {
    const store = createMemoryStore();
    await call(store, { events: [message("word-a")] });
    expect(await call(store, { seen: true, events: [message("word-b")] })).toEqual(["word-b"]);
    expect(await statesOf(store, "queued_command")).toEqual(["confirmed", "handed"]);
    expect(await call(store, { seen: true })).toEqual([]);
    expect(await statesOf(store, "queued_command")).toEqual(["confirmed", "confirmed"]);
  });

  it("comes again under its id where nobody can tell whether it was seen", async () => {
    const store = createMemoryStore();
    const ids: string[][] = [];
    const noted = (turn: Turn) => {
      ids.push(turn.reminders.filter(({ type }) => type === "queued_command").map((one) => one.id));
      return turn.handOver();
    };
    expect(await call(store, { events: [message("word-a")] }, noted)).toEqual(["word-a"]);
    expect(await call(store, { seen: false }, noted)).toEqual(["word-a"]);
    expect(ids[0]).toHaveLength(1);
    expect(ids[1]).toEqual(ids[0]);
  });

  it("is confirmed by its text where something tells, and the rest comes again", async () => {
    const store = createMemoryStore();
    const letter = { from: "lead", text: "word-m", timestamp: "2026-11-15T10:00:00Z" };
    const events = [message("word-a"), { type: "message_received", id: "m", ...letter } as const];
    expect(await call(store, { events })).toEqual(["word-a", "word-m"]);
    expect(await call(store, { seen: (text) => text.includes("word-a") })).toEqual(["word-m"]);
    expect(await call(store, { seen: true })).toEqual([]);
  });

  it("is only what was given: the rest stays due", async () => {
    const store = createMemoryStore();
    const one = (turn: Turn) => turn.handOver(turn.reminders.filter(({ text }) => text.includes("word-a")));
    const letter = {
      type: "message_received",
      id: "m",
      from: "lead",
      text: "word-m",
      timestamp: "2026-11-15T10:00:00Z",
    } as const;
    expect(await call(store, { events: [message("word-a"), letter] }, one)).toEqual(["word-a", "word-m"]);
    expect(await call(store, { seen: true })).toEqual(["word-m"]);
    expect(await call(store, { seen: true })).toEqual([]);
  });

  it("is not said by one that looked before it was offered, and offers it after it was handed over", async () => {
    const memory = createMemoryStore();
    let between: (() => Promise<unknown>) | undefined;
    const slow: Store = {
      ...memory,
      async append(name, batch) {
        const run = batch.claim === undefined ? undefined : between;
        if (run !== undefined) between = undefined;
        await run?.();
        return memory.append(name, batch);
      },
    };
    await call(memory);
    await call(memory, { seen: true, events: [message("word-a")] }, (turn) => turn.abandon());
    const quick: string[][] = [];
    between = async () => {
      quick.push(await call(memory));
      // As its end would: nobody holds it any more.
      const { entries } = await memory.read(id, 0);
      const offer = entries.findLast((entry) => entry.kind === "delivery" && entry.state === "offered");
      if (offer?.kind === "delivery" && offer.state === "offered")
        await memory.append(id, {
          entries: [],
          release: { keys: offer.covers.map((edge) => `${edge}@main`), owner: offer.owner },
        });
    };
    expect(await call(slow)).toEqual([]);
    expect(quick).toEqual([["word-a"]]);
    expect(await call(memory, { seen: true })).toEqual([]);
  });

  it("is given up by a process that ends without it", async () => {
    const store = createMemoryStore();
    expect(await call(store, { events: [message("word-a")] }, async () => undefined)).toEqual(["word-a"]);
    expect(await call(store, { seen: true })).toEqual(["word-a"]);
  });

  it("may be how things are: said once for an answer, also side by side", async () => {
    const store = createMemoryStore();
    const rules = { critical_system_reminder: { min_turns_between: 1 } };
    const open = () =>
      createShortLivedSession({
        id,
        cwd: "/repo",
        store,
        configFiles: { read: false, defaults: { attachments: rules } },
        config: { timeout_ms: 30_000, critical_instruction: "Run the tests." },
      });
    const typesIn = async (session: Session) => {
      const turn = await session.turn();
      await turn.handOver();
      return turn.reminders.map(({ type }) => type);
    };
    const [first, beside] = [open(), open()];
    await Promise.all([first.open(), beside.open()]);
    expect(await typesIn(first)).toEqual(["critical_system_reminder"]);
    expect(await typesIn(beside)).toEqual([]);
    const next = open();
    await next.settleHandedOver(true);
    expect(await typesIn(next)).toEqual([]);
    await next.record({ type: "assistant_turn" });
    expect(await typesIn(next)).toEqual(["critical_system_reminder"]);
  });
});

describe("a process that joins", () => {
  it("begins a log that is empty, and no other", async () => {
    const store = createMemoryStore();
    await call(store);
    await call(store);
    const { entries } = await store.read(id, 0);
    const starts = entries.flatMap((entry) =>
      entry.kind === "event" && entry.event.type === "session_started" ? [entry.event.reason] : [],
    );
    expect(starts).toEqual(["startup"]);
  });
});
