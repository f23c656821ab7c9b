// A client keeps the reminders in its own history, and now and then sends only the end of it: in the whole history
// everything stands once, and what was sent stays.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore, openaiChat } from "sotto";
import type { Dialect, Store } from "sotto/extend";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  hasLetter: fc.boolean(),
  /** How many of its last messages are sent; null: all. */
  last: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 2 }),
  end: fc.constantFrom("commit", "nothing", "abandon", "unsent"),
  /** Whether the store fails when the end is written, before or after it wrote. */
  fault: fc.constantFrom("none", "none", "before", "after"),
  reopens: fc.boolean(),
});

test.each([
  ["anthropic-messages", anthropicMessages as Dialect],
  ["openai-chat", openaiChat as Dialect],
])(
  "AC-49 AC-51 %s: shorter requests in between double nothing",
  async (_, dialect) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
        const base = createMemoryStore();
        let next = "none";
        const append: Store["append"] = async (...given) => {
          const fault = next;
          next = "none";
          if (fault === "before") throw new Error("the store is down");
          const appended = await base.append(...given);
          if (fault === "after") throw new Error("the store is down");
          return appended;
        };
        const store = { ...base, append };
        const open = () => openAssistant({ id: "s", store });
        let session = open();
        let history: object[] = [{ role: "user", content: "Begin." }];
        const letters: string[] = [];
        const ask = async (messages: object[], end: string, fault = "none") => {
          const turn = await session.turn({ dialect, body: { model: "m", messages } });
          next = fault;
          if (end === "commit") await turn.commit();
          if (end === "abandon") await turn.abandon();
          if (end === "unsent") await turn.abandon({ unsent: true });
          next = "none";
          return (turn.body as { messages: object[] }).messages;
        };
        const goOn = (sent: object[], at: number) => [
          ...sent,
          { role: "assistant", content: `Answer ${at}.` },
          { role: "user", content: `Word ${at}.` },
        ];
        const whole = async (at: number) => {
          const sent = await ask(history, "commit");
          const text = JSON.stringify(sent);
          expect(text.startsWith(JSON.stringify(history).slice(0, -1))).toBe(true);
          for (const letter of letters)
            expect([at, letter, text.split(letter).length - 1]).toEqual([at, letter, 1]);
          history = goOn(sent, at);
        };
        try {
          for (const [at, { hasLetter, last, end, fault, reopens }] of steps.entries()) {
            // What is new in a shorter request stands in one text with what it shows again.
            if (hasLetter && last === null) {
              letters.push(`Letter ${at}.`);
              const letter = { id: `l${at}`, from: "ada", text: `Letter ${at}.` };
              await session.record({
                type: "message_received",
                ...letter,
                timestamp: "2026-11-16T10:00:00Z",
              });
            }
            if (last === null) await whole(at);
            else await ask(history.slice(-last), end, fault);
            if (reopens) {
              await session.close();
              session = open();
            }
          }
          for (const at of [97, 98, 99]) await whole(at);
        } finally {
          await session.close();
        }
      }),
      runs(600),
    );
  },
  300_000,
);
