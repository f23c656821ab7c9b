// Request N is a prefix of request N+1, over long random sessions, and every provider takes every request.

import fc from "fast-check";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { type WireBody, wires } from "../support/agent-wire.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { partingOf, saidTwice, unsaid } from "../support/requests.ts";
import { isWhole, runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const TURNS = isWhole ? 200 : 100;

describe.each(wires)("$name", (wire) => {
  test.each([
    ["drops injected messages", false],
    ["keeps injected messages", true],
  ])(
    "AC-37 request N is a prefix of request N+1 over a long session when the client %s",
    async (_, keeps) => {
      const property = fc.asyncProperty(seeds, async (seed) => {
        const random = seeded(seed);
        const session = openEngine({
          config: { ...roomy, ...critical, enable_token_usage: true },
        });
        const client = createClient(wire, random, { keeps });
        const world = createWorld(random);
        const reports = random.chance(0.3);
        let before: WireBody | undefined;
        for (let turn = 1; turn <= TURNS; turn++) {
          for (let count = random.below(3); count > 0; count--) await recordAny(session, world.event());
          const body = client.request();
          const given = JSON.stringify(body);
          const {
            body: sent,
            problem,
            commit,
            abandon,
          } = await session.turn({ dialect: wire.dialect, body });
          expect(problem).toBeUndefined();
          expect(JSON.stringify(body)).toBe(given);
          expect(partingOf(wire, before, sent)).toBeUndefined();
          if (turn % 20 === 0) expect(wire.check(sent)).toEqual([]);
          before = sent;
          if (random.chance(0.4)) await commit();
          else if (random.chance(0.2)) await abandon();
          client.sent(sent);
          if (random.chance(0.8)) client.goOn();
          else if (random.chance(0.5)) client.say();
          if (reports) await session.record({ type: "assistant_turn" });
        }
        const last = (await session.turn({ dialect: wire.dialect, body: client.request() })).body;
        expect(saidTwice(last, world.marks)).toEqual([]);
        expect(unsaid(last, world.marks)).toEqual([]);
        await session.close();
      });
      await fc.assert(property, runs(2));
    },
  );
});
