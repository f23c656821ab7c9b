// A client changes messages that it sent before, and puts them back: from then on everything is where it was.

import fc from "fast-check";
import { anthropicMessages } from "sotto";
import { expect, onTestFinished, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

type Message = { role: "user" | "assistant"; content: string };

const changes = {
  more: (messages: Message[], at: number) =>
    messages.toSpliced(
      at - (at % 2),
      0,
      { role: "user", content: "Wait." },
      { role: "assistant", content: "Yes." },
    ),
  edited: (messages: Message[], at: number) =>
    messages.with(at, { ...(messages[at] as Message), content: "Something else." }),
};

const talk = fc.record({
  letters: fc.array(fc.boolean(), { minLength: 3, maxLength: 7 }),
  change: fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[])),
  at: fc.nat(20),
  /** How often the changed history is sent. */
  times: fc.integer({ min: 1, max: 2 }),
});

test("AC-49 AC-51 what was sent stays where it was sent", async () => {
  await fc.assert(
    fc.asyncProperty(talk, async ({ letters, change, at, times }) => {
      const session = openAssistant();
      try {
        const messages: Message[] = [{ role: "user", content: "Begin." }];
        const ask = async (given: Message[]) => {
          const turn = await session.turn({
            dialect: anthropicMessages,
            body: { model: "m", max_tokens: 9, messages: given },
          });
          await turn.commit();
          return JSON.stringify((turn.body as { messages: object[] }).messages);
        };
        const goOn = () => {
          messages.push({ role: "assistant", content: `Answer ${messages.length}.` });
          messages.push({ role: "user", content: `Word ${messages.length}.` });
        };
        let before = "";
        for (const [index, hasLetter] of letters.entries()) {
          const letter = { id: `l${index}`, from: "ada", text: `Letter ${index}.` };
          const timestamp = "2026-11-16T10:00:00Z";
          if (hasLetter) await session.record({ type: "message_received", ...letter, timestamp });
          before = await ask([...messages]);
          goOn();
        }
        const changed = changes[change]([...messages], at % (messages.length - 2));
        for (let time = 0; time < times; time++) await ask(changed);
        for (let time = 0; time < 3; time++) {
          const sent = await ask([...messages]);
          expect(sent.startsWith(before.slice(0, -1))).toBe(true);
          for (const [index, hasLetter] of letters.entries())
            expect(sent.split(`Letter ${index}.`).length - 1).toBe(hasLetter ? 1 : 0);
          before = sent;
          goOn();
        }
      } finally {
        await session.close();
      }
    }),
    runs(1500),
  );
});

test("AC-49 messages that changed places, and are back, have their reminders where they were", async () => {
  const session = openAssistant();
  onTestFinished(() => session.close());
  const talk = (...words: string[]) =>
    words.map((content, at): Message => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  const ask = async (...words: string[]) => {
    const body = { model: "m", max_tokens: 9, messages: talk(...words) };
    const turn = await session.turn({ dialect: anthropicMessages, body });
    await turn.commit();
    return JSON.stringify((turn.body as { messages: object[] }).messages).slice(0, -1);
  };
  await ask("A");
  const letter = { id: "1", from: "ada", text: "Tea is ready.", timestamp: "2026-11-16T10:00:00Z" };
  await session.record({ type: "message_received", ...letter });
  await ask("A", "1", "B");
  const before = await ask("A", "1", "B", "2", "C");
  await ask("B", "1", "A", "2", "C", "3", "D");
  const back = await ask("A", "1", "B", "2", "C", "3", "D", "4", "E");
  expect(back.startsWith(before)).toBe(true);
  expect((await ask("A", "1", "B", "2", "C", "3", "D", "4", "E", "5", "F")).startsWith(back)).toBe(true);
});
