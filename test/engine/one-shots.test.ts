// What happened is said once: whatever fails, whoever asks at the same time. The checker looks at requests only.

import fc from "fast-check";
import { createMemoryStore, type Session, type Turn } from "sotto";
import type { Source, Store, StoredEvent } from "sotto/extend";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../support/agent-client.ts";
import { anthropic, handWires, listOf, prompt, type WireBody } from "../support/agent-wire.ts";
import { useOwnDeadlines } from "../support/deadlines.ts";
import { createFlakyStore } from "../support/flaky-store.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { countMarks, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld, type World } from "../support/world.ts";

useOwnDeadlines();

const styles = ["drops", "keeps", "places"] as const;
type Style = (typeof styles)[number];

interface Host {
  style: Style;
  random: Random;
  session: Session;
  client: Client;
  world: World;
  /** Ids of reminders that stand in its history, where it places them itself. */
  placed: Set<string>;
}

/** Asks for a turn, calls the model, which answers or not; what was sent. */
async function exchange(host: Host, works: boolean): Promise<{ sent: WireBody; said: number }> {
  const { style, random, session, client, world, placed } = host;
  const { turn, sent, fresh } = await askForTurn(host);
  expect(saidTwice(sent, world.marks)).toEqual([]);
  if (!works) {
    if (random.chance(0.6)) await turn.abandon();
    return { sent, said: turn.reminders.length };
  }
  if (style === "places") {
    client.messages = listOf(client.wire, sent);
    for (const id of fresh) placed.add(id);
  } else client.sent(sent);
  client.goOn();
  if (style === "places" && random.chance(0.3))
    await session.record({ type: "assistant_turn" }).catch(() => undefined);
  else if (style === "places" || random.chance(0.5)) await turn.commit();
  return { sent, said: turn.reminders.length };
}

async function askForTurn(host: Host): Promise<{ turn: Turn<unknown>; sent: WireBody; fresh: string[] }> {
  const { style, session, client, placed } = host;
  const body = client.request();
  if (style !== "places") {
    const turn = await session.turn({ dialect: client.wire.dialect, body });
    return { turn, sent: turn.body, fresh: [] };
  }
  const turn = await session.turn();
  const fresh = turn.reminders.filter(({ id }) => !placed.has(id));
  const messages = fresh.map(({ text }) => prompt(text));
  return {
    turn,
    sent: { ...body, messages: [...listOf(client.wire, body), ...messages] },
    fresh: fresh.map(({ id }) => id),
  };
}

/** A host tells again what was not taken; what happened has an id, so that this says nothing twice. */
async function recordSurely(session: Session, event: StoredEvent): Promise<void> {
  for (;;) {
    const taken = await recordAny(session, event).then(
      () => true,
      () => false,
    );
    if (taken) return;
  }
}

/** A source that throws, or never answers, now and then. */
function moody(random: Random): Source {
  return {
    fact: "planFile",
    observe(_turn, signal) {
      if (random.chance(0.2)) throw new Error("no idea");
      if (!random.chance(0.02)) return { exists: false };
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("late"))));
    },
  };
}

describe("AC-38 one-shots through failing stores, calls and sources", () => {
  const hosts = fc.record({
    seed: seeds,
    style: fc.constantFrom(...styles),
    dialect: fc.constantFrom(...handWires.map(({ name }) => name)),
  });

  test("each is in the final history once, and never twice in any request", async () => {
    const property = fc.asyncProperty(hosts, async ({ seed, style, dialect }) => {
      const random = seeded(seed);
      const wire = handWires.find(({ name }) => name === dialect) ?? anthropic;
      const store = createFlakyStore(createMemoryStore(), random, 0.06);
      const config = { ...roomy, timeout_ms: 50, claim_ttl_ms: 1000 };
      const session = openEngine({ store, config, sources: [moody(random)] });
      const client = createClient(wire, random, { keeps: style === "keeps" });
      const host = { style, random, session, client, world: createWorld(random), placed: new Set<string>() };
      for (let turn = 1; turn <= 25; turn++) {
        for (let count = random.below(3); count > 0; count--)
          await recordSurely(session, host.world.oneShot());
        await exchange(host, random.chance(0.7));
      }
      store.mend();
      let last = await exchange(host, true);
      for (let more = 1; more <= 4; more++) last = await exchange(host, true);
      expect(unsaid(last.sent, host.world.marks)).toEqual([]);
      expect(saidTwice(last.sent, host.world.marks)).toEqual([]);
    });
    await fc.assert(property, runs(30));
  });
});

