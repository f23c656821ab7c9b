// Files change behind the agent's back in every way, while it reads, writes, is asked, forks, goes back and is summed up:
// at each turn the model knows what is different, by notices that fit what it had seen, and hears nothing needless.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createSqliteStore, type Session } from "sotto";
import { describe, expect, it } from "vitest";
import { CANARY } from "../support/changing-files.ts";
import { beginLife, live } from "../support/file-life.ts";
import { changesIn, createFileWorld, type FileWorld, openIn } from "../support/file-world.ts";
import { runs, seeds, times } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

/** All bytes of a store, if there is one. */
function keptIn(directory: string): string {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.map((name) => readFileSync(join(directory, name), "latin1")).join();
}

describe("files that change behind the agent's back", () => {
  it("AC-12 AC-14 AC-40 AC-48 AC-49 are told once, rightly, and nothing else is", async () => {
    let told = 0;
    const property = fc.asyncProperty(seeds, async (seed) => {
      const world = createFileWorld();
      const life = beginLife(world, seeded(seed));
      try {
        const problems = await live(life);
        const story = problems.length === 0 ? [] : life.story;
        expect({ problems, story }).toEqual({ problems: [], story: [] });
        told += life.count;
        const [kept, handed] = [keptIn(world.at(".store")), life.handed.join()];
        expect([kept.includes(CANARY), handed.includes(CANARY)]).toEqual([false, false]);
        // What may be kept is, and in plain letters.
        expect([kept === "" || kept.includes("line "), handed.includes("line ")]).toEqual([true, true]);
      } finally {
        await life.close();
        world.remove();
      }
    });
    await fc.assert(property, runs(30));
    // Lives in which nothing is told would prove nothing.
    expect(told).toBeGreaterThan(times(30) * 20);
  });
});

describe("two processes on one session", () => {
  /** Both read the same log, each by its own connection. */
  async function both(run: (world: FileWorld, sessions: [Session, Session]) => Promise<void>) {
    const world = createFileWorld();
    const stores = [1, 2].map(() => createSqliteStore({ path: world.at("s.db"), lockWaitMs: 30_000 }));
    const [one, other] = stores.map((store) => openIn(world, { id: "s", store })) as [Session, Session];
    try {
      world.write("a.ts", "version 0\n");
      await one.record({ type: "file_read", path: "a.ts" });
      for (const session of [one, other]) await (await session.turn()).commit();
      await run(world, [one, other]);
    } finally {
      for (const session of [one, other]) await session.close();
      for (const store of stores) await store.close();
      world.remove();
    }
  }

  it("AC-12 AC-38 that notice the same change at once tell it once", async () => {
    await both(async (world, sessions) => {
      for (let version = 1; version <= 25; version++) {
        world.write("a.ts", `version ${version}\n`);
        const turns = await Promise.all(sessions.map((session) => session.turn()));
        const told = turns.flatMap((turn) => turn.attachments.map(({ data }) => data));
        const snippet = `   1 - version ${version - 1}\n   1 + version ${version}`;
        expect(told).toEqual([{ filename: world.at("a.ts"), snippet }]);
        await Promise.all(turns.map((turn) => turn.commit()));
      }
    });
  });

  it("AC-12 AC-14 that take turns know what the other has told, read and written", async () => {
    await both(async (world, [one, other]) => {
      world.write("a.ts", "version 1\n");
      const first = await one.turn();
      expect(changesIn(first, world)).toEqual({ edited_text_file: ["a.ts"] });
      await first.commit();
      expect((await other.turn()).reminders).toEqual([]);
      world.write("a.ts", "version 2\n");
      await one.record({ type: "file_written", path: "a.ts" });
      expect((await other.turn()).reminders).toEqual([]);
      world.write("a.ts", "version 3\n");
      const second = await other.turn();
      expect(second.attachments.map(({ data }) => data)).toEqual([
        { filename: world.at("a.ts"), snippet: "   1 - version 2\n   1 + version 3" },
      ]);
    });
  });

  it("AC-12 do not miss a file that was there again only while the other looked", async () => {
    await both(async (world, [one, other]) => {
      const path = world.at("a.ts");
      rmSync(path);
      await (await one.turn()).commit();
      expect((await other.turn()).reminders).toEqual([]);
      world.write("a.ts", "version 1\n");
      await (await one.turn()).commit();
      rmSync(path);
      expect(changesIn(await other.turn(), world)).toEqual({ deleted_file: ["a.ts"] });
    });
  });
});
