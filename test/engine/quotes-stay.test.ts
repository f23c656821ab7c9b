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
  // Few: some say the same.
  news: fc.nat(2),
  nextNews: fc.nat(2),
  /** How the prompt quotes one of the reminders that were sent so far. */
  quotes: fc.option(
    fc.constantFrom(
      ...(["whole", "first", "last", "on lines", "within", "beside"] as const),
      ...(["ahead", "ahead first", "ahead on lines", "ahead beside"] as const),
    ),
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
              await session.record({ type: "prompt_queued", id: `n${at}`, prompt: `News ${one.news}.` });
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
            // What another one says, or will say, as far as the user can know that.
            const ahead = `${quote}`.replace(/News \d+\./gu, `News ${one.nextNews}.`);
            const texts = {
              whole: [`${quote}`],
              first: [`${quote}\nWhat is this?`],
              last: [`What is this?\n${quote}`],
              "on lines": [`What is\n${quote}\nthis?`],
              within: [`What is "${quote}"?`],
              beside: ["What is this?", `${quote}`],
              ahead: [ahead],
              "ahead first": [`${ahead}\nWhat is this?`],
              "ahead on lines": [`What is\n${ahead}\nthis?`],
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

  test.each(["stays", "is cleared", "is cut away"])(
    "a client that keeps its reminders has each once, whether what said the same before %s or not",
    async (what) => {
      const quote = wire.prompt(NEWS);
      const messages = [wire.prompt("Hello."), ...wire.reply("Yes.", []), quote, ...wire.reply("Hm.", [])];
      const session = openAssistant();
      const send = async (given: readonly WireMessage[]) => {
        const turn = await session.turn({ dialect: wire.dialect, body: wire.body([...given]) });
        await turn.commit();
        return listOf(wire, turn.body as WireBody).filter(({ role }) => role !== "system");
      };
      await session.record({ type: "prompt_queued", id: "n", prompt: "News." });
      const sent = await send([...messages, wire.prompt("Well.")]);
      const [at, all] = [sent.indexOf(quote), [...sent, ...wire.reply("Ok.", []), wire.prompt("On.")]];
      if (what === "is cleared") all[at] = wire.prompt("[cleared]");
      if (what === "is cut away") all.splice(at - 2, 3);
      expect(await send(all)).toEqual(all);
      await session.close();
    },
  );
});

const NEWS = `<system-reminder>
The user sent the following message:
News.

It came while you were working: take it into account and go on.
</system-reminder>`;
