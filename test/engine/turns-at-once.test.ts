// Several processes take a turn of one session at the same time, as when a client gives up on one server and asks another.
// One of them is answered: its request is how the next one begins, and everything is said once.

import fc from "fast-check";
import { anthropicMessages, createMemoryStore, type Turn } from "sotto";
import type { Store } from "sotto/extend";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const PROCESSES = 3;

const round = fc.record({
  /** Who takes a turn, in the order in which they ask. */
  asks: fc.shuffledSubarray([0, 1, 2], { minLength: 1 }),
  /** Letters that come before each of them asks. */
  letters: fc.array(fc.boolean(), { minLength: PROCESSES, maxLength: PROCESSES }),
  /** Who has an older request under way, which nobody sends any more. */
  late: fc.array(fc.boolean(), { minLength: PROCESSES, maxLength: PROCESSES }),
  /** The order in which their turns are written. */
  writes: fc.shuffledSubarray([0, 1, 2], { minLength: PROCESSES }),
  answered: fc.nat(PROCESSES - 1),
  others: fc.constantFrom("abandon", "unsent"),
});

test("AC-38 AC-51 turns at the same time move nothing and double nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
      const base = createMemoryStore();
      const gates = new Map<number, { reach: () => void; open: Promise<void> }>();
      const storeOf = (who: number): Store => ({
        ...base,
        async append(session, batch) {
          const gate = gates.get(who);
          if (gate !== undefined && batch.entries.some(({ kind }) => kind === "turn")) {
            gates.delete(who);
            gate.reach();
            await gate.open;
          }
          return base.append(session, batch);
        },
      });
      const sessions = Array.from({ length: PROCESSES }, (_, who) =>
        openAssistant({ id: "s", store: storeOf(who), config: { timeout_ms: 60_000 } }),
      );
      const writer = openAssistant({ id: "s", store: base });
      const messages: object[] = [{ role: "user", content: "Begin." }];
      let older: object[] = [...messages];
      const letters: string[] = [];
      let before = "";
      const ask = async (who: number, asked: object[]) => {
        const turn = await sessions[who]?.turn({
          dialect: anthropicMessages,
          body: { model: "m", messages: asked } as never,
        });
        if (turn === undefined) throw new Error("there is no such process");
        expect(turn.problem).toBeUndefined();
        return { who, turn, sent: JSON.stringify((turn.body as { messages: object[] }).messages) };
      };
      const write = async (text: string) => {
        letters.push(text);
        const letter = { id: text, from: "ada", text, timestamp: "2026-11-16T10:00:00Z" };
        await writer.record({ type: "message_received", ...letter });
      };
      const check = (sent: string) => {
        expect(sent.startsWith(before.slice(0, -1))).toBe(true);
        for (const letter of letters) expect(sent.split(letter).length - 1).toBeLessThanOrEqual(1);
      };
      const goOn = (sent: string) => {
        before = sent;
        older = [...messages];
        messages.push(
          { role: "assistant", content: `Answer ${messages.length}.` },
          { role: "user", content: `Word ${messages.length}.` },
        );
      };
      const end = (turn: Turn, how: string) =>
        how === "unsent" ? turn.abandon({ unsent: true }) : turn.abandon();
      try {
        for (const [at, { asks, letters: news, late, writes, answered, others }] of rounds.entries()) {
          // One that has something new to say would say it in its older place.
          const isNew = news.includes(true) || letters.some((letter) => !before.includes(letter));
          const isLate = (who: number) => who !== winner && late[who] === true && !isNew;
          const winner = asks[answered % asks.length] as number;
          const opens = new Map<number, () => void>();
          const asking = [];
          for (const who of asks) {
            if (news[who]) await write(`Letter ${at}/${who}.`);
            const { promise: open, resolve } = Promise.withResolvers<void>();
            const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
            gates.set(who, { reach, open });
            opens.set(who, resolve);
            asking.push(ask(who, isLate(who) ? [...older] : [...messages]));
            await reached;
          }
          for (const who of writes) {
            opens.get(who)?.();
            // What it does next happens before the others write.
            if (opens.has(who)) await asking[asks.indexOf(who)];
          }
          const done = await Promise.all(asking);
          for (const one of done) {
            if (one.who !== winner) continue;
            check(one.sent);
            await one.turn.commit();
            goOn(one.sent);
          }
          for (const { who, turn } of done)
            if (who !== winner) await end(turn, isLate(who) ? "unsent" : others);
        }
        for (const who of [0, 1, 2, 2, 1, 0]) {
          const { turn, sent } = await ask(who, [...messages]);
          check(sent);
          await turn.commit();
          goOn(sent);
        }
        for (const letter of letters) expect([letter, before.split(letter).length - 1]).toEqual([letter, 1]);
      } finally {
        for (const session of [...sessions, writer]) await session.close();
      }
    }),
    runs(400),
  );
});
