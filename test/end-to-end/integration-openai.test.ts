import OpenAI, { AzureOpenAI } from "openai";
import type { Session } from "sotto";
import { reminders } from "sotto/openai";
import { describe, expect, it } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import {
  converse,
  critical,
  letter,
  open,
  script,
  TURNS,
  timesIn,
  withServer,
} from "../support/integration-stage.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import {
  openaiChatTalk,
  openaiPreviousTalk,
  openaiResponsesTalk,
} from "../support/sdk-talks/openai-talks.ts";
import type { ReceivedRequest, Script } from "../support/servers/model-server.ts";

describe.each([openaiChatTalk, openaiResponsesTalk])("sotto/openai: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});

const client = (url: string, session: Session, more: ConstructorParameters<typeof OpenAI>[0] = {}) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0, fetch: reminders(session), ...more });

/** What the provider has: each request that it answered adds to the one before. */
const shown = (requests: readonly ReceivedRequest[]) =>
  JSON.stringify(requests.filter(({ status }) => status === 200).map(({ body }) => body));

it.each([[false], [true]])(
  "AC-28 openai, Responses over previous_response_id: nothing is put back, nothing comes twice, a retry has the same bytes; streamed: %s",
  async (stream) => {
    const weather: Script = (body, index) =>
      index % 5 === 3 ? { status: 503, headers: { "retry-after-ms": "1" } } : script(body, index);
    await withServer("openai-responses", weather, async (server) => {
      const session = open();
      const talk = openaiPreviousTalk.open({ url: server.url, session });
      const said = await converse(talk, session, { stream });
      expect(server.violations).toEqual([]);
      const failed = server.requests.filter(({ status }) => status === 503);
      expect(failed.length).toBeGreaterThan(3);
      for (const { index, raw } of failed) expect(server.requests[index + 1]?.raw).toBe(raw);
      for (const text of said) expect(timesIn(shown(server.requests), text), text).toBe(1);
      expect(timesIn(shown(server.requests), critical)).toBe(TURNS);
      for (const { raw } of server.requests) expect(timesIn(raw, critical)).toBe(1);
      await session.close();
    });
  },
);

it("AC-28 openai, Responses in a conversation: the same words again are a new turn where they were answered, a retry where not", async () => {
  const weather: Script = (_body, index) => (index === 2 || index === 4 ? { status: 500 } : { text: "Yes." });
  await withServer("openai-responses", weather, async (server) => {
    const session = open();
    const { responses } = client(server.url, session);
    const ask = (input: string) =>
      responses.create({ model: "gpt-5", input, conversation: "conv_1" }).catch(() => undefined);
    await session.record(letter("c1"));
    await ask("Go on.");
    await ask("Go on.");
    await session.record(letter("c2"));
    await ask("Go on."); // fails
    await ask("Go on.");
    await session.record(letter("c3"));
    await ask("Go on."); // fails
    await ask("Something else.");
    await ask("And more.");
    expect(server.violations).toEqual([]);
    expect(server.requests[3]?.raw).toBe(server.requests[2]?.raw);
    const has = shown(server.requests);
    expect(["c1", "c2", "c3"].map((one) => timesIn(has, `Letter ${one} for you.`))).toEqual([1, 1, 1]);
    expect(timesIn(has, critical)).toBe(5);
    await session.close();
  });
});

it("AC-28 openai: everything else is left alone", async () => {
  await withServer("openai-responses", [], async (server) => {
    const session = open();
    const api = client(server.url, session);
    const embedded = { model: "e", input: "Hello.", encoding_format: "float" as const };
    await api.embeddings.create(embedded).catch(() => undefined);
    await api.responses.retrieve("resp_1").catch(() => undefined);
    await api.responses.cancel("resp_1").catch(() => undefined);
    await api.responses.compact({ model: "gpt-5", input: "Hello." }).catch(() => undefined);
    await api.responses.inputTokens.count({ model: "gpt-5", input: "Hello." }).catch(() => undefined);
    await api.completions.create({ model: "gpt-5", prompt: "Hello." }).catch(() => undefined);
    expect(server.requests.map(({ path }) => path)).toEqual([
      ...["/v1/embeddings", "/v1/responses/resp_1", "/v1/responses/resp_1/cancel"],
      ...["/v1/responses/compact", "/v1/responses/input_tokens", "/v1/completions"],
    ]);
    for (const { raw } of server.requests) expect(raw).not.toContain(critical);
    expect(JSON.parse(server.requests[0]?.raw ?? "")).toEqual(embedded);
    await session.close();
  });
});

it("AC-28 openai: Azure's client, and other addresses of the same API", async () => {
  await withServer("openai-chat", [], async (server) => {
    const session = open();
    const fetch = reminders(session);
    const azure = new AzureOpenAI({
      ...{ endpoint: server.url, apiKey: "none", apiVersion: "2026-01-01", maxRetries: 0, fetch },
    });
    const chat = { model: "mine", messages: [{ role: "user" as const, content: "Hello." }] };
    await azure.chat.completions.create(chat).catch(() => undefined);
    await azure.responses.create({ model: "mine", input: "Hello." }).catch(() => undefined);
    const other = client(server.url, session, { baseURL: `${server.url}/api/v1` });
    await other.chat.completions.create(chat).catch(() => undefined);
    expect(server.requests.map(({ path, raw }) => [path, timesIn(raw, critical)])).toEqual([
      ["/openai/deployments/mine/chat/completions", 1],
      ["/openai/responses", 1],
      ["/api/v1/chat/completions", 1],
    ]);
    await session.close();
  });
});
