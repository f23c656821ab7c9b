// The provider keeps the history, and the host says that the conversation went back: every turn ends, and what the model had
// heard only behind that place is told again.

import fc from "fast-check";
import { createMemoryStore, openaiResponses } from "sotto";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  hasNews: fc.boolean(),
  reopens: fc.boolean(),
  /** How many turns it goes back before the next one. */
  back: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
});

const conversations: Record<string, (answer: string | undefined) => object> = {
  "by its answers": (answer: string | undefined) =>
    answer === undefined ? {} : { previous_response_id: answer },
  "by its name": () => ({ conversation: "conv" }),
};

for (const [how, from] of Object.entries(conversations))
  test(`AC-49 a conversation that is kept ${how} and goes back hears everything`, {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        const store = createMemoryStore();
        const open = () => openAssistant({ id: "s", store });
        let session = open();
        /** Of each turn of the conversation as it is now: its number, what was told, and the answer's name. */
        let line: { number: number; told: string; answer: string }[] = [];
        const news: string[] = [];
        try {
          for (const [at, { hasNews, reopens, back }] of steps.entries()) {
            if (back !== null && line.length > 0) {
              line = line.slice(0, -back);
              await session.record({ type: "rewound", toTurn: line.at(-1)?.number ?? 0 });
            }
            if (hasNews) {
              news.push(`News ${at}.`);
              await session.record({
                type: "message_received",
                id: `n${at}`,
                from: "ada",
                text: `News ${at}.`,
                timestamp: new Date(0).toISOString(),
              });
            }
            const turn = await session.turn({
              dialect: openaiResponses,
              body: {
                model: "m",
                input: [{ role: "user" as const, content: "Go on." }],
                ...from(line.at(-1)?.answer),
              },
            });
            expect(turn.problem).toBeUndefined();
            line.push({ number: turn.number, told: JSON.stringify(turn.body?.input), answer: `resp-${at}` });
            const heard = line.map(({ told }) => told).join();
            for (const one of news) expect([at, one, heard.split(one).length - 1]).toEqual([at, one, 1]);
            await turn.keptAs(`resp-${at}`);
            await turn.commit();
            if (!reopens) continue;
            await session.close();
            session = open();
          }
        } finally {
          await session.close();
        }
      }),
      runs(1000),
    );
  });