describe("AC-38 a host that gets nothing", () => {
  test("has its model's answer to something else than what an earlier turn had handed it", async () => {
    const memory = createMemoryStore();
    let broken = false;
    const read: Store["read"] = (...asked) =>
      broken ? Promise.reject(new Error("no disk")) : memory.read(...asked);
    const session = openEngine({ store: { ...memory, read } });
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const lost = await session.turn();
    expect(unsaid(lost.reminders, ["M1X"])).toEqual([]);
    broken = true;
    expect((await session.turn()).problem).toBe("no disk");
    broken = false;
    await session.record({ type: "assistant_turn" });
    expect(unsaid((await session.turn()).reminders, ["M1X"])).toEqual([]);
  });
});

describe("AC-38 several turns at once", () => {
  test("hosts that place reminders themselves get each one-shot in one of them", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config: { ...roomy, critical_instruction: "Run the tests." } });
      const world = createWorld(random);
      const history: string[] = [];
      for (let round = 1; round <= 10; round++) {
        for (let count = random.below(4); count > 0; count--) void recordAny(session, world.oneShot());
        const turns = await Promise.all(Array.from({ length: 1 + random.below(4) }, () => session.turn()));
        const said = turns.flatMap(({ reminders }) => reminders.map(({ text }) => text));
        expect(saidTwice(said, world.marks)).toEqual([]);
        for (const { reminders } of turns)
          expect(reminders.map(({ type }) => type)).toContain("critical_system_reminder");
        for (const { reminders, commit, abandon } of turns) {
          const works = random.chance(0.6);
          if (works) history.push(...reminders.map(({ text }) => text));
          await (works ? commit() : abandon());
        }
        expect(saidTwice(history, world.marks)).toEqual([]);
      }
      const { reminders } = await session.turn();
      history.push(...reminders.map(({ text }) => text));
      expect(saidTwice(history, world.marks)).toEqual([]);
      expect(unsaid(history, world.marks)).toEqual([]);
    });
    await fc.assert(property, runs(20));
  });

  test.each(handWires)("$name: each history has each one-shot once", async (wire) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config: roomy });
      const world = createWorld(random);
      let client = createClient(wire, random, { dull: false });
      for (let round = 1; round <= 8; round++) {
        for (let count = random.below(4); count > 0; count--) void recordAny(session, world.oneShot());
        const known = [...world.marks];
        const siblings = Array.from({ length: 1 + random.below(3) }, (_, index) => {
          const sibling = createClient(wire, random, { name: `${round}-${index}-`, dull: false });
          sibling.messages = [...client.messages];
          if (index > 0 && random.chance(0.5)) sibling.say();
          return sibling;
        });
        const turns = await Promise.all(
          siblings.map((sibling) => session.turn({ dialect: wire.dialect, body: sibling.request() })),
        );
        for (const { body } of turns) {
          expect(saidTwice(body, world.marks)).toEqual([]);
          expect([...countMarks(body, known).keys()].sort()).toEqual(known.sort());
        }
        for (const { commit, abandon } of turns) {
          if (random.chance(0.5)) await commit();
          else if (random.chance(0.6)) await abandon();
        }
        client = random.pick(siblings);
        client.goOn();
      }
    });
    await fc.assert(property, runs(12));
  });
});
