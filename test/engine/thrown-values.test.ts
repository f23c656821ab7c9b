// Anything can be thrown: also what throws when it is looked at, or has a message that is no text.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMessages, createMemoryStore, createSession, type SessionOptions } from "sotto";
import { reminders as aiSdkReminders } from "sotto/ai-sdk";
import { defineAttachment } from "sotto/extend";
import { reminders as openaiReminders } from "sotto/openai";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";

const odd: [string, () => never][] = [
  ["no prototype", thrower(() => Object.create(null))],
  ["a symbol", thrower(() => Symbol("s"))],
  ["nothing", thrower(() => undefined)],
  ["a message that is an object", thrower(() => Object.assign(new Error(), { message: { code: 5 } }))],
  [
    "a message without a prototype",
    thrower(() => Object.assign(new Error(), { message: Object.create(null) })),
  ],
  ["a message that throws", thrower(() => Object.defineProperty(new Error(), "message", { get: fail }))],
  ["a toString that throws", thrower(() => ({ toString: fail }))],
  ["a proxy that throws", thrower(() => new Proxy(new Error(), { get: fail, getPrototypeOf: fail }))],
  ["a revoked proxy", thrower(revoked)],
  ["a message of 50 MB", thrower(() => new Error(" m".repeat(25_000_000)))],
];

function thrower(value: () => unknown): () => never {
  return () => {
    throw value();
  };
}

