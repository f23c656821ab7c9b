// Clients fork and resume conversations under a new name: what their history was told stays there, for the same key only.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

const NAMES = {
  "x-sotto-session": { headers: {}, space: "gateway" },
  "x-claude-code-session-id": {
    headers: { "user-agent": "claude-cli/2.1.325" },
    space: "gateway/claude-code",
  },
};
const tools = [{ name: "Look", input_schema: { type: "object" } }];

type Message = ReturnType<typeof user>;

async function start(header: keyof typeof NAMES) {
  const got: string[] = [];
  let status = 200;
  let answers = "";
  let isCut = false;
  const { post, tell, settled } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    got.push(JSON.stringify(JSON.parse(text).messages));
    response.writeHead(status, { "content-type": "application/json" });
    const whole = JSON.stringify({ id: "m", role: "assistant", content: [{ type: "text", text: answers }] });
    if (isCut) response.write(whole.slice(0, -5), () => response.destroy());
    else response.end(whole);
  }, NAMES[header].headers);
  return {
    tell: (id: string, name?: string) => tell(id, "a letter", name && `${NAMES[header].space}/${name}`),
    /** What the provider gets. */
    async ask(
      name: string,
      messages: readonly Message[],
      { key = "k", fails = 200, answer = "Yes.", cut = false } = {},
    ) {
      status = fails;
      answers = answer;
      isCut = cut;
      const body = { model: "m", max_tokens: 9, tools, messages };
      const answered = await post("/anthropic/v1/messages", body, { [header]: name, "x-api-key": key });
      await answered.text().catch((error) => expect([cut, error]).toEqual([true, error]));
      await settled();
      return got.at(-1) as string;
    },
  };
}

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
const beginning = (text: string) => text.slice(0, -1);

/** A request of a way: its history, what it was answered, and what the provider got. */
interface Said {
  history: readonly Message[];
  sent: string;
  told: readonly string[];
}

