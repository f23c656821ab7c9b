// Branches found by content: the client goes back, or talks about something else. Each history has everything once.

import fc from "fast-check";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { type Client, createClient } from "../support/agent-client.ts";
import { type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { partingOf, saidTwice, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

describe.each(wires)("$name", (wire) => {
  test("AC-49 a client that goes back and edits a prompt hears there what only the left branch heard", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config: roomy });
      const client = createClient(wire, random);
      const world = createWorld(random);
      const points: { messages: WireMessage[]; sent: WireBody }[] = [];
      let before: WireBody | undefined;
      for (let turn = 1; turn <= 40; turn++) {
        for (let count = random.below(3); count > 0; count--) await recordAny(session, world.oneShot());
        const next = await session.turn({ dialect: wire.dialect, body: client.request() });
        expect(partingOf(wire, before, next.body)).toBeUndefined();
        expect(unsaid(next.body, world.marks)).toEqual([]);
        expect(saidTwice(next.body, world.marks)).toEqual([]);
        if (random.chance(0.4)) await next.commit();
        points.push({ messages: [...client.messages], sent: next.body });
        const point = random.chance(0.3) ? random.pick(points) : undefined;
        before = point?.sent ?? next.body;
        if (point !== undefined) client.messages = [...point.messages];
        client.goOn();
      }
    });
    await fc.assert(property, runs(12));
  });

  test("AC-49 going back to a request as it was gives what was said there, and only what is new behind it", async () => {
    const session = openEngine({ config: roomy });
    const client = createClient(wire, seeded(3));
    const world = createWorld(seeded(4));
    const sent: { messages: WireMessage[]; body: WireBody }[] = [];
    for (let turn = 1; turn <= 6; turn++) {
      await recordAny(session, world.oneShot());
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
      await commit();
      sent.push({ messages: [...client.messages], body });
      client.goOn();
    }
    const [, , third] = sent;
    client.messages = [...(third?.messages ?? [])];
    const { body } = await session.turn({ dialect: wire.dialect, body: client.request() });
    expect(partingOf(wire, third?.body, body)).toBeUndefined();
    expect(unsaid(body, world.marks)).toEqual([]);
    expect(saidTwice(body, world.marks)).toEqual([]);
  });

  test("AC-49 an edit further up is no pruning, though the last words are the same", async () => {
    const session = openEngine({ config: roomy });
    const world = createWorld(seeded(5));
    const ask = async (...messages: WireMessage[]) => {
      await recordAny(session, world.oneShot());
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
      await commit();
      expect(unsaid(body, world.marks)).toEqual([]);
      expect(saidTwice(body, world.marks)).toEqual([]);
      return body;
    };
    const start = [wire.prompt("Build it."), ...wire.reply("Which one?", [])];
    const end = [...wire.reply("Done.", []), wire.prompt("Continue.")];
    const first = await ask(wire.prompt("Build it."));
    await ask(...start, wire.prompt("The red one."));
    await ask(...start, wire.prompt("The red one."), ...end);
    await ask(
      ...start,
      wire.prompt("The red one."),
      ...end,
      ...wire.reply("All done.", []),
      wire.prompt("Thanks."),
    );
    const edited = await ask(...start, wire.prompt("No, the blue one."), ...end);
    expect(partingOf(wire, first, edited)).toBeUndefined();
  });

  test("AC-49 a question asked before the conversation begins takes nothing from it", async () => {
    const session = openEngine({ config: roomy });
    await session.record({ type: "prompt_queued", id: "p", prompt: "M1X" });
    const side = wire.body([wire.prompt("A title for this, please.")]);
    await (await session.turn({ dialect: wire.dialect, body: side })).commit();
    const { body } = await session.turn({
      dialect: wire.dialect,
      body: wire.body([wire.prompt("Build it.")]),
    });
    expect(unsaid(body, ["M1X"])).toEqual([]);
  });

  test("AC-49 other conversations in between make the main one lose and repeat nothing", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({
        config: { ...roomy, ...critical },
      });
      const main = createClient(wire, random);
      const world = createWorld(random);
      const sides: Client[] = [];
      let before: WireBody | undefined;
      const ask = async (client: Client): Promise<WireBody> => {
        const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
        if (random.chance(0.5)) await commit();
        expect(saidTwice(body, world.marks)).toEqual([]);
        return body;
      };
      for (let turn = 1; turn <= 30; turn++) {
        if (random.chance(0.5)) await recordAny(session, world.oneShot());
        if (random.chance(0.3)) {
          // One that is answered before the main one begins could as well be what that one sums up.
          const side =
            random.chance(0.4) && before !== undefined ? sides[random.below(sides.length + 1)] : undefined;
          if (side !== undefined) side.goOn();
          const asked = side ?? createClient(wire, random, { dull: false });
          if (side === undefined) sides.push(asked);
          await ask(asked);
          if (random.chance(0.5)) continue;
        }
        const body = await ask(main);
        expect(partingOf(wire, before, body)).toBeUndefined();
        expect(unsaid(body, world.marks)).toEqual([]);
        before = body;
        main.goOn();
      }
    });
    await fc.assert(property, runs(12));
  });

  test("AC-49 a history that was summed up without a word hears what is in force again, what people said, and no other one-shot", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({
        config: { ...roomy, ...critical },
      });
      await session.record({ type: "mode_changed", mode: "plan", planFilePath: "/repo/plan.md" });
      const client = createClient(wire, random);
      const world = createWorld(random, "OLD");
      const words = new Set<string>();
      for (let turn = 1; turn <= 6; turn++) {
        const event = world.oneShot();
        if (event.type === "prompt_queued" || event.type === "message_received")
          words.add(world.marks.at(-1) as string);
        await recordAny(session, event);
        const { commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
        // What no history confirms before it is summed up stays due.
        if (turn === 6 || random.chance(0.5)) await commit();
        client.goOn();
      }
      client.messages = [
        wire.prompt("Summary of what was said so far."),
        ...wire.reply("Fine.", []),
        wire.prompt("Go on."),
      ];
      const later = createWorld(random, "NEW");
      await recordAny(session, later.oneShot());
      const { body, reminders } = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(unsaid(body, world.marks)).toEqual(world.marks.filter((mark) => !words.has(mark)));
      expect(saidTwice(body, world.marks)).toEqual([]);
      expect(unsaid(body, later.marks)).toEqual([]);
      expect(reminders.map(({ type }) => type)).toEqual(
        expect.arrayContaining(["plan_mode", "critical_system_reminder"]),
      );
      client.goOn();
      const next = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(partingOf(wire, body, next.body)).toBeUndefined();
      expect(next.reminders.map(({ type }) => type)).toEqual(["critical_system_reminder"]);
    });
    await fc.assert(property, runs(6));
  });
});
