// Requests that continue from any earlier answer by its id: what is told on one way is still due on the others.

import type { ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
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

const created = (id: string) => ({ type: "response.created", response: { id, status: "in_progress" } });
const completed = (id: string) => ({ type: "response.completed", response: { id, status: "completed" } });
const written = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

test.each([
  ["breaks off", true],
  ["ends too early", false],
])(
  "AC-59 a stream that %s behind its id: what continues from it, and beside it, hears each event once",
  async (_, isCut) => {
    const { keep, times } = createKeptHistories();
    let breaks = false;
    const { post, tell } = await startToldGateway(
      async (request, response) => {
        let text = "";
        for await (const piece of request.setEncoding("utf8")) text += piece;
        const id = keep(JSON.parse(text));
        response.setHeader("content-type", "text/event-stream");
        response.write(written(created(id)));
        if (!breaks) return void response.end(written(completed(id)));
        if (!isCut) return void response.end();
        // Behind what has been passed on.
        setImmediate(() => setImmediate(() => response.destroy()));
      },
      { "x-sotto-session": "s" },
    );
    const ask = async (words: string, before?: string): Promise<string> => {
      const input = [{ role: "user", content: words }];
      const answer = await post("/openai/v1/responses", {
        ...{ model: "m", stream: true, input },
        ...(before === undefined ? {} : { previous_response_id: before }),
      });
      let text = "";
      const decoder = new TextDecoder();
      // What came before it broke counts.
      try {
        for await (const piece of answer.body ?? [])
          text += decoder.decode(piece as Uint8Array, { stream: true });
      } catch {}
      return /"id":"(resp_\d+)"/u.exec(text)?.[1] as string;
    };
    const first = await ask("Begin.");
    await tell("one");
    breaks = true;
    const broken = await ask("Breaks.", first);
    breaks = false;
    await tell("two");
    const beside = await ask("Beside.", first);
    const behind = await ask("Behind.", broken);
    for (const answer of [beside, behind])
      expect(["one", "two"].map((id) => times(id, answer))).toEqual([1, 1]);
  },
);

test.each(["gzip", "deflate", "br"] as const)(
  "AC-59 a stream encoded as %s that breaks off behind its last event was answered",
  async (coding) => {
    const sent: string[] = [];
    const encode = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }[coding];
    const { post, tell } = await startToldGateway(async (request, response) => {
      let text = "";
      for await (const piece of request.setEncoding("utf8")) text += piece;
      sent.push(text);
      response.setHeader("content-type", "text/event-stream").setHeader("content-encoding", coding);
      const bytes = encode(written(created("r")) + written(completed("r")));
      for (let at = 0; at < bytes.length; at += 50) {
        response.write(bytes.subarray(at, at + 50));
        await new Promise(setImmediate);
      }
      if (sent.length === 2) response.destroy();
      else response.end();
    }, {});
    const ask = async (content: string) => {
      const input = [{ role: "user", content }];
      const answer = await post("/openai/v1/responses", {
        model: "m",
        stream: true,
        conversation: "conv_1",
        input,
      });
      await answer.text().catch(() => undefined);
    };
    await ask("Begin.");
    await tell("it");
    for (const words of ["Go on.", "And on."]) await ask(words);
    expect(sent.map((text) => text.split("Mind it.").length - 1)).toEqual([0, 1, 0]);
  },
);
