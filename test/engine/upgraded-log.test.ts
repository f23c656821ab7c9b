// A log of an earlier version, which hashed histories in another way: what was sent stays where it was sent.

import fc from "fast-check";
import { createMemoryStore } from "sotto";
import type { Entry, Store } from "sotto/extend";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { shaSums } from "../../packages/sotto/src/history/sha-sums.ts";
import { type SumsForm, wordSums } from "../../packages/sotto/src/history/sums.ts";
import { nodePlatform } from "../../packages/sotto/src/platform/node-platform.ts";
import { createClient } from "../support/agent-client.ts";
import { type WireBody, wires } from "../support/agent-wire.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { partingOf, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const TURNS = 12;

/** The same log, every anchor in it under a hash that this version does not compute. */
function hashedOtherwise(store: Store, upTo: number): Store {
  const other = (entry: Entry): Entry => {
    if (entry.seq > upTo) return entry;
    const text = JSON.stringify(entry).replaceAll(/"anchor":\{"hash":"/gu, '"anchor":{"hash":"older');
    return JSON.parse(text) as Entry;
  };
  return {
    ...store,
    snapshot: async () => undefined,
    async read(session, after, limit) {
      const found = await store.read(session, after, limit);
      return { ...found, entries: found.entries.map(other) };
    },
  };
}

describe.each(wires)("$name", (wire) => {
  test("AC-40 a session of an earlier version goes on: the prefix holds, nothing is said twice", async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const random = seeded(seed);
        const [client, world] = [createClient(wire, random, { dull: false }), createWorld(random)];
        const store = createMemoryStore();
        const config = { ...roomy, ...critical };
        let session = openEngine({ id: "one", store, config });
        let before: WireBody | undefined;
        for (let turn = 1; turn <= 2 * TURNS; turn++) {
          if (turn === TURNS + 1) {
            await session.close();
            const { last } = await store.read("one", 0);
            const older = hashedOtherwise(store, last);
            expect(JSON.stringify(await older.read("one", 0))).toContain('"hash":"older');
            session = openEngine({ id: "one", store: older, config });
          }
          for (let count = random.below(3); count > 0; count--) await recordAny(session, world.event());
          const { body, problem, commit } = await session.turn({
            dialect: wire.dialect,
            body: client.request(),
          });
          expect(problem).toBeUndefined();
          await commit();
          expect(partingOf(wire, before, body), `turn ${turn}`).toBeUndefined();
          before = body;
          client.sent(body);
          client.goOn();
        }
        expect(saidTwice(before, world.marks)).toEqual([]);
        const { body } = await session.turn({ dialect: wire.dialect, body: client.request() });
        expect(unsaid(body, world.marks)).toEqual([]);
        await session.close();
      }),
      runs(25),
    );
  });

  test("AC-40 a session goes on with the prints and anchors that an earlier version wrote", async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const [earlier, now] = [await talk(wire, seed, "sha-256"), await talk(wire, seed, "words")];
        expect(earlier.bodies).toEqual(now.bodies);
        const anchor = (hash: RegExp) => new RegExp(`"anchor":\\{"hash":"${hash.source}"`, "u");
        expect(earlier.log).not.toMatch(anchor(/[\w-]{12}/u));
        expect(now.log).not.toMatch(anchor(/[\w-]{32}/u));
      }),
      runs(25),
    );
  });
});

/** What was sent in a session that an earlier version began, or this one, and its log. */
async function talk(wire: (typeof wires)[number], seed: number, form: SumsForm["name"]) {
  const random = seeded(seed);
  const [client, world] = [createClient(wire, random, { dull: false }), createWorld(random)];
  const store = createMemoryStore();
  const bodies: WireBody[] = [];
  const { begin } = wordSums;
  for (const turns of [TURNS, TURNS]) {
    const session = openEngine({ id: "one", store, config: { ...roomy, ...critical } });
    if (form === "sha-256" && bodies.length === 0) Object.assign(wordSums, shaSums(nodePlatform.hash));
    try {
      for (let turn = 1; turn <= turns; turn++) {
        for (let count = random.below(3); count > 0; count--) await recordAny(session, world.event());
        const { body, problem, commit } = await session.turn({
          dialect: wire.dialect,
          body: client.request(),
        });
        expect(problem).toBeUndefined();
        await commit();
        bodies.push(body);
        client.sent(body);
        client.goOn();
      }
      await session.close();
    } finally {
      Object.assign(wordSums, { name: "words", begin });
    }
  }
  return { bodies, log: JSON.stringify(await store.read("one", 0)) };
}
