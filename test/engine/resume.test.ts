// Resumed, forked or rewound, a session goes on as if nothing had happened.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createMemoryStore, createSqliteStore, type Session, type Turn } from "sotto";
import type { Store, StoredEvent } from "sotto/extend";
import { recordAny } from "sotto/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Client, createClient } from "../support/agent-client.ts";
import { handWires, openai, prompt, type Wire } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";
import { runs, seeds } from "../support/runs.ts";
import { drawSteps, play, type Sight, type Step } from "../support/script.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

let directory: string;
let files = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sotto-resume-"));
});
afterAll(() => rm(directory, { recursive: true }));

const stores: [string, () => Store][] = [
  ["the memory store", () => createMemoryStore()],
  ["SQLite", () => createSqliteStore({ path: join(directory, `${++files}.db`) })],
];
const hosts = fc.record({
  seed: seeds,
  host: fc.constantFrom("anthropic-messages", "openai-chat", "places them itself"),
});

function open(store: Store, id = "one"): Session {
  const config = { critical_instruction: "Run the tests.", enable_token_usage: true };
  return openEngine({ id, store, config });
}

/** What a rewind leaves: things that happened outside the conversation, and all that happened before the next turn. */
function left([first, ...steps]: readonly Step[]): StoredEvent[] {
  const inside = [
    ...["mode_changed", "todos_written", "tool_finished", "agent_mentioned", "resource_attached"],
    ...["plan_implemented", "skill_invoked", "tool_results_cleared"],
  ];
  const later = steps.flatMap(({ events }) => events).filter(({ type }) => !inside.includes(type));
  return [...(first?.events ?? []), ...later];
}

function scriptOf(seed: number, counts: readonly number[]): Step[][] {
  const random = seeded(seed);
  const world = createWorld(random);
  return counts.map((count) => drawSteps(random, world, count));
}

function clientOf(wire: Wire | undefined, seed: number, name: string, after?: Client): Client | undefined {
  if (wire === undefined) return undefined;
  const client = createClient(wire, seeded(seed), { name });
  if (after !== undefined) client.messages = [...after.messages];
  return client;
}

async function playAll(
  session: Session,
  steps: readonly Step[],
  client: Client | undefined,
): Promise<Sight[]> {
  const sights: Sight[] = [];
  for (const step of steps) sights.push(...(await play(session, step, client)));
  return sights;
}

describe.each(stores)("%s", (_, createStore) => {
  test("AC-40 a session that is closed and opened again goes on the same", async () => {
    const property = fc.asyncProperty(hosts, async ({ seed, host }) => {
      const wire = handWires.find(({ name }) => name === host);
      const [steps = []] = scriptOf(seed, [25]);
      const whole = createStore();
      const expected = await playAll(open(whole), steps, clientOf(wire, seed, "a"));
      await whole.close();
      const store = createStore();
      const client = clientOf(wire, seed, "a");
      const sights: Sight[] = [];
      const random = seeded(seed + 1);
      let session = open(store);
      for (const step of steps) {
        if (random.chance(0.3)) {
          await session.close();
          session = open(store);
        }
        sights.push(...(await play(session, step, client)));
      }
      expect(sights).toEqual(expected);
      await store.close();
    });
    await fc.assert(property, runs(6));
  });

  test("AC-40 a fork goes on as the session it came from", async () => {
    const property = fc.asyncProperty(hosts, async ({ seed, host }) => {
      const wire = handWires.find(({ name }) => name === host);
      const [before = [], after = []] = scriptOf(seed, [12, 10]);
      const store = createStore();
      const session = open(store);
      const client = clientOf(wire, seed, "a");
      await playAll(session, before, client);
      const fork = await session.fork();
      const forked = await playAll(fork, after, clientOf(wire, seed + 1, "b", client));
      const expected = await playAll(session, after, clientOf(wire, seed + 1, "b", client));
      expect(forked).toEqual(expected);
      await store.close();
    });
    await fc.assert(property, runs(6));
  });

  test("AC-40 a rewound session, and a fork from an earlier turn, go on as if what came later had not been said", async () => {
    const property = fc.asyncProperty(hosts, async ({ seed, host }) => {
      const wire = handWires.find(({ name }) => name === host);
      const [before = [], undone = [], after = []] = scriptOf(seed, [8, 8, 8]);
      if (undone[0] !== undefined) undone[0].compacts = false;
      // Else the turn behind it would find it answered, and that stays known.
      for (const last of before.slice(-1)) last.end = "commit";
      const other = createStore();
      const reference = open(other);
      const first = clientOf(wire, seed, "a");
      await playAll(reference, before, first);
      for (const event of left(undone)) await recordAny(reference, event);
      const expected = await playAll(reference, after, clientOf(wire, seed + 2, "c", first));
      await other.close();

      const store = createStore();
      const session = open(store);
      await playAll(session, before, clientOf(wire, seed, "a"));
      const toTurn = await lastTurn(store, "one");
      await playAll(session, undone, clientOf(wire, seed + 1, "b", first));
      const fork = await session.fork({ turn: toTurn });
      await session.record({ type: "rewound", toTurn });
      expect(await playAll(session, after, clientOf(wire, seed + 2, "c", first))).toEqual(expected);
      expect(await playAll(fork, after, clientOf(wire, seed + 2, "c", first))).toEqual(expected);
      await store.close();
    });
    await fc.assert(property, runs(6));
  });
});

describe("AC-40 AC-49", () => {
  const said = (turn: Turn<unknown>) => turn.reminders.map(({ text }) => text.match(/M\d+X/u)?.[0]);

  test("a fork says at once what the other session's host has in its hands", async () => {
    const session = open(createMemoryStore());
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const held = await session.turn();
    const fork = await session.fork();
    await held.commit();
    expect(said(await fork.turn())).toContain("M1X");
    expect(said(await session.turn())).not.toContain("M1X");
  });

  test("a rewound session says again what was given up before, and confirms it, though the log had it settled", async () => {
    const { dialect, body, reply } = openai;
    const session = open(createMemoryStore());
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const first = await session.turn({ dialect, body: body([prompt("One.")]) });
    await first.abandon();
    const later = [prompt("One."), ...reply("Yes.", []), prompt("Two.")];
    await (await session.turn({ dialect, body: body(later) })).commit();
    await session.record({ type: "rewound", toTurn: first.number });
    await session.record({ type: "prompt_queued", id: "q", prompt: "M2X" });
    const other = [prompt("One."), ...reply("Yes.", []), prompt("Three.")];
    const again = await session.turn({ dialect, body: body(other) });
    expect(said(again).filter(Boolean)).toEqual(["M1X", "M2X"]);
    const next = await session.turn({
      dialect,
      body: body([...other, ...reply("Fine.", []), prompt("Four.")]),
    });
    expect(said(next).filter(Boolean)).toEqual([]);
    expect(next.trace.find(({ type }) => type === "critical_system_reminder")?.outcome).toBe("sent");
  });
});

async function lastTurn(store: Store, id: string): Promise<number> {
  const { entries } = await store.read(id, 0);
  return Math.max(...entries.flatMap((entry) => (entry.kind === "turn" ? [entry.turn] : [])));
}
