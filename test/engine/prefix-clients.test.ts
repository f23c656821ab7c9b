// What clients do to their history without changing it: breakpoints moved, strings as blocks, messages merged, retries.

import fc from "fast-check";
import type { Session } from "sotto";
import { defineAttachment } from "sotto/extend";
import { recordAny } from "sotto/internal";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { type Client, type ClientOptions, createClient } from "../support/agent-client.ts";
import { type Wire, type WireBody, wires } from "../support/agent-wire.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { blockParting, partingOf, remindersIn, saidTwice, unsaid } from "../support/requests.ts";
import { marked, merged, rewritten } from "../support/rewriting.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld, type World } from "../support/world.ts";

const TURNS = 40;
const INSTRUCTION = critical.critical_instruction;

interface Run {
  random: Random;
  session: Session;
  client: Client;
  world: World;
}

/** A session of forty turns with a client that writes its history in its own way. */
async function live(
  wire: Wire,
  seed: number,
  options: ClientOptions,
  each: (run: Run, request: WireBody) => Promise<WireBody>,
): Promise<void> {
  const random = seeded(seed);
  const session = openEngine({
    config: { ...roomy, ...critical, enable_token_usage: true },
  });
  const run = { random, session, client: createClient(wire, random, options), world: createWorld(random) };
  for (let turn = 1; turn <= TURNS; turn++) {
    for (let count = random.below(3); count > 0; count--) await recordAny(session, run.world.event());
    run.client.sent(await each(run, run.client.request()));
    run.client.goOn();
  }
  const { body } = await session.turn({ dialect: wire.dialect, body: run.client.request() });
  expect(saidTwice(body, run.world.marks)).toEqual([]);
  expect(unsaid(body, run.world.marks)).toEqual([]);
  await session.close();
}

describe.each(wires)("$name", (wire) => {
  const both = fc.record({ seed: seeds, keeps: fc.boolean() });
  const said = async ({ session, random }: Run, body: WireBody): Promise<WireBody> => {
    const turn = await session.turn({ dialect: wire.dialect, body });
    expect(turn.problem).toBeUndefined();
    if (random.chance(0.2)) expect(wire.check(turn.body)).toEqual([]);
    if (random.chance(0.5)) await turn.commit();
    return turn.body;
  };

  test("AC-37 the prefix holds when the client moves its cache breakpoint along", async () => {
    const property = fc.asyncProperty(both, async ({ seed, keeps }) => {
      let before: WireBody | undefined;
      await live(wire, seed, { keeps }, async (run, request) => {
        const sent = await said(run, marked(wire, request));
        expect(JSON.stringify(sent)).not.toMatch(/<\/system-reminder>"[^{}]*(cache_control|breakpoint)/u);
        expect(partingOf(wire, before, sent)).toBeUndefined();
        before = sent;
        return sent;
      });
    });
    await fc.assert(property, runs(4));
  });

  test("AC-37 the prefix holds when the client writes strings as blocks and back", async () => {
    const property = fc.asyncProperty(both, async ({ seed, keeps }) => {
      let before: WireBody | undefined;
      await live(wire, seed, { keeps }, async (run, request) => {
        const sent = await said(run, rewritten(wire, request, run.random));
        expect(partingOf(wire, before, sent)).toBeUndefined();
        before = sent;
        return sent;
      });
    });
    await fc.assert(property, runs(4));
  });

  test("AC-37 the prefix holds block by block when the client merges messages", async () => {
    const property = fc.asyncProperty(both, async ({ seed, keeps }) => {
      let before: WireBody | undefined;
      await live(wire, seed, { keeps }, async (run, request) => {
        const sent = await said(run, merged(wire, request, run.random));
        expect(blockParting(wire, before, sent)).toBeUndefined();
        before = sent;
        return sent;
      });
    });
    await fc.assert(property, runs(6));
  });

  test("AC-37 the prefix holds when the user quotes reminders", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      let before: WireBody | undefined;
      await live(wire, seed, {}, async (run, request) => {
        const { random, client } = run;
        const sent = await said(run, request);
        expect(partingOf(wire, before, sent)).toBeUndefined();
        before = sent;
        const reminders = remindersIn(wire, sent).filter((text) => text.includes(INSTRUCTION));
        if (reminders.length > 2 && random.chance(0.3)) client.say(`Why "${random.pick(reminders)}" again?`);
        if (reminders.length > 2 && random.chance(0.1)) {
          // Right where one stands it could as well be that one.
          client.goOn();
          client.messages.push(wire.prompt(random.pick(reminders)));
        }
        return sent;
      });
    });
    await fc.assert(property, runs(4));
  });

  test("AC-37 several of one type in one turn each keep their place", async () => {
    const news = defineAttachment({
      ...{
        type: "news",
        summary: "News.",
        tier: "core",
        when: "always",
        content: "trusted",
        needs: ["turns"],
      },
      schema: v.object({ text: v.string() }),
      trigger: ({ turns }) =>
        ["a", "b", "c"].map((text) => ({ data: { text: `${text}${turns.assistant}` } })),
      render: ({ text }) => text,
      examples: [{ title: "one", data: { text: "a" } }],
    });
    const session = openEngine({ attachments: [news] });
    const client = createClient(wire, seeded(1));
    let before: WireBody | undefined;
    for (let turn = 1; turn <= 4; turn++) {
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(partingOf(wire, before, body)).toBeUndefined();
      expect(remindersIn(wire, body)).toHaveLength(3 * turn);
      before = body;
      await commit();
      client.goOn();
    }
  });

  test("AC-37 AC-49 a retry gets the same bytes, with anything new behind them", async () => {
    const property = fc.asyncProperty(both, async ({ seed, keeps }) => {
      let before: WireBody | undefined;
      await live(wire, seed, { keeps }, async (run, request) => {
        const { random, session, world, client } = run;
        let sent = request;
        let again = request;
        for (let tries = 1 + random.below(3); tries > 0; tries--) {
          const quiet = random.chance(0.5);
          if (!quiet) await recordAny(session, world.event());
          const turn = await session.turn({ dialect: wire.dialect, body: again });
          expect(partingOf(wire, before, turn.body)).toBeUndefined();
          if (quiet && sent !== request) expect(turn.body).toEqual(sent);
          if (random.chance(0.3)) await turn.commit();
          else if (random.chance(0.5)) await turn.abandon();
          before = sent = turn.body;
          if (random.chance(0.5)) {
            client.sent(sent);
            again = client.request();
          }
        }
        return sent;
      });
    });
    await fc.assert(property, runs(6));
  });
});
