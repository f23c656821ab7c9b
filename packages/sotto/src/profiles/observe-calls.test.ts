import { describe, expect, test } from "vitest";
import { aiSdk } from "../dialects/ai-sdk.ts";
import { anthropicMessages } from "../dialects/anthropic-messages.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { gemini } from "../dialects/gemini.ts";
import { openaiChat } from "../dialects/openai-chat.ts";
import { openaiResponses } from "../dialects/openai-responses.ts";
import { calls, finishedCalls, type KnownCalls } from "../facts/calls.ts";
import { createRecall } from "../history/recall.ts";
import { createSeenCalls } from "./observe-calls.ts";

const known = finishedCalls(calls.initial());
const input = { file_path: "a.ts" };
const book = () => {
  const seen = createSeenCalls((text) => text.replace(/\W/gu, ""));
  const recall = createRecall();
  return {
    newUses: <Body>(dialect: Dialect<Body>, body: Body, logged: KnownCalls) => {
      const { uses } = seen.read({ dialect, body, ids: recall(dialect.messages(body)).number() });
      return seen.sort(uses, logged).fresh;
    },
    forget: (uses: Parameters<typeof seen.forget>[0]) => seen.forget(uses),
  };
};
const expected = {
  ...{ name: "Read", input, callId: "c1", success: true },
  ...{ id: "c1", place: { message: 0, nth: 1 } },
};

describe("every dialect tells what tools did", () => {
  const bodies: [Dialect<never>, object, unknown?][] = [
    [
      anthropicMessages,
      {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Read", input }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "x" }] },
        ],
      },
    ],
    [
      openaiChat,
      {
        messages: [
          {
            role: "assistant",
            tool_calls: [{ id: "c1", function: { name: "Read", arguments: JSON.stringify(input) } }],
          },
          { role: "tool", tool_call_id: "c1", content: "x" },
        ],
      },
      JSON.stringify(input),
    ],
    [
      openaiResponses,
      {
        input: [
          { type: "function_call", call_id: "c1", name: "Read", arguments: JSON.stringify(input) },
          { type: "function_call_output", call_id: "c1", output: "x" },
        ],
      },
      JSON.stringify(input),
    ],
    [
      gemini,
      {
        contents: [
          { role: "model", parts: [{ functionCall: { id: "c1", name: "Read", args: input } }] },
          { role: "user", parts: [{ functionResponse: { id: "c1", name: "Read", response: {} } }] },
        ],
      },
    ],
    [
      aiSdk,
      {
        messages: [
          {
            role: "assistant",
            content: [{ type: "tool-call", toolCallId: "c1", toolName: "Read", input }],
          },
          {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: "c1",
                toolName: "Read",
                output: { type: "text", value: "x" },
              },
            ],
          },
        ],
      },
    ],
  ];
  test.each(bodies)("$name", (dialect, body, as = input) => {
    expect(book().newUses(dialect as Dialect<object>, body, known)).toEqual([
      { ...expected, input: as, output: expect.anything(), place: { message: expect.any(Number), nth: 1 } },
    ]);
  });
});

const call = (id: string) => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "Read", input }],
});
const result = (id: string, failed = false) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "x", is_error: failed }],
});

