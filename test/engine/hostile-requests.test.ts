// Requests built of objects that no client could send: a turn ends at once, the request is as it was, a problem is named.

import { aiSdk, anthropicMessages, gemini, openaiChat, openaiResponses, profiles } from "sotto";
import type { Dialect } from "sotto/extend";
import { describe, expect, it } from "vitest";
import { langchain } from "../../packages/sotto/src/dialects/langchain.ts";
import { openaiAgents } from "../../packages/sotto/src/dialects/openai-agents.ts";
import { openSession } from "../support/telling.ts";

type Make = () => object;

/** What each holds is small in memory. */
const hostile: Record<string, { make: Make; problem?: RegExp }> = {
  "one back reference": { make: () => knot(1), problem: /contains itself/u },
  "two back references": { make: () => knot(2), problem: /contains itself/u },
  "forty back references": { make: () => knot(40), problem: /contains itself/u },
  "a getter that throws": { make: trapped, problem: /do not look/u },
  "a proxy that throws": { make: () => new Proxy({}, { ownKeys: () => boom() }), problem: /do not look/u },
  "a revoked proxy": { make: revoked, problem: /revoked/u },
  // What lies deeper than anyone looks is left to the provider.
  "lists nested 100000 deep": { make: () => JSON.parse(`${"[".repeat(1e5)}${"]".repeat(1e5)}`) },
};

/** Each takes a while to be refused: every place gets one of them. */
const endless: typeof hostile = {
  "objects that double sixty times": { make: () => fan(60, 2), problem: /more than 200000 values/u },
  "lists of a hundred, nine deep": { make: () => fan(9, 100), problem: /more than 200000 values/u },
  "a list of a million": { make: () => ({ list: Array(1_000_000).fill(0) }), problem: /more than 200000/u },
};

/** By dialect: where a client puts data of its own. */
const bodies: Record<string, { dialect: Dialect<never>; at: Record<string, (value: object) => unknown> }> = {
  "anthropic-messages": {
    dialect: anthropicMessages as Dialect<never>,
    at: {
      "a tool's input": (input) => messages([{ type: "tool_use", id: "t", name: "Read", input }]),
      "an input without an id": (input) => messages([{ type: "tool_use", name: "Read", input }]),
      "a tool's result": (content) =>
        messages([{ type: "tool_result", tool_use_id: "t", content: [content] }]),
      "an unknown block": (data) => messages([{ type: "custom", data }]),
      "beside a text": (citations) => messages([{ type: "text", text: "x", citations }]),
    },
  },
  "openai-chat": {
    dialect: openaiChat as Dialect<never>,
    at: {
      "a call": (called) => ({
        messages: [...HELLO, { role: "assistant", tool_calls: [{ function: called }] }],
      }),
      "a result": (content) => ({
        messages: [...HELLO, { role: "tool", content: [{ type: "x", content }] }],
      }),
      audio: (audio) => ({ messages: [...HELLO, { role: "assistant", audio }] }),
    },
  },
  "openai-responses": {
    dialect: openaiResponses as Dialect<never>,
    at: {
      "a call": (input) => ({
        input: [...HELLO, { type: "custom_tool_call", call_id: "c", name: "x", input }],
      }),
      "an output": (output) => ({
        input: [...HELLO, { type: "function_call_output", call_id: "c", output }],
      }),
      "an unknown item": (data) => ({ input: [...HELLO, { type: "new_thing", data }] }),
    },
  },
  gemini: {
    dialect: gemini as Dialect<never>,
    at: {
      "a call": (args) => contents([{ functionCall: { name: "read_file", args } }]),
      "a response": (response) => contents([{ functionResponse: { name: "read_file", response } }]),
      "an unknown part": (data) => contents([{ newThing: data }]),
    },
  },
  "ai-sdk": {
    dialect: aiSdk as Dialect<never>,
    at: {
      "a call": (input) => sdk({ type: "tool-call", toolCallId: "c", toolName: "x", input }),
      "an unknown part": (data) => sdk({ type: "custom", data }),
    },
  },
  langchain: {
    dialect: langchain as Dialect<never>,
    at: {
      "a call": (args) => ({
        messages: [
          { type: "human", content: "Hi." },
          { type: "ai", content: "", tool_calls: [{ name: "x", args }] },
        ],
      }),
    },
  },
  "openai-agents": {
    dialect: openaiAgents as Dialect<never>,
    at: { "a call": (input) => ({ input: [...HELLO, { type: "custom_call", callId: "c", input }] }) },
  },
};

