// A host falls back to another provider when one fails, and comes back: the same conversation, written in two dialects. What
// was sent and answered keeps its place among the client's own messages, whoever is asked next.

import fc from "fast-check";
import { aiSdk, createMemoryStore } from "sotto";
import type { Dialect } from "sotto/extend";
import { expect, test } from "vitest";
import { anthropic, google, openai, responses, type Wire, type WireBody } from "../support/agent-wire.ts";
import { openAssistant, roomy } from "../support/open-engine.ts";
import { runs } from "../support/runs.ts";

type Writer = Pick<Wire, "dialect" | "body" | "prompt" | "reply" | "results">;

const sdk: Writer = {
  dialect: aiSdk as unknown as Dialect<WireBody>,
  body: (messages) => ({ messages }),
  prompt: (text) => ({ role: "user", content: text }),
  reply: (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: {} })),
      ],
    },
  ],
  results: (answers) => [
    {
      role: "tool",
      content: answers.map(({ id, text }) => ({
        ...{ type: "tool-result", toolCallId: id, toolName: "look" },
        output: { type: "text", value: text },
      })),
    },
  ],
};

const writers: Record<string, Writer> = { anthropic, openai, responses, google, sdk };
const names = Object.keys(writers);
const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const));

/** What an answer is: words that the user answers, or calls of a tool, in one message with the words before them or not. */
type Reply = "words" | "call" | "words, call" | "words with call" | "words with calls";

/** Whether calls have the same ids in both dialects, others in each, or none in Gemini's. */
type Ids = "same" | "own" | "none";

const step = fc.record({
  /** Asks the provider that was not asked last. */
  turns: fc.boolean(),
  tells: fc.boolean(),
  reopens: fc.integer({ min: 0, max: 7 }).map((one) => one === 0),
  /** The call fails; or it is answered, and the host says so or not. */
  end: fc.constantFrom("fails", "fails", "commits", "commits", "goes on"),
  reply: fc.constantFrom<Reply>("words", "call", "words, call", "words with call", "words with calls"),
});

/** One message of the conversation: words of either side, or calls with their results. */
type Said =
  | { role: "user" | "assistant"; text: string }
  | { words?: string; calls: number[]; results: string[] };

test.each(pairs)(
  "AC-37 AC-51 a fallback and the way back move nothing, lose nothing, double nothing: %s and %s",
  async (one, other) => {
    const plan = fc.record({
      ids: fc.constantFrom<Ids>("same", "own", "none"),
      steps: fc.array(step, { minLength: 3, maxLength: 14, size: "max" }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ ids, steps }) => {
        const store = createMemoryStore();
        const open = () => openAssistant({ id: "s", store, config: roomy });
        let session = open();
        let said = 0;
        const word = () => `<w${++said}>`;
        const history: Said[] = [{ role: "user", text: word() }];
        const letters: string[] = [];
        let places: Record<string, string | undefined> = {};
        let name = one;
        const ask = async () => {
          const writer = writers[name] as Writer;
          const body = written(history, { name, ids });
          const turn = await session.turn({ dialect: writer.dialect, body });
          expect(turn.problem).toBeUndefined();
          const sent: string[] = JSON.stringify(turn.body).match(/<[wl]\d+>/gu) ?? [];
          const found = sent.filter((mark) => mark.startsWith("<l"));
          expect(found.toSorted()).toEqual(letters.toSorted());
          const now = Object.fromEntries(
            found.map((letter) => [letter, sent.slice(0, sent.indexOf(letter)).findLast(isWord)]),
          );
          expect(now).toMatchObject(places);
          return { turn, now };
        };
        try {
          for (const { turns, tells, reopens, end, reply } of steps) {
            if (turns) name = name === one ? other : one;
            if (tells) {
              const letter = `<l${letters.length}>`;
              letters.push(letter);
              await session.record({ type: "prompt_queued", id: letter, prompt: letter });
            }
            if (reopens) {
              await session.close();
              session = open();
            }
            const { turn, now } = await ask();
            if (end === "fails") {
              await turn.abandon();
              continue;
            }
            if (end === "commits") await turn.commit();
            places = now;
            history.push(...answer(reply, word));
          }
          for (name of [one, other, one]) await (await ask()).turn.commit();
        } finally {
          await session.close();
        }
      }),
      runs(200),
    );
  },
);

const isWord = (mark: string) => mark.startsWith("<w");

function answer(reply: Reply, word: () => string): Said[] {
  const words = { role: "assistant", text: word() } as const;
  if (reply === "words") return [words, { role: "user", text: word() }];
  const calls = (count: number) => {
    const results = Array.from({ length: count }, word);
    return { calls: results.map((result) => Number.parseInt(result.slice(2), 10)), results };
  };
  if (reply === "call") return [calls(1)];
  if (reply === "words, call") return [words, calls(1)];
  return [{ words: words.text, ...calls(reply === "words with calls" ? 2 : 1) }];
}

function written(history: readonly Said[], { name, ids }: { name: string; ids: Ids }): WireBody {
  const { body, prompt, reply, results } = writers[name] as Writer;
  const prefix = ids === "own" ? name : "call";
  const messages = history.flatMap((one) => {
    if ("role" in one) return one.role === "user" ? [prompt(one.text)] : reply(one.text, []);
    const named = one.calls.map((call) => `${prefix}_${call}`);
    const answers = one.results.map((text, at) => ({ id: named[at] as string, text }));
    return [...reply(one.words, named), ...results(answers, true)];
  });
  if (ids !== "none" || name !== "google") return body(messages);
  return JSON.parse(JSON.stringify(body(messages), (key, value) => (key === "id" ? undefined : value)));
}
