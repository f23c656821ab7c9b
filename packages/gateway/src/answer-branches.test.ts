// Requests that continue from any earlier answer by its id: what is told on one way is still due on the others.

import { test } from "vitest";
import { createKeptHistories, walkAnswers } from "../../../test/support/answer-tree.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

/** A provider that keeps each answer with the history that led to it. */
async function startTalk(headers: Record<string, string>) {
  const { keep, times } = createKeptHistories();
  let fails = false;
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (fails) return void response.writeHead(529).end("{}");
    const id = keep(JSON.parse(text));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id, status: "completed", model: "m", error: null, output: [] }));
  }, headers);
  return {
    async ask(words: string, before?: string, { failing = false } = {}): Promise<string | undefined> {
      fails = failing;
      const answer = await post("/openai/v1/responses", {
        ...{ model: "m", input: [{ role: "user", content: words }] },
        ...(before === undefined ? {} : { previous_response_id: before }),
      });
      return ((await answer.json()) as { id?: string }).id;
    },
    tell,
    times,
  };
}

test.each([
  ["named", { "x-sotto-session": "s" }],
  ["known by its answers", {}],
])("AC-59 %s: on each way that goes on, each event is told once", async (_, headers) => {
  for (let seed = 1; seed <= 6; seed++) await walkAnswers(seed, await startTalk(headers));
});
