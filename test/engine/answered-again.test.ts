// A prompt is sent again after something happened, as a step behind it failed or the user went back. However the new answer
// begins, the conversation goes on from it: what was sent stays in its place.

import fc from "fast-check";
import { anthropicMessages } from "sotto";
import { expect, test } from "vitest";
import { openAssistant } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

const text = (words: string): Block => ({ type: "text", text: words });
const blocks = fc.array(
  fc.oneof(
    fc.constantFrom("Sure.", "Let me see.", "Done.").map(text),
    fc.constantFrom("a", "b").map((at): Block => ({ type: "tool_use", id: "", name: "look", input: { at } })),
  ),
  { minLength: 1, maxLength: 3 },
);
const talk = fc.record({
  /** Answers behind the prompt before it is sent again. */
  before: fc.array(blocks, { minLength: 1, maxLength: 3 }),
  /** How many blocks the new answer has in common with the first of them. */
  common: fc.integer({ min: 0, max: 2 }),
  answer: blocks,
  more: fc.array(blocks, { minLength: 1, maxLength: 3 }),
  settles: fc.boolean(),
});

test("AC-37 AC-38 a prompt that is answered again keeps what it was sent with", async () => {
  await fc.assert(
    fc.asyncProperty(talk, async ({ before, common, answer, more, settles }) => {
      const session = openAssistant({ id: "s" });
      let ids = 0;
      let sent: string[] = [];
      const prompt = { role: "user", content: "Go on." };
      /** An answer, and what the client says to it. */
      const exchange = (content: readonly Block[]) => {
        const own = content.map((block) =>
          block.type === "text" ? block : { ...block, id: `call-${ids++}` },
        );
        const results = own.flatMap((block) =>
          block.type === "text" ? [] : [{ type: "tool_result", tool_use_id: block.id, content: "Seen." }],
        );
        const said = results.length > 0 ? results : `And ${ids++}?`;
        return [
          { role: "assistant", content: own },
          { role: "user", content: said },
        ];
      };
      const turn = async (messages: readonly object[]) => {
        const taken = await session.turn({
          dialect: anthropicMessages,
          body: { model: "m", max_tokens: 9, messages } as never,
        });
        if (settles) await taken.commit();
        sent = (taken.body as unknown as { messages: object[] }).messages.map((one) => JSON.stringify(one));
        return sent;
      };
      const tell = (id: string) => session.record({ type: "prompt_queued", id, prompt: `News ${id}.` });
      try {
        await tell("one");
        let messages: object[] = [prompt];
        await turn(messages);
        for (const content of before) {
          messages = [...messages, ...exchange(content)];
          await turn(messages);
        }
        await tell("two");
        messages = [prompt];
        await turn(messages);
        const first = before[0] as Block[];
        // Not the whole of an answer that has calls: with the same ids it would be the same answer.
        const again = [...first.slice(0, Math.min(common, first.length)), ...answer];
        for (const content of [again, ...more]) {
          const earlier = sent;
          messages = [...messages, ...exchange(content)];
          const now = await turn(messages);
          expect(now.slice(0, earlier.length)).toEqual(earlier);
          for (const news of ["News one.", "News two."]) expect(now.join().split(news).length - 1).toBe(1);
        }
      } finally {
        await session.close();
      }
    }),
    runs(1000),
  );
});
