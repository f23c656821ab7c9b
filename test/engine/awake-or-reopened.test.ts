// A session that stays open and one that is opened anew for each turn send the same, also where the host says that the
// conversation went back and keeps what it took back in its history.

import fc from "fast-check";
import { createMemoryStore } from "sotto";
import { describe, expect, test } from "vitest";
import { listOf, type Wire, type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  hasNews: fc.boolean(),
  /** How many turns it goes back before this one. */
  back: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
  /** The history goes back as well. */
  isCut: fc.boolean(),
  reads: fc.boolean(),
  retries: fc.boolean(),
});
/** What the client does with the reminders in what was sent. */
const clients = fc.constantFrom("drops them", "keeps them", "joins them with its words");

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function talk(
  wire: Wire,
  { steps, client, reopens }: { steps: readonly Step[]; client: string; reopens: boolean },
): Promise<string[]> {
  const store = createMemoryStore();
  const open = () => openAssistant({ id: "s", store });
  let session = open();
  const lead = listOf(wire, wire.body([])).length;
  let messages: WireMessage[] = [wire.prompt("Hello.")];
  /** Of each turn that counts: its number, and how long the history was. */
  let turns: { number: number; length: number }[] = [];
  const sent: string[] = [];
  try {
    for (const [at, { hasNews, back, isCut, reads, retries }] of steps.entries()) {
      if (back !== null && turns.length > 0) {
        const left = turns[Math.max(0, turns.length - back)] as (typeof turns)[number];
        turns = turns.slice(0, -back);
        await session.record({ type: "rewound", toTurn: turns.at(-1)?.number ?? 0 });
        if (isCut) messages = [...messages.slice(0, left.length - 1), wire.prompt(`Again ${at}.`)];
      }
      if (hasNews) await session.record({ type: "prompt_queued", id: `n${at}`, prompt: `News ${at}.` });
      const { length } = messages;
      let body: WireBody = wire.body(messages);
      for (let tries = retries ? 2 : 1; tries > 0; tries--) {
        if (reopens) {
          await session.close();
          session = open();
        }
        const turn = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
        expect(turn.problem).toBeUndefined();
        body = turn.body;
        sent.push(JSON.stringify(listOf(wire, body)));
        if (tries === 1) turns.push({ number: turn.number, length });
        // Closing gives up what was not confirmed.
        await turn.commit();
      }
      const told = listOf(wire, body).slice(lead);
      const reminders = told
        .filter((message) => !messages.includes(message) && /News/u.test(JSON.stringify(message)))
        .flatMap((message) => /<system-reminder>.*<\/system-reminder>/su.exec(textOf(message)) ?? []);
      const words = `Go on ${at}.`;
      if (client === "keeps them") messages = told;
      const said = {
        "joins them with its words": [`${words}\n${reminders.at(-1) ?? ""}`],
      }[client] ?? [words];
      messages = [...messages, ...wire.reply(`Answer ${at}.`, reads ? [`call_${at}`] : [])];
      if (reads) messages.push(...wire.results([{ id: `call_${at}`, text: `Result ${at}.` }], true));
      messages.push(wire.prompt(...said));
    }
  } finally {
    await session.close();
  }
  return sent;
}

function textOf(message: WireMessage): string {
  const { content, parts } = message as { content?: unknown; parts?: unknown };
  const blocks = content ?? parts;
  if (typeof blocks === "string") return blocks;
  return Array.isArray(blocks) ? blocks.map(({ text }) => text ?? "").join("\n") : "";
}

describe.each(wires)("$name", (wire) => {
  test("AC-49 awake or reopened, a session sends the same", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), clients, async (steps, client) => {
        const awake = await talk(wire, { steps, client, reopens: false });
        expect(await talk(wire, { steps, client, reopens: true })).toEqual(awake);
      }),
      runs(200),
    );
  });
});