function fail(): never {
  throw new Error("no");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const messages = [{ role: "user" as const, content: "Hi." }];
const QUEUED = "Also mend the receipt.";

async function opened(options: Partial<SessionOptions>) {
  const session = createSession({
    ...{ cwd: "/nonexistent/repo", home: "/nonexistent", configFiles: { read: false } },
    ...{ config: { timeout_ms: 60_000 }, ...options },
  });
  await session.record({ type: "prompt_queued", id: "q1", prompt: QUEUED });
  return session;
}

function typeThat(parts: { trigger?: () => never; render?: () => never; needs?: ["weather"] }) {
  return defineAttachment({
    ...{ type: "weather_report", summary: "The weather.", tier: "main_agent", when: "always" },
    ...{ needs: ["turns"], schema: v.object({ sky: v.string() }), repeat: "always", content: "trusted" },
    ...{ trigger: () => [{ data: { sky: "grey" } }], render: () => "Grey.", ...parts },
    examples: [{ title: "grey", data: { sky: "grey" } }],
  } as never);
}

describe.each(odd)("what is thrown: %s", (_what, throws) => {
  it.each<[string, string, Partial<SessionOptions>]>([
    ["a type's trigger", "failed", { attachments: [typeThat({ trigger: throws })] }],
    [
      "a source",
      "sent",
      {
        attachments: [typeThat({ needs: ["weather"] })],
        sources: [{ fact: "weather", observe: async () => throws() } as never],
      },
    ],
  ])("%s that throws it silences only its own type", async (_place, outcome, options) => {
    const session = await opened(options);
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    expect(turn.problem).toBeUndefined();
    expect(JSON.stringify(turn.body)).toContain(QUEUED);
    expect(turn.trace.find(({ type }) => type === "weather_report")?.outcome).toBe(outcome);
    await session.close();
  });

  it.each<[string, () => object]>([
    ["the messages", () => Object.defineProperty({}, "messages", { get: throws, enumerable: true })],
    ["the tools", () => Object.defineProperty({ messages }, "tools", { get: throws, enumerable: true })],
    ["a proxy", () => new Proxy({}, { get: throws, has: throws, ownKeys: throws })],
    [
      "a call's input",
      () => ({
        messages: [
          ...messages,
          {
            role: "assistant",
            content: [
              {
                ...{ type: "tool_use", id: "a", name: "Read" },
                input: Object.defineProperty({}, "file_path", { get: throws, enumerable: true }),
              },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
        ],
      }),
    ],
  ])("a body that throws it is handed back: %s", async (_place, bodyOf) => {
    const session = await opened({});
    const body = bodyOf();
    const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
    expect(turn.problem).toBeDefined();
    expect(turn.body).toBe(body);
    const next = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    expect(JSON.stringify(next.body)).toContain(QUEUED);
    await session.close();
  });

  it.each(["append", "read", "snapshot"] as const)("a store whose %s throws it", async (name) => {
    const kept = createMemoryStore();
    let isBroken = false;
    const store = new Proxy(kept, {
      get(target, field) {
        const value: unknown = Reflect.get(target, field);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) =>
          isBroken && field === name ? Promise.resolve().then(throws) : value.apply(target, given);
      },
    });
    const session = createSession({
      ...{ cwd: "/nonexistent/repo", home: "/nonexistent", configFiles: { read: false }, store },
      config: { timeout_ms: 60_000 },
    });
    isBroken = true;
    const body = { messages };
    const broken = await session.turn({ dialect: anthropicMessages, body: body as never });
    expect(broken.body).toEqual(body);
    isBroken = false;
    await session.record({ type: "prompt_queued", id: "q1", prompt: QUEUED });
    const turn = await session.turn({ dialect: anthropicMessages, body: body as never });
    expect(JSON.stringify(turn.body)).toContain(QUEUED);
    await session.close();
  });

  it("a list of a host's source that throws it is empty", async () => {
    const session = await opened({
      sources: [{ fact: "weather", observe: () => 1, servers: throws, problems: throws } as never],
    });
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages } as never });
    expect(turn.problem).toBeUndefined();
    expect(JSON.stringify(turn.body)).toContain(QUEUED);
    await session.close();
  });

  it("a host that cannot name its servers still has files mentioned", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "sotto-thrown-"));
    writeFileSync(join(cwd, "notes.txt"), "The receipt is in cents.\n");
    const resources = { servers: throws, read: async () => throws() };
    const session = await opened({ cwd, mentions: { resources } });
    const asked = [{ role: "user", content: "See @notes.txt and @srv:a://b" }];
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: asked } as never });
    expect(JSON.stringify(turn.body)).toContain("The receipt is in cents.");
    await session.close();
    rmSync(cwd, { recursive: true });
  });

  it("a host whose lists are promises that reject with it goes on", async () => {
    const rejects = async () => throws();
    const store = Object.assign(createMemoryStore(), { repairs: rejects });
    const resources = { servers: rejects as never, read: rejects };
    const session = await opened({
      ...{ store, mentions: { resources } },
      sources: [
        { fact: "contextSections", observe: () => ({}), servers: rejects, problems: rejects } as never,
      ],
    });
    const asked = [{ role: "user", content: "See @srv:a://b" }];
    const turn = await session.turn({ dialect: anthropicMessages, body: { messages: asked } as never });
    expect(turn.problem).toBeUndefined();
    expect(JSON.stringify(turn.body)).toContain(QUEUED);
    expect((await session.problems()).map(({ problem }) => problem)).toEqual(
      ["servers", "problems"].map((method) => `its ${method} failed: expected a list, got a promise`),
    );
    await session.close();
  });

  it("options that throw it, and a host's function that does, break no call", async () => {
    const session = await opened({});
    const options = Object.defineProperty({}, "dialect", { get: throws, enumerable: true });
    expect((await session.turn(options)).problem).toMatch(/^turn: the options cannot be read: /u);
    let sent = 0;
    const answer = async () => {
      sent += 1;
      return new Response("{}");
    };
    const init = { method: "POST", body: JSON.stringify({ messages }) };
    const listeners = { onTurn: async () => throws(), onProblem: async () => throws() };
    for (const when of [throws, async () => throws(), () => true])
      await openaiReminders(session, { fetch: answer, when: when as never, ...listeners })(
        "http://x/v1/chat/completions",
        init,
      );
    expect(sent).toBe(3);
    const prompt = [{ role: "user", content: [{ type: "text", text: "Hi." }] }];
    const params = { prompt };
    const model = { specificationVersion: "v4" };
    const { transformParams } = aiSdkReminders(session, { when: throws });
    expect(await transformParams({ params, model })).toBe(params);
    await session.close();
  });
});

it("a source that never closes holds nobody up", async () => {
  const session = await opened({
    sources: [{ fact: "weather", observe: () => 1, close: () => new Promise(() => {}) } as never],
    attachments: [typeThat({ needs: ["weather"] })],
  });
  await session.turn();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let isClosed = false;
    void session.close().then(() => {
      isClosed = true;
    });
    // What it waits for before that may take its time.
    while (!isClosed) await vi.advanceTimersByTimeAsync(20_000);
  } finally {
    vi.useRealTimers();
  }
});