const places = Object.entries(bodies).flatMap(([name, { dialect, at }]) =>
  Object.entries(at).map(([place, build]) => ({ name, dialect, place, build })),
);
const cases = places.flatMap((place, index) => {
  const one = Object.entries(endless).slice(index % 3, (index % 3) + 1);
  return [...Object.entries(hostile), ...one].map(([what, { make, problem }]) => ({
    ...place,
    what,
    make,
    problem,
  }));
});

describe("a request with", () => {
  it.each(cases)("$what as $place of $name", async ({ dialect, build, make, problem }) => {
    const session = openSession({
      profile: { ...profiles["claude-code"], alreadySends: {} },
      configFiles: { read: false },
    });
    await session.record({ type: "prompt_queued", id: "p", prompt: "Stop." });
    const body = build(make());
    const turn = await session.turn({ dialect, body: body as never });
    if (problem === undefined || dialect.problem(body) !== undefined) return await session.close();
    expect(turn.problem).toMatch(problem);
    expect(turn.body).toBe(body);
    expect(turn.reminders).toEqual([]);
    // Nothing was lost by it.
    const next = await session.turn();
    expect(next.reminders.map(({ type }) => type)).toContain("queued_command");
    await session.close();
  });
});

// A value for each byte would be more than any block may have.
it.each(places)("bytes as $place of $name are not read one by one", async ({ dialect, build }) => {
  const session = openSession({ configFiles: { read: false } });
  await session.record({ type: "prompt_queued", id: "p", prompt: "Stop." });
  for (const bytes of [new Uint8Array(1_000_000), new ArrayBuffer(1_000_000)]) {
    const body = build(bytes);
    if (dialect.problem(body) !== undefined) continue;
    const turn = await session.turn({ dialect, body: body as never });
    expect(turn.problem).toBeUndefined();
    expect(turn.reminders.map(({ type }) => type)).toContain("queued_command");
  }
  await session.close();
});

it.each(Object.entries(bodies))("no body at all, of %s: says what is missing", async (_, { dialect }) => {
  const session = openSession({ configFiles: { read: false } });
  expect((await session.turn({ dialect })).problem).toBe("a dialect needs a body: pass { dialect, body }");
  expect((await session.turn({ dialect, body: null as never })).problem).toBe(
    `the request is not of the dialect ${dialect.name}: body: expected an object`,
  );
  await session.close();
});

describe("an event with", () => {
  it.each(Object.entries({ ...hostile, ...endless }))("%s is refused", (_, { make }) => {
    const session = openSession({ configFiles: { read: false } });
    const events = [
      { type: "noted", attachment: { type: "structured_output", data: make() } },
      { type: "config_changed", config: { x: make() } },
      { type: "todos_written", items: make() },
      { type: "message_received", id: "m", from: make(), text: "Hi.", timestamp: "2026-11-15T10:00:00Z" },
      make(),
    ];
    for (const event of events)
      expect(() => session.record(event as never)).toThrow(
        expect.objectContaining({ name: "SottoError", code: "invalid_event" }),
      );
  });
});

const HELLO = [{ role: "user", content: "Hi." }];

function messages(content: object[]): object {
  return { messages: [...HELLO, { role: "assistant", content: "Yes?" }, { role: "user", content }] };
}

function contents(parts: object[]): object {
  return {
    contents: [
      { role: "user", parts: [{ text: "Hi." }] },
      { role: "model", parts },
    ],
  };
}

function sdk(part: object): object {
  return {
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi." }] },
      { role: "assistant", content: [part] },
    ],
  };
}

function knot(references: number): object {
  const one: Record<string, unknown> = { type: "text" };
  for (let count = 0; count < references; count++) one[`back${count}`] = count % 2 === 0 ? one : [one];
  return one;
}

function fan(levels: number, width: number): object {
  let value: object = { leaf: 1 };
  for (let level = 0; level < levels; level++) value = { all: Array(width).fill(value) };
  return value;
}

function trapped(): object {
  return Object.defineProperty({ type: "text" }, "data", { enumerable: true, get: boom });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function boom(): never {
  throw new Error("do not look");
}

it("a message of two hundred thousand blocks is read like any other", async () => {
  const session = openSession({ config: { timeout_ms: 60_000 } });
  await session.record({ type: "prompt_queued", id: "q", prompt: "Look at the tests." });
  const content = Array.from({ length: 200_000 }, (_, index) => ({ type: "text", text: `${index}` }));
  const body = { messages: [{ role: "user", content }] as never };
  const turn = await session.turn({ dialect: anthropicMessages, body });
  expect(turn.problem).toBeUndefined();
  expect(turn.reminders).toHaveLength(1);
  await session.close();
});
