import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { reminders } from "sotto/anthropic";
import { describe, expect, it } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import { critical, expectPrefixes, open, timesIn, withServer } from "../support/integration-stage.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import { anthropicTalk } from "../support/sdk-talks/anthropic-talk.ts";

describe.each([anthropicTalk])("sotto/anthropic: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});

const hello: Anthropic.MessageCreateParamsNonStreaming = {
  ...{ model: "claude-test", max_tokens: 100 },
  messages: [{ role: "user", content: "Hello." }],
};

/** What the provider does with threads, as the tool runner begins them: it keeps what was said, and shows all of it. */
function keepsThreads(): typeof fetch {
  const kept = new Map<string, { messages: object[] }>();
  return async (input, init) => {
    const { thread, ...body } = JSON.parse(String(init?.body ?? "{}"));
    if (thread === undefined) return fetch(input, init);
    const before = kept.get(thread.previous_message_id) ?? { messages: [] };
    const whole = { ...before, ...body, messages: [...before.messages, ...body.messages] };
    const response = await fetch(input, { ...init, body: JSON.stringify(whole) });
    const { id, content } = (await response.clone().json()) as Anthropic.Message;
    kept.set(id, { ...whole, messages: [...whole.messages, { role: "assistant", content }] });
    return response;
  };
}

it("AC-30 @anthropic-ai/sdk: beta messages and the tool runner are reminded in every step, batches and counts are left alone", async () => {
  const steps = [
    { toolCalls: [{ id: "toolu_1", name: "look", input: {} }] },
    { text: "Done." },
    { text: "Beta." },
  ];
  await withServer("anthropic", steps, async (server) => {
    const session = open();
    const client = new Anthropic({
      ...{ baseURL: server.url, apiKey: "none", maxRetries: 0 },
      ...{ fetch: keepsThreads(), middleware: [reminders(session)] },
    });
    const look = betaTool({
      ...{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } },
      run: () => "all is well",
    });
    const { messages } = hello;
    const runner = client.beta.messages.toolRunner({ ...hello, messages: [...messages], tools: [look] });
    expect((await runner).content).toMatchObject([{ text: "Done." }]);
    await client.beta.messages.create({ ...hello, messages: [{ role: "user", content: "Another." }] });
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ raw }) => timesIn(raw, critical))).toEqual([1, 2, 1]);
    expectPrefixes(anthropicTalk, server.requests.slice(0, 2));

    // The server knows neither: what it got is what counts.
    await client.messages.countTokens({ model: "claude-test", messages }).catch(() => undefined);
    const requests = [{ custom_id: "one", params: hello }];
    await client.messages.batches.create({ requests }).catch(() => undefined);
    await client.models.list().catch(() => undefined);
    const others = server.requests
      .slice(3)
      .map(({ path, raw }) => [path, raw === "" ? raw : JSON.parse(raw)]);
    expect(others).toEqual([
      ["/v1/messages/count_tokens", { model: "claude-test", messages }],
      ["/v1/messages/batches", { requests }],
      ["/v1/models", ""],
    ]);
    await session.close();
  });
});

it("AC-30 @anthropic-ai/sdk: for one call only, beside a middleware of the application's own", async () => {
  await withServer("anthropic", [{ text: "With." }, { text: "Without." }], async (server) => {
    const session = open();
    const seen: unknown[] = [];
    const client = new Anthropic({
      ...{ baseURL: server.url, apiKey: "none", maxRetries: 0 },
      middleware: [
        (request, next) => {
          seen.push(request.body);
          return next(request);
        },
      ],
    });
    await client.messages.create(hello, { middleware: [reminders(session)] });
    await client.messages.create(hello);
    expect(server.requests.map(({ raw }) => timesIn(raw, critical))).toEqual([1, 0]);
    expect(seen).toEqual([JSON.stringify(hello), JSON.stringify(hello)]);
    await session.close();
  });
});
