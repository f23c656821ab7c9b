import { type CallableTool, GoogleGenAI, type GoogleGenAIOptions } from "@google/genai";
import type { Session } from "sotto";
import { reminders } from "sotto/google-genai";
import { describe, expect, it } from "vitest";
import { integrationCases } from "../support/integration-cases.ts";
import { critical, expectPrefixes, open, timesIn, withServer } from "../support/integration-stage.ts";
import { integrationWorldCases } from "../support/integration-world-cases.ts";
import { googleTalk } from "../support/sdk-talks/google-genai-talk.ts";

describe.each([googleTalk])("sotto/google-genai: $name", (kind) => {
  integrationCases(kind);
  integrationWorldCases(kind);
});

const client = (url: string, session: Session, more: GoogleGenAIOptions = {}) =>
  new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: url, fetch: reminders(session) }, ...more });

const model = "gemini-3.8-flash";

it("AC-29 @google/genai: chats, streamed chats and calls with options of their own are reminded", async () => {
  await withServer(
    "gemini",
    () => ({ text: "Yes." }),
    async (server) => {
      const session = open();
      const chat = client(server.url, session).chats.create({ model });
      await chat.sendMessage({ message: "One." });
      for await (const _ of await chat.sendMessageStream({ message: "Two." }));
      const httpOptions = { headers: { "x-mine": "1" }, timeout: 60_000 };
      await chat.sendMessage({ message: "Three.", config: { httpOptions } });
      expect(server.violations).toEqual([]);
      expect(server.requests.map(({ raw }) => timesIn(raw, critical))).toEqual([1, 2, 3]);
      expect(server.requests[2]?.headers["x-mine"]).toBe("1");
      expectPrefixes(googleTalk, server.requests);
      expect(JSON.stringify(chat.getHistory())).not.toContain(critical);
      await session.close();
    },
  );
});

it("AC-29 @google/genai: functions that the client calls by itself: every step is reminded", async () => {
  const steps = [{ toolCalls: [{ id: "call_1", name: "look", input: {} }] }, { text: "Done." }];
  await withServer("gemini", steps, async (server) => {
    const session = open();
    const look: CallableTool = {
      tool: async () => ({ functionDeclarations: [{ name: "look" }] }),
      callTool: async ([call]) => [
        { functionResponse: { id: call?.id ?? "", name: "look", response: { output: "all is well" } } },
      ],
    };
    const { models } = client(server.url, session);
    const answer = await models.generateContent({ model, contents: "Look.", config: { tools: [look] } });
    expect(answer.text).toBe("Done.");
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ raw }) => timesIn(raw, critical))).toEqual([1, 2]);
    expectPrefixes(googleTalk, server.requests);
    await session.close();
  });
});

it("AC-29 @google/genai: everything else is left alone, through Vertex AI it is the same", async () => {
  await withServer("gemini", [], async (server) => {
    const session = open();
    const { models } = client(server.url, session);
    await models.countTokens({ model, contents: "Hello." }).catch(() => undefined);
    await models.embedContent({ model: "e", contents: "Hello." }).catch(() => undefined);
    await models.get({ model }).catch(() => undefined);
    const vertex = client(server.url, session, { vertexai: true }).models;
    await vertex.generateContent({ model, contents: "Hello." }).catch(() => undefined);
    const seen = server.requests.map(({ path, raw }) => [path.split(/[/]/u).at(-1), timesIn(raw, critical)]);
    expect(seen).toEqual([
      [`${model}:countTokens`, 0],
      ["e:batchEmbedContents", 0],
      [model, 0],
      [`${model}:generateContent`, 1],
    ]);
    await session.close();
  });
});

it("AC-29 @google/genai: an answer may take as long as with the client's own fetch", async () => {
  const symbol = Symbol.for("undici.globalDispatcher.1");
  const store = globalThis as unknown as Record<
    symbol,
    { dispatch(options: object, handler: unknown): boolean }
  >;
  await withServer("gemini", [{ text: "Yes." }], async (server) => {
    const session = open();
    const given: object[] = [];
    const own = store[symbol] as (typeof store)[symbol];
    store[symbol] = {
      dispatch: (options, handler) => given.push(options) > 0 && own.dispatch(options, handler),
    };
    try {
      await client(server.url, session).models.generateContent({ model, contents: "Hello." });
    } finally {
      store[symbol] = own;
    }
    expect(given).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
    await session.close();
  });
});
