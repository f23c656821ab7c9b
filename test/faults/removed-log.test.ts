// A session's log is removed or replaced while a process has it open: what is recorded afterwards is told, in every process.

import { join } from "node:path";
import { anthropicMessages, createMemoryStore, createSession, createSqliteStore, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { createPostgresStore } from "sotto/postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../../packages/cli/test/run-sotto.ts";
import { testSchema } from "../support/postgres.ts";
import { countCanaries, toEvent } from "./canaries.ts";

/** Two that share what they hold, as two processes do. */
const stores: Record<string, () => Promise<[Store, Store]>> = {
  async memory() {
    const store = createMemoryStore();
    return [store, store];
  },
  async sqlite() {
    const path = join(temporaryDirectory(), "s.db");
    return [createSqliteStore({ path }), createSqliteStore({ path })];
  },
  async postgres() {
    const { url, drop } = await testSchema();
    onTestFinished(drop);
    return [createPostgresStore({ connectionString: url }), createPostgresStore({ connectionString: url })];
  },
};

const say = (word: string) => toEvent({ word, kind: "message" });
const words = (many: number, from = 1) =>
  Array.from({ length: many }, (_, index) => `CANARY-${String.fromCharCode(65 + from + index)}`);

async function told(session: Session): Promise<string[]> {
  const body = { messages: [{ role: "user" as const, content: "Go on." }] };
  const turn = await session.turn({ dialect: anthropicMessages, body });
  await turn.commit();
  return [...countCanaries(JSON.stringify(turn.body)).keys()].sort();
}

describe.each(Object.entries(stores))("%s", (_, open) => {
  async function ground() {
    const [own, others] = await open();
    onTestFinished(async () => {
      await own.close();
      await others.close();
    });
    const sessionOn = (store: Store) =>
      createSession({ id: "s", cwd: "/", agent: { kind: "main" }, store, config: { timeout_ms: 30_000 } });
    const session = sessionOn(own);
    await session.record(say("CANARY-OLD"));
    expect(await told(session)).toEqual(["CANARY-OLD"]);
    return { own, others, session, sessionOn };
  }

  it.each([
    ["shorter than the old one", 1],
    ["longer than the old one", 15],
  ])("the new log is %s", async (_, many) => {
    const { others, session, sessionOn } = await ground();
    expect(await others.remove("s", { now: Date.now() })).toEqual({ ok: true });
    const other = sessionOn(others);
    for (const word of words(many)) await other.record(say(word));
    await session.record(say("CANARY-A"));
    expect(await told(session)).toEqual(expect.arrayContaining(["CANARY-A", ...words(many)]));
    expect(await told(other)).toEqual(expect.arrayContaining(["CANARY-A", ...words(many)]));
    await Promise.all([session.close(), other.close()]);
  });

  it("nothing is recorded before the next turn, and its snapshot of the old log is not believed", async () => {
    const { own, others, session, sessionOn } = await ground();
    for (let n = 0; n < 60; n++)
      await session.record({ type: "task_progress", taskId: "t", message: `${n}` });
    await session.close();
    const kept = await others.snapshot("s");
    const again = sessionOn(own);
    await again.open();
    await others.remove("s", { now: Date.now() });
    expect(await told(again)).toEqual([]);
    await others.remove("s", { now: Date.now() });
    await again.close();
    expect(kept?.seq).toBeGreaterThan(40);
    if (kept !== undefined) await others.saveSnapshot("s", kept);
    const last = sessionOn(others);
    await last.record(say("CANARY-NEW"));
    expect(await told(last)).toEqual(["CANARY-NEW"]);
    await last.close();
  });
});

it("an earlier state of the log is restored: the process takes it for what it is", async () => {
  const { url, query, drop } = await testSchema();
  const store = createPostgresStore({ connectionString: url });
  onTestFinished(async () => {
    await store.close();
    await drop();
  });
  const session = createSession({ id: "s", cwd: "/", agent: { kind: "main" }, store });
  await session.record(say("CANARY-KEPT"));
  const { last } = await store.read("s", 0);
  await session.record(say("CANARY-LOST"));
  await query(`DELETE FROM $SCHEMA.entries WHERE seq > ${last}; UPDATE $SCHEMA.sessions SET last = ${last}`);
  await session.record(say("CANARY-NEW"));
  expect(await told(session)).toEqual(["CANARY-KEPT", "CANARY-NEW"]);
  await session.close();
});
