// The provider keeps the history, and requests continue from one of its answers: what the model sees there has everything
// once, however often calls fail, are sent again with more or other input, or continue from an earlier answer.

import fc from "fast-check";
import { createMemoryStore, openaiResponses } from "sotto";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

const step = fc.record({
  hasNews: fc.boolean(),
  /** What becomes of the call. */
  end: fc.constantFrom("commit", "answered", "abandon", "unsent", "failed"),
  /** What follows a call that failed. */
  next: fc.constantFrom("again", "more", "instead"),
  /** Where the next one continues from: the answer, or an earlier one that was continued before. */
  from: fc.option(fc.nat(5), { freq: 4 }),
  reopens: fc.boolean(),
});

test("AC-49 nothing is lost or doubled behind an answer", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const store = createMemoryStore();
      const open = () => openAssistant({ id: "s", store });
      let session = open();
      const news: string[] = [];
      // What the model sees of each answer's conversation.
      const views = new Map<string, string>();
      const continued: string[] = [];
      let previous: string | undefined;
      let input: { role: "user"; content: string }[] = [{ role: "user", content: "Begin." }];
      try {
        for (const [at, { hasNews, end, next, from, reopens }] of steps.entries()) {
          const user = (content: string) => ({ role: "user" as const, content: `${content} ${at}.` });
          if (hasNews) {
            news.push(`News ${at}.`);
            await session.record({ type: "prompt_queued", id: `n${at}`, prompt: `News ${at}.` });
          }
          const before = previous === undefined ? {} : { previous_response_id: previous };
          const turn = await session.turn({
            dialect: openaiResponses,
            body: { model: "m", input: [...input], ...before },
          });
          const seen = (views.get(previous ?? "") ?? "") + JSON.stringify(turn.body?.input);
          for (const one of news) expect([at, one, seen.split(one).length - 1]).toEqual([at, one, 1]);
          if (end === "commit") await turn.commit();
          if (end === "abandon") await turn.abandon();
          if (end === "unsent") await turn.abandon({ unsent: true });
          if (reopens) {
            await session.close();
            session = open();
          }
          if (end === "commit" || end === "answered") {
            if (previous !== undefined && !continued.includes(previous)) continued.push(previous);
            const answer = `resp-${at}`;
            views.set(answer, seen);
            previous = from === null ? answer : (continued[from % Math.max(1, continued.length)] ?? answer);
            input = [user("Next")];
          } else if (next === "more") input.push(user("More"));
          else if (next === "instead") input = [user("Instead")];
        }
      } finally {
        await session.close();
      }
    }),
    runs(1500),
  );
});
