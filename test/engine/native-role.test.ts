// The provider's trusted role: for words of the engine and its user alone, where the model has it, and for good.

import fc from "fast-check";
import { defineAttachment } from "sotto/extend";
import { recordAny } from "sotto/internal";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { createClient } from "../support/agent-client.ts";
import {
  anthropic,
  google,
  listOf,
  openai,
  responses,
  type Wire,
  type WireBody,
} from "../support/agent-wire.ts";
import { critical, openEngine, roomy } from "../support/open-engine.ts";
import { blockParting, partingOf, saidTwice, textIn, unsaid } from "../support/requests.ts";
import { runs, seeds } from "../support/runs.ts";
import { seeded } from "../support/seeded.ts";
import { checkAnthropicMessages } from "../support/servers/anthropic-rules.ts";
import { createWorld } from "../support/world.ts";

const withModel = (wire: Wire, model: string, check = wire.check): Wire => ({
  ...wire,
  check,
  body: (messages) => ({ ...wire.body(messages), model }),
});
const midSystem = (body: unknown) => checkAnthropicMessages(body, { midConversationSystem: true });
const trusting = [
  { what: "claude-opus-5", wire: withModel(anthropic, "claude-opus-5", midSystem), role: "system" },
  { what: "gpt-5 in Chat Completions", wire: withModel(openai, "gpt-5"), role: "developer" },
  { what: "gpt-5.5 in Responses", wire: withModel(responses, "gpt-5.5"), role: "developer" },
];
const others = [
  { what: "claude-sonnet-4-6", wire: withModel(anthropic, "claude-sonnet-4-6") },
  { what: "claude-sonnet-5", wire: withModel(anthropic, "claude-sonnet-5") },
  { what: "an unknown model of Anthropic's form", wire: anthropic },
  { what: "o1-mini", wire: withModel(openai, "o1-mini") },
  { what: "a name that only begins alike", wire: withModel(openai, "gpt-55") },
  { what: "an unknown model of a compatible server", wire: withModel(openai, "qwen3") },
  { what: "an unknown model in Responses", wire: responses },
  { what: "Gemini", wire: google },
];
const config = { ...roomy, ...critical, enable_token_usage: true, role: "native" as const };
const INSTRUCTION = `<system-reminder>\n${critical.critical_instruction}\n</system-reminder>`;

/** The texts that a role said, block by block. */
function saidBy(wire: Wire, body: WireBody, role: string): string[] {
  const lead = listOf(wire, wire.body([])).length;
  return listOf(wire, body)
    .slice(lead)
    .filter((message) => message.role === role)
    .flatMap(({ content, parts }) =>
      typeof content === "string"
        ? [content]
        : ((content ?? parts) as object[]).map((part) => textIn({ content: [part] })),
    );
}

