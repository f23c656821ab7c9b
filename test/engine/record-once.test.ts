// An event that is recorded once, whoever tries, however often, and whatever fails meanwhile.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryStore, createSession, createSqliteStore, type Session } from "sotto";
import type { Store } from "sotto/extend";
import { recordOnce } from "sotto/internal";
import { expect, onTestFinished, test } from "vitest";

const event = (prompt: string) => ({ type: "prompt_queued", id: prompt, prompt }) as const;

function open(store: Store): Session {
  const session = createSession({
    id: "s",
    cwd: "/repo",
    home: "/repo/home",
    agent: { kind: "main" },
    configFiles: { read: false },
    config: { timeout_ms: 60_000 },
    store,
  });
  onTestFinished(() => session.close());
  return session;
}

function sqlite(): Store {
  const directory = mkdtempSync(join(tmpdir(), "sotto-once-"));
  const store = createSqliteStore({ path: join(directory, "store.db"), lockWaitMs: 30_000 });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return store;
}

async function promptsIn(store: Store): Promise<string[]> {
  const { entries } = await store.read("s", 0);
  return entries.flatMap((entry) =>
    entry.kind === "event" && entry.event.type === "prompt_queued" ? [entry.event.prompt as string] : [],
  );
}

test.each([
  ["in memory", createMemoryStore],
  ["SQLite", sqlite],
] as const)("AC-38 %s: of many tries by two sessions at once one is recorded", async (_, make) => {
  const store = make();
  const sessions = [open(store), open(store)];
  const tries = Array.from({ length: 20 }, (__, at) =>
    recordOnce(sessions[at % 2] as Session, event(`p${at % 3}`), `n${at % 3}`),
  );
  const recorded = await Promise.all(tries);
  expect(recorded.filter(Boolean).length).toBe(3);
  expect((await promptsIn(store)).sort()).toEqual(["p0", "p1", "p2"]);
  expect(await recordOnce(open(store), event("p0"), "n0")).toBe(false);
});

test.each(["before", "after"] as const)(
  "AC-38 a store that fails %s it has written: tried again, it is there once",
  async (when) => {
    const kept = createMemoryStore();
    let isFailing = false;
    const store: Store = {
      ...kept,
      append: async (...given) => {
        const fails = isFailing && given[1].entries.length > 0;
        if (fails && when === "before") throw new Error("the disk is gone");
        const appended = await kept.append(...given);
        if (fails) throw new Error("the answer got lost");
        return appended;
      },
    };
    const session = open(store);
    await session.open();
    isFailing = true;
    await expect(recordOnce(session, event("p"), "n")).rejects.toThrow(/disk|lost/u);
    isFailing = false;
    expect(await recordOnce(session, event("p"), "n")).toBe(when === "before");
    expect(await promptsIn(kept)).toEqual(["p"]);
    const turn = await session.turn();
    expect(turn.reminders.filter(({ text }) => text.includes("p")).length).toBeGreaterThan(0);
  },
);

test("a malformed event is refused, and its name is free", async () => {
  const store = createMemoryStore();
  const session = open(store);
  await expect(recordOnce(session, { type: "prompt_queued" } as never, "n")).rejects.toThrow(/prompt/u);
  expect(await recordOnce(session, event("p"), "n")).toBe(true);
});
