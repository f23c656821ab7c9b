// Two processes fork a session under the same name at once: one begins it, the other is told so.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSession } from "sotto";
import type { Store } from "sotto/extend";
import { beginLog } from "sotto/internal";
import { expect, onTestFinished, test } from "vitest";
import { createSqliteStore } from "../../packages/sotto/src/stores/sqlite/sqlite.ts";

function stores(count: number) {
  const directory = mkdtempSync(join(tmpdir(), "sotto-fork-"));
  const path = join(directory, "sotto.db");
  const opened = Array.from({ length: count }, () => createSqliteStore({ path }));
  onTestFinished(async () => {
    for (const store of opened) await store.close();
    rmSync(directory, { recursive: true });
  });
  return opened;
}

test("a log is begun once", async () => {
  const all = stores(4);
  const [store] = all;
  for (let round = 0; round < 20; round++) {
    const entry = (at: number) => ({
      v: 1 as const,
      at: new Date(0).toISOString(),
      kind: "event" as const,
      event: { type: "prompt_queued" as const, id: `${at}`, prompt: `From ${at}.` },
    });
    const begun = await Promise.all(
      all.map((one, at) =>
        beginLog(one, `to-${round}`, { entries: [entry(at), entry(at)], now: Date.now() }),
      ),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect((await store?.read(`to-${round}`, 0))?.last).toBe(2);
  }
});

test("session.fork", async () => {
  const [store] = stores(1) as [Store];
  // All look before one of them begins.
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const read: Store["read"] = async (id, ...rest) => {
    const found = await store.read(id, ...rest);
    if (id === "to" && ++looks === 3) looked.resolve();
    if (id === "to" && looks <= 3) await looked.promise;
    return found;
  };
  const forks = await Promise.allSettled(
    ["one", "two", "three"].map(async (id) => {
      const session = createSession({ cwd: tmpdir(), id, store: { ...store, read } });
      await session.turn({ userPrompt: "Begin." });
      return session.fork({ id: "to" });
    }),
  );
  const refused = forks.flatMap((one) => (one.status === "rejected" ? [one.reason.message] : []));
  expect(refused).toEqual(Array(2).fill("fork: a session to exists already"));
});
