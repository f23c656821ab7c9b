// A snapshot is a shortcut: one that does not fit is left alone, and the log is folded from its first entry.

import { readFile } from "node:fs/promises";
import { createMemoryStore, createSession, type Session } from "sotto";
import type { NewEntry, Snapshot, Store } from "sotto/extend";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { stateVersion } from "../../packages/sotto/src/log/state.ts";

// The day on which they were written: on another one the session is told the date.
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-16T12:00:00") }));
afterAll(() => void vi.useRealTimers());

/** A log and its snapshot after 40 of 47 entries, and what the version that wrote them would have sent next. */
interface Fixture {
  entries: NewEntry[];
  snapshot: Snapshot & { state: { facts: Record<string, Record<string, unknown>> } };
  next: string[];
}

async function fixture(): Promise<Fixture> {
  return JSON.parse(await readFile(new URL("snapshot-version-11.json", import.meta.url), "utf8"));
}

async function storeWith({ entries, snapshot }: Fixture): Promise<Store> {
  const store = createMemoryStore();
  await store.append("before", { entries, settle: ["mailbox/m1@main"] });
  await store.saveSnapshot("before", snapshot);
  return store;
}

function open(store: Store): Session {
  return createSession({
    id: "before",
    ...{ cwd: "/w", home: "/h", agent: { kind: "main" }, tools: ["Read", "TodoWrite"] },
    ...{ store, configFiles: { read: false }, config: { timeout_ms: 60_000 } },
  });
}

async function texts(session: Session): Promise<string[]> {
  const { reminders } = await session.turn();
  return reminders.map(({ text }) => text);
}

test("AC-40 a session with a snapshot from before versions followed from the slices goes on as it would have then", async () => {
  const given = await fixture();
  const session = open(await storeWith(given));
  expect(await texts(session)).toEqual(given.next);
  expect((await session.state()).damaged).toEqual([]);
});

test("AC-40 the same snapshot under the version of today goes on as well", async () => {
  const given = await fixture();
  given.snapshot.version = stateVersion();
  const session = open(await storeWith(given));
  expect(await texts(session)).toEqual(given.next);
  expect((await session.state()).damaged).toEqual([]);
});

test("AC-40 a snapshot of the right version that lacks any one fact, or a part of one, loses no event", async () => {
  const { facts } = (await fixture()).snapshot.state;
  const parts = ["mailbox", "tasks", "todos"].flatMap((name) =>
    Object.keys(facts[name] ?? {}).map((part) => [name, part] as const),
  );
  for (const [name, part] of [...Object.keys(facts).map((fact) => [fact] as const), ...parts]) {
    const given = await fixture();
    given.snapshot.version = stateVersion();
    if (part === undefined) delete given.snapshot.state.facts[name];
    else delete given.snapshot.state.facts[name]?.[part];
    const session = open(await storeWith(given));
    await session.record({
      ...{ type: "message_received", id: "m4", from: "Bob" },
      ...{ text: "Are you there?", timestamp: "2026-01-01T00:03:00Z" },
    });
    const sent = await texts(session);
    expect(sent.join("\n"), name).toMatch(/Please look at the tests[\s\S]*Thanks[\s\S]*Are you there\?/u);
    expect(sent, name).toHaveLength(given.next.length);
    expect((await session.state()).damaged, name).toEqual([]);
  }
});

test("a snapshot that fits is used: of the entries it covers only the last is looked at", async () => {
  const given = await fixture();
  given.snapshot.version = stateVersion();
  // What facts have had since.
  Object.assign(given.snapshot.state.facts.work ?? {}, { writing: [], subagents: [] });
  Object.assign(given.snapshot.state.facts.files ?? {}, { steps: {} });
  Object.assign(given.snapshot.state.facts.calls ?? {}, { era: 0 });
  const store = await storeWith(given);
  const from: number[] = [];
  const session = open({
    ...store,
    read: (id, after, limit) => {
      from.push(after);
      return store.read(id, after, limit);
    },
  });
  await session.turn();
  // Its last entry tells whether it is still the same log.
  expect(Math.min(...from)).toBe(given.snapshot.seq - 1);
});
