// Files change behind the agent's back in every way, while it reads, writes, is asked, forks, goes back and is summed up:
// at each turn the model knows what is different, by notices that fit what it had seen, and hears nothing needless.

import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CANARY } from "../support/changing-files.ts";
import { beginLife, live } from "../support/file-life.ts";
import { createFileWorld } from "../support/file-world.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";

describe("files that change behind the agent's back", () => {
  it("AC-12 AC-14 AC-40 AC-48 AC-49 are told once, rightly, and nothing else is", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const world = createFileWorld();
      const life = beginLife(world, seeded(seed));
      try {
        const problems = await live(life);
        const story = problems.length === 0 ? [] : life.story;
        expect({ problems, story }).toEqual({ problems: [], story: [] });
        const bytes = [".store/s.db", ".store/s.db-wal"].map(world.at).filter(existsSync);
        expect(life.handed.filter((text) => text.includes(CANARY))).toEqual([]);
        expect(bytes.filter((path) => readFileSync(path).includes(CANARY))).toEqual([]);
      } finally {
        await life.close();
        world.remove();
      }
    });
    await fc.assert(property, runs(20));
  });
});
