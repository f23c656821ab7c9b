// Requests that continue from any earlier answer by its id: what is told on one way is still due on the others.

import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/odd-json.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

/** A provider that keeps each answer with the history that led to it. */
async function startTalk(headers: Record<string, string>) {
  const histories = new Map<string, string[]>();
  let fails = false;
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const { input, previous_response_id: before } = JSON.parse(text);
    if (fails) return void response.writeHead(529).end("{}");
    const id = `resp_${histories.size + 1}`;
    histories.set(id, [...(histories.get(before) ?? []), JSON.stringify(input)]);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id, status: "completed", model: "m", error: null, output: [] }));
  }, headers);
  return {
    /** Returns the id of the answer, or undefined if it fails. */
    async ask(words: string, before?: string, { failing = false } = {}): Promise<string | undefined> {
      fails = failing;
      const answer = await post("/openai/v1/responses", {
        ...{ model: "m", input: [{ role: "user", content: words }] },
        ...(before === undefined ? {} : { previous_response_id: before }),
      });
      return ((await answer.json()) as { id?: string }).id;
    },
    tell,
    /** How often this was told on the way to an answer. */
    times: (id: string, answer: string | undefined) =>
      (histories.get(answer ?? "") ?? []).join().split(`Mind ${id}.`).length - 1,
  };
}

test.each([
  ["named", { "x-sotto-session": "s" }],
  ["known by its answers", {}],
])("AC-59 %s: on each way that goes on, each event is told once", async (_, headers) => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = randomFrom(seed);
    const { ask, tell, times } = await startTalk(headers);
    const answers = [(await ask("Begin.")) as string];
    const events: string[] = [];
    for (let step = 0; step < 24; step++) {
      const pick = random();
      if (pick < 0.2) {
        await tell(`${seed}.${step}`);
        events.push(`${seed}.${step}`);
        continue;
      }
      const from = pick < 0.6 ? answers.at(-1) : answers[Math.floor(random() * answers.length)];
      const words = pick > 0.9 ? "The same again." : `Step ${step}.`;
      if (pick > 0.45 && pick < 0.55) await ask(words, from, { failing: true });
      const answer = (await ask(words, from)) as string;
      answers.push(answer);
      expect(
        events.map((id) => times(id, answer)),
        `seed ${seed}, step ${step}`,
      ).toEqual(events.map(() => 1));
    }
  }
});
