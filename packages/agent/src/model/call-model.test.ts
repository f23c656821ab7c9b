import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModel } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { callModel, fetchAnswer, pause } from "./call-model.ts";

test.each([
  [
    "before it began",
    (stop: AbortController, wait: () => Promise<void>) => {
      stop.abort("stopped");
      return wait();
    },
  ],
  [
    "while it lasted",
    (stop: AbortController, wait: () => Promise<void>) => {
      const waiting = wait();
      stop.abort("stopped");
      return waiting;
    },
  ],
])("a wait for the next try ends with what was stopped %s", async (_, run) => {
  const stop = new AbortController();
  await expect(run(stop, () => pause(3_600_000, stop.signal))).rejects.toBe("stopped");
});

const beginnings: Record<string, { events: object[]; model(baseURL: string): LanguageModel }> = {
  anthropic: {
    events: [
      {
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hel" } },
    ],
    model: (baseURL) => createAnthropic({ apiKey: "x", baseURL, fetch: fetchAnswer })("m"),
  },
  openai: {
    events: [
      { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
      { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "i" } },
      { type: "response.output_text.delta", item_id: "i", delta: "Hel" },
    ],
    model: (baseURL) => createOpenAI({ apiKey: "x", baseURL, fetch: fetchAnswer }).responses("m"),
  },
  "openai-chat": {
    events: [
      {
        id: "x",
        created: 1,
        model: "m",
        choices: [{ index: 0, delta: { role: "assistant", content: "Hel" } }],
      },
    ],
    model: (baseURL) => createOpenAI({ apiKey: "x", baseURL, fetch: fetchAnswer }).chat("m"),
  },
  google: {
    events: [{ candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] } }] }],
    model: (baseURL) => createGoogleGenerativeAI({ apiKey: "x", baseURL, fetch: fetchAnswer })("m"),
  },
};

function call(model: LanguageModel) {
  return callModel({
    model,
    system: "s",
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    signal: new AbortController().signal,
    onText: () => undefined,
    onReasoning: () => undefined,
  });
}

/** Ends the connection when what was written is on its way. */
const cut = (response: ServerResponse, text: string) => response.write(text, () => response.destroy());

test.each(Object.entries(beginnings))(
  "%s: an answer that breaks off says so, and what to do",
  async (_, beginning) => {
    const begun = beginning.events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const whole = begun.join("");
    const ways: ((response: ServerResponse) => unknown)[] = [
      (response) => cut(response, ": nothing yet\n\n"),
      ...begun.map(
        (_event, index) => (response: ServerResponse) => cut(response, begun.slice(0, index + 1).join("")),
      ),
      (response) => cut(response, `${whole}data: {"ty`),
      (response) => response.end(`${whole}data: {"ty\n\n`),
      // As after a proxy's limit of time: the connection ends in good order.
      ...begun.map(
        (_event, index) => (response: ServerResponse) => response.end(begun.slice(0, index + 1).join("")),
      ),
    ];
    for (const way of ways) {
      const server = createServer((request, response) => {
        request.resume().on("end", () => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          way(response);
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const called = call(beginning.model(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
      await expect(called).rejects.toMatchObject({
        message: expect.stringMatching(/^the model's answer broke off before its end: try again; /u),
        retryable: true,
      });
    }
  },
);

test.each(Object.entries(beginnings))(
  "%s: a page instead of an answer is said to be one, and is not asked for again",
  async (_, beginning) => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end("<html><body>Sign in to the network</body></html>");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(call(beginning.model(`http://${address}`))).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `^http://${address}/\\S+ answered with text/html; charset=utf-8, .*: check the base URL`,
          "u",
        ),
      ),
      retryable: false,
    });
  },
);
