// A user's message of blanks is a block of the history like any other: what is due behind it goes behind it.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type WireBody, type WireMessage, wires } from "../support/agent-wire.ts";
import { openAssistant } from "../support/open-engine.ts";
import { partingOf } from "../support/requests.ts";
import { runs } from "../support/runs.ts";

const blanks = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\u00a0"), minLength: 1, maxLength: 3 });
const step = fc.record({
  hasNews: fc.boolean(),
  /** What is added to the request before; nothing at all is a request that is sent once more. */
  says: fc.option(
    fc.array(fc.oneof(blanks, fc.constantFrom("Go on.", "So?")), { minLength: 1, maxLength: 2 }),
  ),
  isAnswered: fc.boolean(),
  reads: fc.boolean(),
});

describe.each(wires)("$name", (wire) => {
  test("AC-37 a request with messages of blanks is the beginning of the next one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const session = openAssistant();
        const messages: WireMessage[] = [wire.prompt("Hello.")];
        let before: WireBody | undefined;
        for (const [at, { hasNews, says, isAnswered, reads }] of steps.entries()) {
          if (isAnswered) messages.push(...wire.reply(`Answer ${at}.`, reads ? [`call_${at}`] : []));
          if (isAnswered && reads)
            messages.push(...wire.results([{ id: `call_${at}`, text: `Result ${at}.` }], true));
          if (says !== null || (isAnswered && !reads)) messages.push(wire.prompt(...(says ?? ["And?"])));
          if (hasNews) await session.record({ type: "prompt_queued", id: `n${at}`, prompt: `News ${at}.` });
          const turn = await session.turn({ dialect: wire.dialect, body: wire.body(messages) });
          expect(turn.problem).toBeUndefined();
          expect(partingOf(wire, before, turn.body)).toBeUndefined();
          before = turn.body;
          await turn.commit();
        }
        await session.close();
      }),
      runs(400),
    );
  });
});
