// Clients fork and resume conversations under a new name: what their history was told stays there, for the same key only.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

const NAMES = {
  "x-sotto-session": {},
  "x-claude-code-session-id": { "user-agent": "claude-cli/2.1.325" },
};
const tools = [{ name: "Look", input_schema: { type: "object" } }];

async function start(header: keyof typeof NAMES) {
  const got: string[] = [];
  let status = 200;
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    got.push(JSON.stringify(JSON.parse(text).messages));
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "m", role: "assistant", content: [{ type: "text", text: "Yes." }] }));
  }, NAMES[header]);
  return {
    tell,
    /** What the provider gets. */
    async ask(name: string, messages: readonly object[], { key = "k", fails = 200 } = {}) {
      status = fails;
      const body = { model: "m", max_tokens: 9, tools, messages };
      await (await post("/anthropic/v1/messages", body, { [header]: name, "x-api-key": key })).text();
      return got.at(-1) as string;
    },
  };
}

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });
/** The exchanges of a conversation, and what its user says next. */
const history = (said: readonly string[]) =>
  said.flatMap((words, at) => [user(words), ...(at < said.length - 1 ? [assistant(`To ${words}`)] : [])]);
const beginning = (text: string) => text.slice(0, -1);

describe.each(Object.keys(NAMES) as (keyof typeof NAMES)[])("by %s", (header) => {
  const step = fc.record({
    tells: fc.boolean(),
    // What the provider answers before it answers.
    fails: fc.array(fc.constantFrom(400, 429, 500), { maxLength: 2 }),
  });
  const forks = fc.array(fc.record({ from: fc.nat(5), at: fc.nat(9), goesOn: fc.nat({ max: 2 }) }), {
    maxLength: 3,
  });

  test("each thing is told once on each way that had it, and what was sent stays", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), forks, async (steps, ways) => {
        const { ask, tell } = await start(header);
        const all: { said: string[]; sent: string[]; told: string[] }[] = [];
        const goOn = async (way: number, words: string, failures: readonly number[] = []) => {
          const { said, sent, told } = all[way] as (typeof all)[number];
          for (const fails of failures) await ask(`way-${way}`, history([...said, words]), { fails });
          const now = await ask(`way-${way}`, history([...said, words]));
          for (const id of told) expect([id, now.split(`Mind ${id}.`).length - 1]).toEqual([id, 1]);
          const earlier = sent.at(-1);
          if (earlier !== undefined) expect(now.slice(0, earlier.length - 1)).toBe(beginning(earlier));
          said.push(words);
          sent.push(now);
        };
        all.push({ said: [], sent: [], told: [] });
        await goOn(0, "Begin.");
        for (const [at, { tells, fails }] of steps.entries()) {
          if (tells) {
            await tell(`${at}`, "a letter");
            all[0]?.told.push(`${at}`);
          }
          await goOn(0, `Step ${at}.`, fails);
        }
        for (const { from, at, goesOn } of ways) {
          const { said, sent } = all[from % all.length] as (typeof all)[number];
          const kept = 1 + (at % said.length);
          const had = sent[kept - 1] as string;
          const told = steps.flatMap((_, id) => (had.includes(`Mind ${id}.`) ? [`${id}`] : []));
          const way = all.push({ said: said.slice(0, kept), sent: sent.slice(0, kept), told }) - 1;
          await goOn(way, `Way ${way}.`);
          for (let more = 0; more < goesOn; more++) await goOn(way, `Way ${way}, ${more}.`);
        }
        await goOn(0, "End.");
      }),
      runs(200),
    );
  });

  test("another key, and the same words without an answer, begin anew", async () => {
    const { ask, tell } = await start(header);
    await ask("one", history(["Begin."]));
    await tell("it", "a letter");
    expect(await ask("one", history(["Begin.", "Go on."]))).toContain("Mind it.");
    expect(await ask("two", history(["Begin."]))).not.toContain("Mind it.");
    expect(await ask("three", history(["Begin.", "Go on.", "More."]), { key: "other" })).not.toContain(
      "Mind it.",
    );
    expect(await ask("four", history(["Begin.", "Go on."]))).not.toContain("Mind it.");
    expect(await ask("five", history(["Begin.", "Go on.", "More."]))).toContain("Mind it.");
  });
});
