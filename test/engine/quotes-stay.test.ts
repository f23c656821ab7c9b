// What a user has quoted of a reminder stays a quote: after a resume, in a retry, and for a summariser.

import fc from "fast-check";
import { createMemoryStore, isReminder } from "sotto";
import { describe, expect, test } from "vitest";
import { listOf, type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { openAssistant } from "../support/open-engine.ts";
import { blockParting, textIn } from "../support/requests.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  hasLetter: fc.boolean(),
  /** How the prompt quotes one of the reminders that were sent so far. */
  quotes: fc.option(
    fc.constantFrom("whole", "first", "last", "on lines", "within", "beside", "ahead", "ahead beside"),
    { freq: 2 },
  ),
  which: fc.nat(),
  reopens: fc.boolean(),
  retries: fc.boolean(),
});

describe.each(wires)("$name", (wire) => {
  test("AC-34 AC-37 a quote stays one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
        const store = createMemoryStore();
        const open = () => openAssistant({ id: "s", store });
        let session = open();
        const messages: WireMessage[] = [wire.prompt("Hello.")];
        let before: WireBody | undefined;
        try {
          for (const [at, one] of steps.entries()) {
            if (one.hasLetter)
              await session.record({ type: "prompt_queued", id: `n${at}`, prompt: `News ${at}.` });
            const ask = async () => {
              const turn = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
              expect(turn.problem).toBeUndefined();
              expect(blockParting(wire, before, turn.body)).toBeUndefined();
              before = turn.body;
              await turn.commit();
              return turn.body as WireBody;
            };
            let sent = await ask();
            if (one.retries) sent = await ask();
            const bare = await session.withoutReminders(wire.dialect, wire.body(messages), { words: false });
            expect(bare).toEqual(wire.body(messages));
            const whole = await session.withoutReminders(wire.dialect, wire.body(messages));
            expect(listOf(wire, whole)).toEqual(expect.arrayContaining(messages));
            messages.push(...wire.reply(`Answer ${at}.`, []));
            const told = listOf(wire, sent)
              .filter((message) => !messages.some((own) => JSON.stringify(own) === JSON.stringify(message)))
              .filter((message) => isReminder(wire.dialect, message))
              .map((message) => textIn(message));
            const quote = told[one.which % Math.max(1, told.length)];
            // What the next one will say, as far as the user can know that.
            const ahead = `${quote}`.replace(/News \d+\./gu, `News ${at + 1}.`);
            const texts = {
              whole: [`${quote}`],
              first: [`${quote}\nWhat is this?`],
              last: [`What is this?\n${quote}`],
              "on lines": [`What is\n${quote}\nthis?`],
              within: [`What is "${quote}"?`],
              beside: ["What is this?", `${quote}`],
              ahead: [ahead],
              "ahead beside": [ahead, "What is this?"],
              none: [`Go on ${at}.`],
            }[quote === undefined ? "none" : (one.quotes ?? "none")];
            messages.push(wire.prompt(...texts));
            if (!one.reopens) continue;
            await session.close();
            session = open();
          }
        } finally {
          await session.close();
        }
      }),
      runs(600),
    );
  });
});
