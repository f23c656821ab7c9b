// Two processes work on one session, and the store of one of them fails now and then, before or after it wrote. When that
// is over, both send the same: everything once, in the same place.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore } from "sotto";
import type { Store } from "sotto/extend";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  who: fc.nat(1),
  fault: fc.constantFrom("none", "none", "before", "after"),
  /** Of the turn's own append, of that which settles it, or of the turn's reading. */
  faultAt: fc.constantFrom("turn", "end", "read"),
  end: fc.constantFrom("commit", "abandon", "unsent", "nothing"),
  hasLetter: fc.boolean(),
  /** Whether an answer comes, and the history goes on. */
  isAnswered: fc.boolean(),
});

test("what a fault left behind in one process does not part it from the other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const base = createMemoryStore();
      const fault = { next: "none" };
      const append: Store["append"] = async (session, batch) => {
        const { next } = fault;
        fault.next = "none";
        if (next === "before") throw new Error("the store is down");
        const appended = await base.append(session, batch);
        if (next === "after") throw new Error("the store is down");
        return appended;
      };
      const open = (store: Store) => openAssistant({ id: "s", store });
      let isUnreadable = false;
      const read: Store["read"] = async (...given) => {
        if (isUnreadable) throw new Error("the store is down");
        return base.read(...given);
      };
      const sessions = [open({ ...base, append, read }), open(base)];
      const [faulty] = sessions;
      const messages: object[] = [{ role: "user", content: "Begin." }];
      const letters: string[] = [];
      // The last that was surely sent, and answered.
      let before = "";
      const ask = async (who: number) => {
        const turn = await sessions[who]?.turn({
          dialect: anthropicMessages,
          body: { model: "m", messages: [...messages] } as never,
        });
        if (turn === undefined) throw new Error("there are two");
        return { turn, sent: JSON.stringify((turn.body as { messages: object[] }).messages) };
      };
      const goOn = () =>
        messages.push(
          { role: "assistant", content: `Answer ${messages.length}.` },
          { role: "user", content: `Word ${messages.length}.` },
        );
      try {
        for (const [at, { who, end, hasLetter, isAnswered, ...how }] of steps.entries()) {
          if (hasLetter) {
            letters.push(`Letter ${at}.`);
            const letter = { id: `l${at}`, from: "ada", text: `Letter ${at}.` };
            const timestamp = "2026-11-16T10:00:00Z";
            await sessions[1]?.record({ type: "message_received", ...letter, timestamp });
          }
          const isFaulty = sessions[who] === faulty;
          fault.next = isFaulty && how.faultAt === "turn" ? how.fault : "none";
          isUnreadable = isFaulty && how.faultAt === "read" && how.fault !== "none";
          const { turn, sent } = await ask(who);
          isUnreadable = false;
          fault.next = isFaulty && how.faultAt === "end" ? how.fault : "none";
          if (end === "commit" && isAnswered) await turn.commit();
          if (end === "abandon" && !isAnswered) await turn.abandon();
          if (end === "unsent" && !isAnswered) await turn.abandon({ unsent: true });
          fault.next = "none";
          if (isAnswered && end === "commit" && (!isFaulty || how.fault === "none")) before = sent;
          if (isAnswered) goOn();
        }
        for (const who of [0, 1, 0, 1, 1, 0]) {
          const { turn, sent } = await ask(who);
          expect(turn.problem).toBeUndefined();
          expect(sent.startsWith(before.slice(0, -1))).toBe(true);
          for (const letter of letters)
            expect([who, letter, sent.split(letter).length - 1]).toEqual([who, letter, 1]);
          await turn.commit();
          goOn();
          before = sent;
        }
      } finally {
        for (const session of sessions) await session.close();
      }
    }),
    runs(1500),
  );
});
