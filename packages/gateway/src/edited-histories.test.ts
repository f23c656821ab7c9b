// Conversations without a name whose user edits earlier messages: what was told stays told, in its place.

import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/odd-json.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

interface Said {
  role: string;
  content: string;
}

/** The user edits messages by their places, and goes on after each edit. */
async function talk(edits: readonly (number | undefined)[], toldAt: number) {
  const sent: Said[][] = [];
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    sent.push((JSON.parse(text) as { messages: Said[] }).messages);
    const message = { role: "assistant", content: `Answer ${sent.length}.` };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  }, {});
  let history: Said[] = [{ role: "user", content: "Begin." }];
  for (const [step, edit] of edits.entries()) {
    if (step === toldAt) await tell("it");
    await (await post("/openai/v1/chat/completions", { model: "m", messages: history })).text();
    const next = [
      { role: "assistant", content: `Answer ${step + 1}.` },
      { role: "user", content: `Step ${step + 1}.` },
    ];
    history = history.map((one, at) => (at === edit ? { role: "user", content: `Edited ${step}.` } : one));
    history = [...history, ...next];
  }
  return sent.map((messages) =>
    messages.flatMap(({ content }, at) => (JSON.stringify(content).includes("Mind it.") ? [at] : [])),
  );
}

test("edits of three messages, one after the other", async () => {
  const places = await talk([undefined, 2, undefined, 4, undefined, 8, undefined, undefined], 3);
  expect(places.slice(3).map((one) => one.length)).toEqual([1, 1, 1, 1, 1]);
});

test("AC-59 edits at random: what was told stands once, and stays in its place", async () => {
  for (let seed = 1; seed <= 25; seed++) {
    const random = randomFrom(seed);
    const toldAt = 1 + Math.floor(random() * 5);
    const toldIn = 2 * toldAt;
    const edits = Array.from({ length: 12 }, (_, step) => {
      const at = 2 + 2 * Math.floor(random() * step);
      return random() < 0.5 || at === toldIn || at > 2 * step ? undefined : at;
    });
    const places = await talk(edits, toldAt);
    const [first, ...later] = places.slice(toldAt);
    expect(first, `seed ${seed}`).toHaveLength(1);
    for (const one of later) expect(one, `seed ${seed}: ${JSON.stringify(edits)} ${toldAt}`).toEqual(first);
  }
});
