// A client edits an earlier message, goes on, and then replaces its last message or goes back: what was sent before that
// stays where it was sent.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore, openaiChat } from "sotto";
import { expect, test } from "vitest";
import { runs } from "../support/runs.ts";
import { openSession } from "../support/telling.ts";

interface Message {
  role: string;
  content: string;
}

const plan = fc.record({
  dialect: fc.constantFrom(anthropicMessages, openaiChat),
  /** Words that begin alike, or not. */
  alike: fc.boolean(),
  before: fc.array(fc.boolean(), { minLength: 2, maxLength: 5 }),
  edited: fc.nat(),
  behind: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  /** How many exchanges it goes back; with 0 only the last message is another one. */
  back: fc.nat(),
  abandons: fc.boolean(),
  reopens: fc.boolean(),
});

const shown = (message: unknown) => JSON.stringify(message);

test("AC-51 AC-37 what stands before the place it goes back to is where it was", async () => {
  await fc.assert(
    fc.asyncProperty(plan, async ({ dialect, alike, before, edited, behind, back, abandons, reopens }) => {
      const store = createMemoryStore();
      const open = () => openSession({ id: "s", store });
      let session = open();
      let count = 0;
      const user = (): Message => {
        count += 1;
        return {
          role: "user",
          content: alike ? `Please do number ${count}` : `${count}: ${"ab".repeat(count)}`,
        };
      };
      const history: Message[] = [];
      let sent: Message[] = [];
      const ask = async (fails = false) => {
        const body = structuredClone({ model: "m", max_tokens: 1, messages: history });
        const turn = await session.turn({ dialect: dialect as typeof openaiChat, body });
        expect(turn.problem).toBeUndefined();
        sent = (turn.body as { messages: Message[] }).messages;
        await (fails ? turn.abandon() : turn.commit());
      };
      const goOn = async (tells: boolean, fails = false) => {
        if (history.length > 0) history.push({ role: "assistant", content: `Done with ${count}.` });
        history.push(user());
        if (tells) await session.record({ type: "prompt_queued", id: `n${count}`, prompt: `News ${count}.` });
        await ask(fails);
      };
      try {
        for (const tells of before) await goOn(tells);
        // Not the first: then it is another conversation.
        history[2 + 2 * (edited % (before.length - 1))] = user();
        for (const [at, tells] of behind.entries()) await goOn(tells, abandons && at === behind.length - 1);
        if (reopens) {
          await session.close();
          session = open();
        }
        const last = sent;
        // No further than the exchange behind the one that was edited.
        const most = history.length / 2 - 1 - (edited % (before.length - 1)) - 1;
        history.splice(history.length - 1 - 2 * (back % Math.max(1, Math.floor(most))));
        const left = history.at(-1);
        history.push(user());
        await ask();
        const end = last.findIndex((message) => shown(message) === shown(left));
        expect(sent.slice(0, end + 1).map(shown)).toEqual(last.slice(0, end + 1).map(shown));
      } finally {
        await session.close();
      }
    }),
    runs(1000),
  );
});
