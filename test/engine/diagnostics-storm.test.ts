// Each diagnostic is told once while it is true, however many there are: so many in a turn, the others in later ones.

import fc from "fast-check";
import type { Session, Turn } from "sotto";
import { expect, test } from "vitest";
import { openEngine } from "../support/open-engine.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";

const MOST = 30;
const FILES = ["/repo/a.ts", "/repo/b.ts", "/repo/c.ts"];
const SEVERITIES = ["Error", "Warning"] as const;

/** What stands in the files, and what of it the model was told. */
interface World {
  standing: Map<string, Set<string>>;
  told: Set<string>;
}

async function change(session: Session, { standing, told }: World, random: Random): Promise<void> {
  const filePath = random.pick(FILES);
  const before = [...(standing.get(filePath) ?? [])];
  const kept = before.filter(() => random.chance(0.7));
  const added = Array.from({ length: random.below(60) }, () => `${filePath} D${random.below(200)}X`);
  const now = new Set([...kept, ...added]);
  standing.set(filePath, now);
  // What is fixed is forgotten: back again, it is told again.
  for (const name of before) if (!now.has(name)) told.delete(name);
  await session.record({
    type: "diagnostics_published",
    origin: "lsp",
    filePath,
    diagnostics: [...now].map((message, index) => ({
      message,
      line: index + 1,
      severity: SEVERITIES[message.length % 2] as "Error",
    })),
  });
}

const named = (turn: Turn): string[] =>
  turn.reminders.flatMap(({ text }) =>
    [...text.matchAll(/\] (\/repo\/\S+ D\d+X)$/gmu)].map(([, name]) => `${name}`),
  );

/** A turn tells what is true and new, and no more than it may. */
async function take(session: Session, world: World, works: boolean): Promise<number> {
  const turn = await session.turn();
  const names = named(turn);
  const isDue = (name: string) =>
    [...world.standing.values()].some((now) => now.has(name)) && !world.told.has(name);
  expect(names.filter((name) => !isDue(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  // What a failed call had said comes again beside what is new.
  for (const { text } of turn.reminders)
    expect((text.match(/^Line /gmu) ?? []).length).toBeLessThanOrEqual(MOST);
  if (!works) {
    await turn.abandon();
    return names.length;
  }
  await turn.commit();
  await session.record({ type: "assistant_turn" });
  for (const name of names) world.told.add(name);
  return names.length;
}

test("none is lost and none told twice, over publications, fixes, failed calls and compactions", async () => {
  const property = fc.asyncProperty(seeds, async (seed) => {
    const random = seeded(seed);
    const session = openEngine();
    const world: World = { standing: new Map(), told: new Set() };
    for (let step = 0; step < 60; step++) {
      if (random.chance(0.3)) await change(session, world, random);
      if (random.chance(0.1)) await session.record({ type: "compacted" });
      await take(session, world, random.chance(0.75));
    }
    while ((await take(session, world, true)) > 0);
    expect([...world.told].sort()).toEqual([...world.standing.values()].flatMap((now) => [...now]).sort());
  });
  await fc.assert(property, runs(15));
});
