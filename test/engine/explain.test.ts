// Reading a log back says what the turns said: outcomes that still hold, states of deliveries, what it all took.

import fc from "fast-check";
import { createMemoryStore, type Reminder, type TraceEntry } from "sotto";
import type { Store } from "sotto/extend";
import { createLedger, explain } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import { expect, test } from "vitest";
import { openEngine } from "../support/open-engine.ts";
import { publicType } from "../support/public-type.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const config = { max_tokens_per_turn: 300, critical_instruction: "Run the tests." };

interface Told {
  turn: number;
  trace: TraceEntry[];
}

interface Said extends Pick<Reminder, "id" | "type" | "tokens"> {
  state: "offered" | "confirmed" | "abandoned";
}

/** Thirty turns at random, compactions and rewinds among them; what each said is kept beside the log. */
async function live(random: Random, store: Store) {
  const session = openEngine({ config, store, id: "s" });
  const world = createWorld(random);
  const told: Told[] = [];
  // A rewind may make room for the same thing once more: it is then said, and paid for, a second time.
  const said: Said[] = [];
  const settle = (ids: readonly string[], state: Said["state"]) => {
    for (const id of ids) (said.findLast((one) => one.id === id) as Said).state = state;
  };
  for (let count = 1; count <= 30; count++) {
    for (let events = random.below(3); events > 0; events--) await recordAny(session, world.event());
    if (random.chance(0.05)) await session.record({ type: "compacted" });
    if (random.chance(0.1) && told.length > 2)
      await session.record({ type: "rewound", toTurn: random.below((told.at(-1) as Told).turn) });
    const turn = await session.turn();
    told.push({ turn: turn.number, trace: turn.trace });
    const ids = turn.reminders.map(({ id }) => id);
    for (const { id, type, tokens, again } of turn.reminders)
      if (again) settle([id], "offered");
      else said.push({ id, type, tokens, state: "offered" });
    // The session's last turn is left open.
    const fate = count === 30 ? "open" : random.pick(["commit", "commit", "abandon", "answer"]);
    if (fate === "commit" && (await turn.commit())) settle(ids, "confirmed");
    if (fate === "abandon" && (await turn.abandon())) settle(ids, "abandoned");
    if (fate === "commit" || fate === "answer") await session.record({ type: "assistant_turn" });
    if (fate === "answer") settle(ids, "confirmed");
  }
  const { entries } = await store.read("s", 0);
  return { entries, told, said };
}

test("every turn's outcomes come back as they were, also those that had not changed for long", async () => {
  const property = fc.asyncProperty(seeds, async (seed) => {
    const { entries, told, said } = await live(seeded(seed), createMemoryStore());
    const explained = explain(entries);
    expect(explained.map(({ turn }) => turn)).toEqual(told.map(({ turn }) => turn));
    for (const [index, { turn, trace }] of told.entries()) {
      const outcomes = Object.entries(explained[index]?.outcomes ?? {});
      expect(
        Object.fromEntries(outcomes.map(([type, { outcome, reason }]) => [type, { outcome, reason }])),
      ).toEqual(Object.fromEntries(trace.map(({ type, outcome, reason }) => [type, { outcome, reason }])));
      for (const [, { since }] of outcomes) expect(since).toBeLessThanOrEqual(turn);
    }
    const states = explained.flatMap(({ deliveries }) =>
      deliveries.map(({ id, type, tokens, state }) => ({ id, type: publicType(type), tokens, state })),
    );
    // What was only noted is in the log, and takes nothing.
    expect(states.filter(({ tokens }) => tokens > 0)).toEqual(said);
  });
  await fc.assert(property, runs(15));
});

test("the ledger adds up to what was said, given up and spared", async () => {
  const property = fc.asyncProperty(seeds, async (seed) => {
    const { entries, told, said } = await live(seeded(seed), createMemoryStore());
    const ledger = createLedger();
    entries.forEach(ledger.open("s"));
    let sums: Record<string, number[]> = {};
    const add = (type: string, amounts: readonly number[]) => {
      const before = sums[type] ?? [0, 0, 0, 0, 0];
      sums[type] = before.map((sum, index) => sum + (amounts[index] ?? 0));
    };
    for (const { type, tokens, state } of said)
      add(type, state === "abandoned" ? [0, 0, 1, 0, 0] : [1, tokens, 0, 0, 0]);
    for (const { trace } of told)
      for (const { type, spared } of trace)
        if (spared !== undefined) add(publicType(type), [0, 0, 0, spared.count, spared.tokens]);
    const expected = sums;
    const lines = ledger.lines();
    sums = {};
    for (const line of lines)
      add(publicType(line.type), [line.said, line.tokens, line.abandoned, line.spared, line.sparedTokens]);
    expect(sums).toEqual(expected);
    expect(new Set(lines.map(({ day }) => day)).size).toBe(1);
  });
  await fc.assert(property, runs(10));
});

test("what comes back after compaction is told apart, and a fork does not pay for what its parent said", async () => {
  const store = createMemoryStore();
  const session = openEngine({
    store,
    id: "parent",
    config: { critical_instruction: "Run the tests.", attachments: { critical_instruction: false } },
  });
  const turn = async (from = session) => {
    await (await from.turn()).commit();
    await from.record({ type: "assistant_turn" });
  };
  await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
  await turn();
  await turn();
  await session.record({ type: "compacted" });
  await turn();
  const child = await session.fork({ id: "child" });
  await child.record({ type: "prompt_queued", id: "q", prompt: "hi" });
  await turn(child);

  const ledger = createLedger({ dayOf: () => "today" });
  for (const id of ["parent", "child"]) (await store.read(id, 0)).entries.forEach(ledger.open(id));
  const lines = ledger.lines().filter(({ said }) => said > 0);
  expect(lines.map(({ session: id, type, said, saidAgain }) => ({ id, type, said, saidAgain }))).toEqual([
    { id: "parent", type: "plan_mode", said: 2, saidAgain: 1 },
    { id: "child", type: "queued_command", said: 1, saidAgain: 0 },
  ]);
  const spared = ledger.lines().find(({ session: id, type }) => id === "parent" && type === "plan_mode");
  expect(spared).toMatchObject({ spared: 1, sparedTokens: expect.any(Number) });
  expect(spared?.sparedTokens).toBeGreaterThan(100);
});

test("what was before a time counts for nothing", async () => {
  const store = createMemoryStore();
  const session = openEngine({ store, id: "s" });
  await session.record({ type: "prompt_queued", id: "q", prompt: "hi" });
  await (await session.turn()).commit();
  const { entries } = await store.read("s", 0);
  const linesSince = (since: number) => {
    const ledger = createLedger({ since });
    entries.forEach(ledger.open("s"));
    return ledger.lines().flatMap(({ type, said }) => (said > 0 ? [type] : []));
  };
  const last = Date.parse(entries.at(-1)?.at ?? "");
  expect([linesSince(0), linesSince(last + 1)]).toEqual([["queued_command"], []]);
});