describe("each call is told once", () => {
  const ids = (calls: { callId: string }[]) => calls.map(({ callId }) => callId);

  test("also where the history is made of new objects each time", () => {
    const one = book();
    const first = { messages: [call("c1"), result("c1")] };
    expect(ids(one.newUses(anthropicMessages, first, known))).toEqual(["c1"]);
    const next = { messages: [call("c1"), result("c1"), call("c2"), result("c2", true)] };
    expect(one.newUses(anthropicMessages, structuredClone(next), known)).toEqual([
      {
        ...{ ...expected, callId: "c2", success: false, output: "x" },
        ...{ id: "c2", place: { message: 2, nth: 1 } },
      },
    ]);
    expect(one.newUses(anthropicMessages, structuredClone(next), known)).toEqual([]);
  });

  test("in another process by what the log says", () => {
    const body = { messages: [call("c1"), result("c1"), call("c2"), result("c2")] };
    const logged = calls.initial();
    const event = {
      type: "tool_finished",
      toolName: "Read",
      callId: "c1",
      success: true,
      durationMs: 0,
    } as const;
    calls.apply(logged, event, { seq: 1, at: "", turns: 0, supersede: () => undefined });
    expect(ids(book().newUses(anthropicMessages, body, finishedCalls(logged)))).toEqual(["c2"]);
  });

  test("a result that comes later, in a history that is kept", () => {
    const one = book();
    const messages = [call("c1")];
    expect(one.newUses(anthropicMessages, { messages }, known)).toEqual([]);
    expect(ids(one.newUses(anthropicMessages, { messages: [...messages, result("c1")] }, known))).toEqual([
      "c1",
    ]);
  });

  test("what could not be recorded is new again", () => {
    const one = book();
    const body = { messages: [call("c1"), result("c1")] };
    one.forget(one.newUses(anthropicMessages, body, known));
    expect(ids(one.newUses(anthropicMessages, body, known))).toEqual(["c1"]);
  });

  test("calls without an id are told apart by what they are", () => {
    const one = book();
    const turn = [
      { role: "model", parts: [{ functionCall: { name: "read_file", args: input } }] },
      { role: "user", parts: [{ functionResponse: { name: "read_file", response: {} } }] },
    ];
    const [first, ...none] = one.newUses(gemini, { contents: turn }, known);
    expect(none).toEqual([]);
    const again = one.newUses(gemini, { contents: structuredClone([...turn, ...turn]) }, known);
    expect(again).toHaveLength(1);
    expect(again[0]?.callId).not.toBe(first?.callId);
  });

  test("of a history whose last messages are made anew, calls without an id are no further calls", () => {
    const one = book();
    const asked = { role: "user", parts: [{ text: "go" }] };
    const turn = [
      { role: "model", parts: [{ functionCall: { name: "read_file", args: input } }] },
      { role: "user", parts: [{ functionResponse: { name: "read_file", response: {} } }] },
    ];
    expect(one.newUses(gemini, { contents: [asked, ...turn] }, known)).toHaveLength(1);
    expect(one.newUses(gemini, { contents: [asked, ...structuredClone(turn)] }, known)).toEqual([]);
  });

  test("an id that comes again is another call", () => {
    const messages = [call("call_0"), result("call_0"), call("call_0"), result("call_0", true)];
    const uses = book().newUses(anthropicMessages, { messages }, known);
    expect(uses.map(({ success }) => success)).toEqual([true, false]);
    expect(new Set(ids(uses)).size).toBe(2);
    const one = book();
    one.newUses(anthropicMessages, { messages: messages.slice(0, 2) }, known);
    expect(ids(one.newUses(anthropicMessages, { messages }, known))).toEqual([uses[1]?.callId]);
  });

  test("in another process also those that are too old to be kept", () => {
    const names = Array.from({ length: 3000 }, (_, index) => `c${index}`);
    const messages = names.flatMap((id) => [call(id), result(id)]);
    const logged = calls.initial();
    for (const [seq, callId] of names.entries()) {
      const event = {
        type: "tool_finished",
        toolName: "Read",
        callId,
        success: true,
        durationMs: 0,
      } as const;
      calls.apply(logged, event, { seq, at: "", turns: 0, supersede: () => undefined });
    }
    const body = { messages: [...messages, call("new"), result("new")] };
    expect(ids(book().newUses(anthropicMessages, body, finishedCalls(logged)))).toEqual(["new"]);
  });
});

test("a result with an id of the client's own belongs to the call of that name that has none", () => {
  const contents = [
    { role: "model", parts: [{ functionCall: { name: "Read", args: input } }] },
    { role: "user", parts: [{ functionResponse: { id: "agent#0", name: "Read", response: {} } }] },
  ];
  expect(book().newUses(gemini, { contents }, known)).toMatchObject([{ name: "Read", input, success: true }]);
});