describe.each(Object.keys(NAMES) as (keyof typeof NAMES)[])("by %s", (header) => {
  // Few words and few answers: conversations often begin in the same way.
  const words = fc.constantFrom("hi", "go on", "more");
  const answer = fc.constantFrom("Hello.", "Well.");
  const step = fc.record({
    way: fc.nat(5),
    words,
    answer,
    tells: fc.boolean(),
    // What the provider answers before it answers.
    fails: fc.array(fc.constantFrom(400, 429, 500), { maxLength: 2 }),
    // A client edits an earlier message, once in a while.
    edits: fc.option(fc.nat(5), { freq: 6 }),
    // A way begins anew, or from a request of another one.
    begins: fc.option(fc.record({ from: fc.nat(5), at: fc.nat(9), anew: fc.boolean() }), { freq: 2 }),
  });

  test("a way begins as the one whose history it has; each thing is told once on it, and what was sent stays", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const { ask, tell } = await start(header);
        const ways: Said[][] = [[]];
        for (const [at, { way, words, answer, tells, fails, edits, begins }] of steps.entries()) {
          let to = way % ways.length;
          let earlier: Said | undefined;
          let isEdited = false;
          if (begins !== undefined && begins !== null) {
            const source = ways[begins.from % ways.length] as Said[];
            earlier = begins.anew ? undefined : source[begins.at % Math.max(1, source.length)];
            to = ways.push([]) - 1;
          } else {
            earlier = ways[to]?.at(-1);
          }
          const isNew = ways[to]?.length === 0;
          const isTold = tells && (!isNew || earlier === undefined);
          let before = earlier?.history ?? [];
          if (begins == null && edits != null && before.length > 2) {
            const place = 2 * (edits % (before.length / 2));
            isEdited = place > 0;
            before = before.map((one, index) =>
              isEdited && index === place ? user(`${one.content}!`) : one,
            );
          }
          const asked = [...before, user(words)];
          // Only a conversation that is known can be told something: its first request is refused before.
          if (isTold && isNew) await ask(`way-${to}`, asked, { fails: 400 });
          if (isTold) await tell(`${at}`, `way-${to}`);
          for (const status of fails) await ask(`way-${to}`, asked, { fails: status });
          const sent = await ask(`way-${to}`, asked, { answer });
          // Whose history and answers are the same cannot be told apart.
          const alike = ways
            .flat()
            .filter((one) => isNew && JSON.stringify(one.history) === JSON.stringify(before));
          const same = [...alike, ...(earlier === undefined ? [] : [earlier])]
            .sort((one, other) => other.sent.length - one.sent.length)
            .find((one) => isEdited || sent.startsWith(beginning(one.sent)));
          expect(same === undefined).toBe(earlier === undefined);
          const told = [...(same?.told ?? []), ...(isTold ? [`${at}`] : [])];
          for (let id = 0; id < steps.length; id++)
            expect([id, sent.split(`Mind ${id}.`).length - 1]).toEqual([id, told.includes(`${id}`) ? 1 : 0]);
          ways[to]?.push({ history: [...asked, assistant(answer)], sent, told });
        }
      }),
      runs(200),
    );
  });

  test("another key, and the same words without an answer, begin anew", async () => {
    const { ask, tell } = await start(header);
    const first = [user("Begin.")];
    const second = [...first, assistant("Yes."), user("Go on.")];
    const third = [...second, assistant("Yes."), user("More.")];
    await ask("one", first);
    await tell("it");
    expect(await ask("one", second)).toContain("Mind it.");
    expect(await ask("two", first)).not.toContain("Mind it.");
    expect(await ask("three", third, { key: "other" })).not.toContain("Mind it.");
    expect(await ask("five", third)).toContain("Mind it.");
    expect(await ask("four", second)).not.toContain("Mind it.");
  });

  test("the same prompt with another answer is another conversation", async () => {
    const { ask, tell } = await start(header);
    const first = [user("hi")];
    await ask("shop", first, { fails: 400 });
    await tell("it", "shop");
    await ask("shop", first, { answer: "Shop." });
    await ask("shop", [...first, assistant("Shop."), user("Sell.")], { answer: "Sold." });
    expect(await ask("bank", [...first, assistant("Bank."), user("Pay.")])).not.toContain("Mind it.");
    const changed = [...first, assistant("Shop."), user("Sell."), assistant("Gone."), user("Why?")];
    expect(await ask("other", changed)).toContain("Mind it.");
  });

  test("nobody has an answer to what was not answered; of one that was cut a client may have a part", async () => {
    const { ask, tell } = await start(header);
    const first = [user("hi")];
    await ask("shop", first, { fails: 400 });
    await tell("it", "shop");
    expect(await ask("shop", first, { fails: 500 })).toContain("Mind it.");
    const other = [...first, assistant("Bank."), user("Pay.")];
    expect(await ask("bank", other)).not.toContain("Mind it.");
    expect(await ask("shop", first, { cut: true })).toContain("Mind it.");
    expect(await ask("shop-2", [...first, assistant("Ye"), user("Go on.")])).toContain("Mind it.");
  });

  test("a request that is sent again is known by its answer, however many began with the same words meanwhile", async () => {
    const { ask, tell } = await start(header);
    const first = [user("hi")];
    await ask("one", first, { fails: 400 });
    await tell("it", "one");
    await ask("one", first, { fails: 500 });
    for (let at = 0; at < 9; at++) await ask(`other-${at}`, first, { answer: `No ${at}.` });
    expect(await ask("one", first)).toContain("Mind it.");
    expect(await ask("two", [...first, assistant("Yes."), user("Go on.")])).toContain("Mind it.");
    expect(await ask("three", [...first, assistant("No 8."), user("Go on.")])).not.toContain("Mind it.");
  });
});

test("by content: a way that parts has what a request was told when it was sent again", async () => {
  const { ask, tell } = await start("x-sotto-session");
  const first = [user("hi")];
  const second = (words: string) => [...first, assistant("Yes."), user(words)];
  await ask("", first, { fails: 400 });
  await tell("it");
  const sent = await ask("", first);
  expect(sent).toContain("Mind it.");
  await ask("", second("Go on."));
  expect((await ask("", second("Go back."))).slice(0, sent.length - 1)).toBe(beginning(sent));
});
