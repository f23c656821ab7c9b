// Where reminders go: `append` behind everything, `after_context` behind what the client says about its surroundings.

import fc from "fast-check";
import { withoutReminders } from "sotto";
import { recordAny } from "sotto/internal";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import { listOf, type Wire, type WireMessage, wires } from "../support/agent-wire.ts";
import { openEngine } from "../support/open-engine.ts";
import { textIn } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { type Random, seeded } from "../support/seeded.ts";
import { createWorld } from "../support/world.ts";

const INSTRUCTION = "Run the tests.";

const contexts: readonly ((wire: Wire) => WireMessage)[] = [
  (wire) => wire.prompt("<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>"),
  (wire) => wire.prompt("<user_instructions>\nBe kind.\n</user_instructions>"),
  (wire) => wire.prompt("# AGENTS.md instructions for /repo\n\nUse tabs."),
  (wire) => wire.prompt("<environment_context>a</environment_context>", "  # AGENTS.md\nUse tabs."),
  (wire) => wire.prompt("[project notes] one"),
];

describe.each(wires)("$name", (wire) => {
  const lead = listOf(wire, wire.body([])).length;

  test("AC-5 append leaves every byte of the client's in its place, new ones are last", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({
        config: { critical_instruction: INSTRUCTION },
      });
      const client = createClient(wire, random);
      const world = createWorld(random);
      for (let turn = 1; turn <= 12; turn++) {
        await recordAny(session, world.event());
        const body = client.request();
        const { body: sent, reminders, commit } = await session.turn({ dialect: wire.dialect, body });
        expect(JSON.stringify(withoutReminders(wire.dialect, sent, { words: false }))).toBe(
          JSON.stringify(body),
        );
        const fresh = reminders.filter(({ again }) => !again).map(({ text }) => text);
        expect(listOf(wire, sent).slice(-fresh.length).map(textIn)).toEqual(fresh);
        if (random.chance(0.5)) await commit();
        client.goOn();
      }
    });
    await fc.assert(property, runs(10));
  });

  test("AC-5 a prefill stays last, and a retry with it gets the same bytes", async () => {
    const session = openEngine({
      config: { critical_instruction: INSTRUCTION },
    });
    const body = wire.body([wire.prompt("Hello."), ...wire.reply("Sure:", [])]);
    const first = await session.turn({ dialect: wire.dialect, body });
    const again = await session.turn({ dialect: wire.dialect, body });
    const reminder = `<system-reminder>\n${INSTRUCTION}\n</system-reminder>`;
    expect(listOf(wire, first.body).map(textIn)).toEqual([
      ...listOf(wire, body).slice(0, -1).map(textIn),
      reminder,
      "Sure:",
    ]);
    expect(again.body).toEqual(first.body);
    expect(again.number).toBe(first.number);
  });

  test("AC-5 after_context puts them right behind the context, new ones behind earlier ones", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({
        config: {
          critical_instruction: INSTRUCTION,
          placement: "after_context",
          context_forms: ["[project notes]"],
        },
      });
      const client = createClient(wire, random, { keeps: random.chance(0.5) });
      const context = leading(wire, random);
      client.messages = random.chance(0.2) ? [] : client.messages;
      client.messages.unshift(...context);
      if (client.messages.length === 0) client.say();
      const world = createWorld(random);
      const said: string[] = [];
      for (let turn = 1; turn <= 8; turn++) {
        await recordAny(session, world.event());
        const body = client.request();
        const rest = listOf(wire, withoutReminders(wire.dialect, body, { words: false })).slice(
          lead + context.length,
        );
        const { body: sent, reminders, commit } = await session.turn({ dialect: wire.dialect, body });
        expect(wire.check(sent)).toEqual([]);
        said.push(...reminders.filter(({ again }) => !again).map(({ text }) => text));
        expect(listOf(wire, sent).slice(lead).map(textIn)).toEqual([
          ...context.map(textIn),
          ...said,
          ...rest.map(textIn),
        ]);
        if (random.chance(0.5)) await commit();
        client.sent(sent);
        client.goOn();
      }
    });
    await fc.assert(property, runs(12));
  });
});

function leading(wire: Wire, random: Random): WireMessage[] {
  return Array.from({ length: random.below(4) }, () => random.pick(contexts)(wire));
}
