// Requests that continue from any earlier answer by its id: what is told on one way is still due on the others.

import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createKeptHistories, walkAnswers } from "../../../test/support/answer-tree.ts";
import { startToldGateway } from "../../../test/support/told-gateway.ts";

/** A provider that keeps each answer with the history that led to it. */
async function startTalk(headers: Record<string, string>) {
  const { keep, times } = createKeptHistories();
  let fails = false;
  let failures = 0;
  const { post, tell } = await startToldGateway(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    if (fails && ++failures % 2 === 0) return void response.writeHead(529).end("{}");
    if (fails) return void failBehindId(response, `failed_${failures}`);
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
      const text = await answer.text();
      return failing ? undefined : (JSON.parse(text) as { id: string }).id;
    },
    tell,
    times,
  };
}

function failBehindId(response: ServerResponse, id: string): void {
  const events = [
    { type: "response.created", response: { id, status: "in_progress", error: null, output: [] } },
    { type: "error", code: "server_error", message: "Try again." },
  ];
  response.setHeader("content-type", "text/event-stream");
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

test.each([
  ["named", { "x-sotto-session": "s" }],
  ["known by its answers", {}],
])("AC-59 %s: on each way that goes on, each event is told once", async (_, headers) => {
  for (let seed = 1; seed <= 6; seed++) await walkAnswers(seed, await startTalk(headers));
});

const FORMS = {
  "a list": { model: "m", input: [{ role: "user", content: "Begin." }] },
  "a text": { model: "m", input: "Begin." },
  "another model": { model: "n", input: "Begin." },
  "a stream": { model: "m", input: "Begin.", stream: true },
};
const PAIRS = Object.entries(FORMS).flatMap(([first, body]) =>
  Object.entries(FORMS).map(([second, other]) => ({ first, second, body, other })),
);

test.each(PAIRS.filter(({ first, second }) => first !== second))(
  "AC-59 $first fails behind its id, $second is answered, the first one comes again: all are told",
  async (one) => {
    const sent: string[] = [];
    const { post, tell } = await startToldGateway(async (request, response) => {
      let text = "";
      for await (const chunk of request.setEncoding("utf8")) text += chunk;
      sent.push(text);
      if (sent.length === 1) return failBehindId(response, "failed");
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ id: `resp_${sent.length}`, status: "completed", error: null, output: [] }),
      );
    }, {});
    const ask = async (body: object) => (await post("/openai/v1/responses", body)).text();
    await ask(one.body);
    await tell("it");
    for (const body of [one.other, one.body]) await ask(body);
    expect(sent.map((text) => text.split("Mind it.").length - 1)).toEqual([0, 1, 1]);
  },
);