describe.each(trusting)("$what", ({ wire, role }) => {
  test.each([
    ["drops injected messages", false],
    ["keeps injected messages", true],
  ])("AC-37 request N is a prefix of request N+1, and valid, when the client %s", async (_, keeps) => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config });
      const client = createClient(wire, random, { keeps });
      const world = createWorld(random);
      let before: WireBody | undefined;
      for (let turn = 1; turn <= 40; turn++) {
        for (let count = random.below(3); count > 0; count--) await recordAny(session, world.event());
        const { body, problem, commit } = await session.turn({
          dialect: wire.dialect,
          body: client.request(),
        });
        expect(problem).toBeUndefined();
        expect(wire.check(body)).toEqual([]);
        expect(partingOf(wire, before, body)).toBeUndefined();
        const trusted = saidBy(wire, body, role);
        expect(trusted.filter((text) => text === INSTRUCTION)).toHaveLength(turn);
        expect(unsaid(trusted, world.marks)).toEqual(world.marks);
        before = body;
        if (random.chance(0.5)) await commit();
        client.sent(body);
        client.goOn();
      }
      expect(saidTwice(before, world.marks)).toEqual([]);
      expect(unsaid(before, world.marks)).toEqual([]);
    });
    await fc.assert(property, runs(4));
  });

  test("AC-49 a retry gets the same bytes; with something new it is valid, and nothing is said twice", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const random = seeded(seed);
      const session = openEngine({ config });
      const client = createClient(wire, random);
      const world = createWorld(random);
      for (let turn = 1; turn <= 15; turn++) {
        let before: WireBody | undefined;
        for (let tries = 1 + random.below(3); tries > 0; tries--) {
          const quiet = random.chance(0.4);
          if (!quiet) await recordAny(session, world.event());
          const { body, abandon } = await session.turn({ dialect: wire.dialect, body: client.request() });
          expect(wire.check(body)).toEqual([]);
          expect(saidTwice(body, world.marks)).toEqual([]);
          expect(unsaid(body, world.marks)).toEqual([]);
          if (quiet && before !== undefined) expect(body).toEqual(before);
          // Anthropic's role comes last and once: what is said with the user's goes before it.
          if (role === "developer") expect(partingOf(wire, before, body)).toBeUndefined();
          if (random.chance(0.5)) await abandon();
          before = body;
        }
        client.goOn();
      }
    });
    await fc.assert(property, runs(6));
  });

  test("AC-49 trusted words that a retry adds come behind the trusted ones before", async () => {
    const session = openEngine({ config });
    const client = createClient(wire, seeded(1));
    const { body: before } = await session.turn({ dialect: wire.dialect, body: client.request() });
    await session.record({ type: "usage_reported", usedTokens: 190_000, totalTokens: 200_000 });
    const { body } = await session.turn({ dialect: wire.dialect, body: client.request() });
    expect(blockParting(wire, before, body)).toBeUndefined();
    expect(JSON.stringify(body)).toContain("190000");
    expect(wire.check(body)).toEqual([]);
  });

  test("a user who speaks again before the answer is no reason for a request that nobody takes", async () => {
    const session = openEngine({ config });
    const client = createClient(wire, seeded(1));
    for (let turn = 1; turn <= 3; turn++) {
      const { body } = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(wire.check(body)).toEqual([]);
      expect(JSON.stringify(body).split(critical.critical_instruction)).toHaveLength(2);
      client.say();
    }
  });

  test("only what carries nothing else is trusted, and only as text", async () => {
    const type = (name: string, content: "trusted" | "untrusted") =>
      defineAttachment({
        ...{ type: name, summary: "News.", tier: "core", when: "always", content, needs: [] },
        schema: v.object({}),
        trigger: () => [{ data: {} }],
        render: () => name,
        examples: [{ title: "one", data: {} }],
      });
    const attachments = [type("ours", "trusted"), type("theirs", "untrusted"), type("ours_too", "trusted")];
    const session = openEngine({ config: { role: "native" }, attachments });
    const body = wire.body([wire.prompt("Hello.")]);
    const { body: sent } = await session.turn({ dialect: wire.dialect, body });
    const tagged = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
    expect(saidBy(wire, sent, role)).toEqual([tagged("ours"), tagged("ours_too")]);
    expect(saidBy(wire, sent, "user")).toEqual(["Hello.", tagged("theirs")]);
  });

  test("sent is sent: what the config says later moves nothing", async () => {
    const session = openEngine({ config });
    const client = createClient(wire, seeded(1));
    let before: WireBody | undefined;
    const trusted: number[] = [];
    for (const [turn, next] of ["native", "user", "native", "user"].entries()) {
      if (turn > 0) await session.record({ type: "config_changed", config: { role: next } });
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
      expect(partingOf(wire, before, body)).toBeUndefined();
      trusted.push(saidBy(wire, body, role).length);
      before = body;
      await commit();
      client.goOn();
    }
    expect(trusted).toEqual([1, 1, 2, 2]);
  });

  test("the role is chosen anew where the model changes, the text stays", async () => {
    const session = openEngine({ config });
    const client = createClient(wire, seeded(1), { clones: true });
    const model = { ...client.request() }.model as string;
    const shown: unknown[] = [];
    for (const now of [model, "other-model", model]) {
      const request = { ...client.request(), model: now };
      const { body, commit } = await session.turn({ dialect: wire.dialect, body: request });
      shown.push([
        saidBy(wire, body, role).length,
        JSON.stringify(body).split(critical.critical_instruction).length - 1,
      ]);
      expect((now === model ? wire.check : anthropicOr(wire))(body)).toEqual([]);
      await commit();
      client.goOn();
    }
    expect(shown).toEqual([
      [1, 1],
      [0, 2],
      [3, 3],
    ]);
  });

  test("with the user's role, which is the default, nothing is said with another", async () => {
    const session = openEngine({ config: critical });
    const body = wire.body([wire.prompt("Hello.")]);
    const { body: sent } = await session.turn({ dialect: wire.dialect, body });
    expect(saidBy(wire, sent, "user")).toEqual(["Hello.", INSTRUCTION]);
  });
});

test.each(others)("$what is told with the user's role", async ({ wire }) => {
  const session = openEngine({ config });
  const client = createClient(wire, seeded(1));
  let before: WireBody | undefined;
  for (let turn = 1; turn <= 5; turn++) {
    const { body, commit } = await session.turn({ dialect: wire.dialect, body: client.request() });
    expect(wire.check(body)).toEqual([]);
    expect(partingOf(wire, before, body)).toBeUndefined();
    expect(saidBy(wire, body, "user").filter((text) => text === INSTRUCTION)).toHaveLength(turn);
    before = body;
    await commit();
    client.goOn();
  }
});

function anthropicOr(wire: Wire): Wire["check"] {
  return wire.name === "anthropic-messages" ? anthropic.check : wire.check;
}
