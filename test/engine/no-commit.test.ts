// Hosts that never say how a call ended, and calls that failed: nothing is lost, nothing comes twice.

import fc from "fast-check";
import { createMemoryStore, type Turn } from "sotto";
import { explain } from "sotto/inspect";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { type WireBody, wires } from "../support/agent-wire.ts";
import { openEngine, roomy } from "../support/open-engine.ts";
import { partingOf, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const id = "one";

describe.each(wires)("$name", (wire) => {
  function open(seed: number) {
    const random = seeded(seed);
    const store = createMemoryStore();
    const session = openEngine({ id, store, config: roomy });
    return { random, store, session, client: createClient(wire, random), world: createWorld(random) };
  }

  test("AC-49 a history that goes past a reminder with an answer confirms it", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const { random, store, session, client, world } = open(seed);
      for (let turn = 1; turn <= 15; turn++) {
        for (let count = random.below(3); count > 0; count--) await recordAny(session, world.oneShot());
        const { number, body } = await session.turn({ dialect: wire.dialect, body: client.request() });
        const states = explain((await store.read(id, 0)).entries).map(({ turn: at, deliveries }) => ({
          at,
          states: [...new Set(deliveries.map(({ state }) => state))],
        }));
        const open = states.filter((one) => one.states.includes("offered")).map(({ at }) => at);
        expect(open.filter((at) => at !== number)).toEqual([]);
        expect(states.flatMap((one) => one.states)).not.toContain("abandoned");
        expect(unsaid(body, world.marks)).toEqual([]);
        expect(saidTwice(body, world.marks)).toEqual([]);
        client.goOn();
      }
    });
    await fc.assert(property, runs(10));
  });

  test("AC-49 an abandoned turn loses nothing, wherever the conversation goes from there", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const { random, session, client, world } = open(seed);
      for (let turn = 1; turn <= 20; turn++) {
        let failed: Turn<WireBody> | undefined;
        for (let tries = random.below(4); tries >= 0; tries--) {
          if (random.chance(0.6)) await recordAny(session, world.oneShot());
          const next = await session.turn({ dialect: wire.dialect, body: client.request() });
          expect(unsaid(next.body, world.marks)).toEqual([]);
          expect(saidTwice(next.body, world.marks)).toEqual([]);
          const ids = new Set(next.reminders.map((reminder) => reminder.id));
          for (const one of failed?.reminders ?? []) if (isOneShot(one.type)) expect(ids).toContain(one.id);
          if (tries === 0) {
            if (random.chance(0.5)) await next.commit();
            break;
          }
          await next.abandon();
          failed = next;
          const same = random.chance(0.5);
          const longer = !same && random.chance(0.5);
          if (longer) client.say();
          if (same || longer) {
            const after = await session.turn({ dialect: wire.dialect, body: client.request() });
            expect(partingOf(wire, next.body, after.body)).toBeUndefined();
            await after.abandon();
            failed = after;
          } else if (client.messages.at(-1)?.role === "user" && client.messages.length > 1) {
            const last = client.messages.pop();
            if (/tool_result|functionResponse/u.test(JSON.stringify(last)))
              client.messages.push(last as never);
            client.messages.push(wire.prompt(`In other words, ${turn} ${tries}.`));
            // Many one-shots may be one reminder now: not the same ids, but all of them.
            failed = undefined;
          }
        }
        client.goOn();
      }
    });
    await fc.assert(property, runs(12));
  });

  test("AC-49 an answer counts although an earlier try of the same request was given up meanwhile", async () => {
    const { session, store, client } = open(1);
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const first = await session.turn({ dialect: wire.dialect, body: client.request() });
    await session.record({ type: "prompt_queued", id: "q", prompt: "M2X" });
    const second = await session.turn({ dialect: wire.dialect, body: client.request() });
    await first.abandon();
    await second.commit();
    const told = explain((await store.read(id, 0)).entries).flatMap(({ deliveries }) => deliveries);
    expect(told.map(({ state }) => state)).toEqual(["confirmed", "confirmed"]);
  });

  test("AC-49 what was given up and comes back keeps its place among the others there", async () => {
    const { session, client } = open(1);
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const first = await session.turn({ dialect: wire.dialect, body: client.request() });
    await session.record({ type: "prompt_queued", id: "q", prompt: "M2X" });
    const second = await session.turn({ dialect: wire.dialect, body: client.request() });
    await first.abandon();
    for (let again = 1; again <= 3; again++) {
      const next = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(next.body).toEqual(second.body);
    }
  });
});

function isOneShot(type: string): boolean {
  return ["teammate_mailbox", "queued_command", "diagnostics", "task_status"].includes(type);
}
