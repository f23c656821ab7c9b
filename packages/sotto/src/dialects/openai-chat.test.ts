import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { openaiChatBody } from "../../../../test/support/openai-chat-history.ts";
import { checkOpenAIChat } from "../../../../test/support/servers/openai-chat-rules.ts";
import { hasTrustedRole } from "../../../../test/support/trusted-properties.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { type OpenAIChatBody, openaiChat } from "./openai-chat.ts";

const { problem, read, end, legal, insert, remove } = openaiChat;

const text = (value: string, fields: object = {}) => ({ type: "text", text: value, ...fields });
const call = (id: string, fields: object = {}) => ({
  id,
  type: "function",
  function: { name: "look", arguments: "{}" },
  ...fields,
});
const calls = (...tool_calls: object[]) => ({ role: "assistant", content: null, tool_calls });
const tool = (tool_call_id: string, content: string | { type: string }[]) => ({
  role: "tool",
  tool_call_id,
  content,
});
const said = (role: string, content: string, fields: object = {}) => ({ role, content, ...fields });
const user = (...content: { type: string }[]) => ({ role: "user", content });
const of = (...messages: OpenAIChatBody["messages"]): OpenAIChatBody => frozen({ messages });
const place = (message: number, index = 0) => ({ message, index });
const note: ReminderBlock[] = [{ type: "text", text: "Note." }];
const cache_control = { type: "ephemeral" };

describe("properties", () => {
  hasDialectProperties<OpenAIChatBody>({
    dialect: openaiChat,
    write: openaiChatBody,
    check: checkOpenAIChat,
    breakpoint: { field: "prompt_cache_breakpoint", value: { mode: "explicit" } },
  });

  describe("the trusted role", () => {
    hasTrustedRole<OpenAIChatBody>({
      dialect: openaiChat,
      write: (...told) => ({ ...openaiChatBody(...told), model: "gpt-5" }),
      check: checkOpenAIChat,
      role: "developer",
    });
  });
});

test("takes the official client's parameters as they are", () => {
  const params: OpenAI.ChatCompletionCreateParams = {
    model: "gpt-test",
    messages: [{ role: "user", content: "Hello" }],
  };
  const body: OpenAIChatBody = params;
  expect(problem(body)).toBeUndefined();
});

describe("read", () => {
  const does = (id: string) => ({ id, holds: expect.any(String) });
  test("gives content first, then what stands beside it", () => {
    const message = {
      role: "assistant",
      content: [text("a"), text("")],
      refusal: "No.",
      tool_calls: [call("1"), call("2")],
    };
    expect(read(message, 3)).toEqual([
      { role: "assistant", kind: "text", message: 3, index: 0, identity: expect.any(String), text: "a" },
      { role: "assistant", kind: "other", message: 3, index: 2, identity: expect.any(String) },
      {
        role: "assistant",
        kind: "call",
        message: 3,
        index: 3,
        identity: expect.any(String),
        call: does("1"),
      },
      {
        role: "assistant",
        kind: "call",
        message: 3,
        index: 4,
        identity: expect.any(String),
        call: does("2"),
      },
    ]);
  });

  test.each([
    ["developer", said("developer", "a"), ["system text"]],
    ["tool", tool("1", ""), ["user result"]],
    ["function", said("function", "a", { name: "look" }), ["user result"]],
    ["pictures", user({ type: "image_url" }, { type: "input_audio" }), ["user image", "user other"]],
    ["thinking of other servers", user({ type: "thinking" }), ["user thinking"]],
    [
      "a call of old",
      { role: "assistant", function_call: { name: "look", arguments: "{}" } },
      ["assistant call"],
    ],
    ["an answer in sound", { role: "assistant", audio: { id: "audio_1" } }, ["assistant other"]],
    ["nothing", said("user", ""), []],
    ["no content", { role: "assistant", content: null }, []],
    ["reasoning only", { role: "assistant", reasoning_content: "Hm." }, []],
  ])("%s", (_, message, kinds) => {
    expect(read(message, 0).map(({ role, kind }) => `${role} ${kind}`)).toEqual(kinds);
  });

  test.each([
    [
      "a string",
      said("user", "a"),
      user(text("a", { cache_control, prompt_cache_breakpoint: { mode: "explicit" } })),
    ],
    ["a result's string", tool("1", "a"), tool("1", [text("a", { cache_control })])],
    [
      "an answer given back",
      said("assistant", "a"),
      said("assistant", "a", { refusal: null, annotations: [], audio: null }),
    ],
    [
      "a reply without its reasoning",
      said("assistant", "a"),
      said("assistant", "a", { reasoning_content: "b", reasoning: "c" }),
    ],
    ["a call put together from a stream", calls(call("1")), calls(call("1", { index: 0 }))],
  ])("%s is the same in another form", (_, one, other) => {
    expect(read(other, 0)).toEqual(read(one, 0));
  });

  test.each([
    ["role", said("user", "a"), said("system", "a")],
    ["name", said("user", "a", { name: "Ada" }), said("user", "a", { name: "Bob" })],
    ["refusal", { role: "assistant", refusal: "a" }, { role: "assistant", refusal: "b" }],
    ["call id", calls(call("1")), calls(call("2"))],
    ["arguments", calls(call("1")), calls(call("1", { function: { name: "look", arguments: "[]" } }))],
    ["result id", tool("1", "a"), tool("2", "a")],
    ["result", tool("1", "a"), tool("1", "b")],
  ])("another %s is another block", (_, one, other) => {
    expect(read(other, 0)).not.toEqual(read(one, 0));
  });
});

const loop = of(
  said("system", "a"),
  said("developer", "b"),
  said("user", "c"),
  calls(call("1"), call("2")),
  tool("1", [text("d"), text("e")]),
  tool("2", "f"),
  said("assistant", "g"),
  said("assistant", "h"),
  user(text("i"), text("j")),
  said("assistant", "k"),
);

test.each([
  ["behind the last message", of(said("user", "a")), 1],
  ["behind tool results", of(said("user", "a"), calls(call("1")), tool("1", "b")), 3],
  ["before what the assistant has begun to say", loop, 9],
  ["before a call without results", of(said("user", "a"), said("assistant", "b"), calls(call("1"))), 2],
  ["first where there is nothing", of(), 0],
])("end is %s", (_, body, message) => {
  expect(end(body)).toEqual(place(message));
  expect(legal(body, place(body.messages.length))).toEqual(place(message));
});

test.each([
  ["goes behind the system prompt", place(0), place(2)],
  ["stays behind a part of the system prompt", place(0, 1), place(1)],
  ["stays before a user's message", place(2), place(2)],
  ["is the same place behind a string", place(2, 1), place(3)],
  ["leaves an assistant's message and its call group", place(3, 1), place(6)],
  ["never parts calls and results", place(4), place(6)],
  ["never stands inside a result", place(4, 1), place(6)],
  ["never parts results from each other", place(5), place(6)],
  ["stays between two assistant's messages", place(7), place(7)],
  ["stays between the parts of a user's message", place(8, 1), place(8, 1)],
])("legal %s", (_, at, expected) => {
  expect(legal(loop, at)).toEqual(expected);
});

test("insert writes a lone text as a string, else parts, always in the same bytes", () => {
  const picture: ReminderBlock[] = [...note, { type: "image", mediaType: "image/png", data: "aGk=" }];
  const body = of(user(text("a"), text("b")));
  const insertions = [
    { at: place(1), blocks: [note, picture] },
    { at: place(0, 1), blocks: [note] },
  ];
  expect(JSON.stringify(insert(body, insertions, []).messages)).toBe(
    '[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"Note."},{"type":"text","text":"b"}]},' +
      '{"role":"user","content":"Note."},{"role":"user","content":[{"type":"text","text":"Note."},' +
      '{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}]',
  );
});

test.each([
  ["a string as a whole", said("user", "a"), [0], undefined],
  ["a part", user(text("a"), text("b")), [0], user(text("b"))],
  ["all parts, and the message with them", user(text("a"), text("b")), [0, 1], undefined],
  ["a result as a whole", tool("1", [text("a"), text("b")]), [0], undefined],
  ["what is not there", said("user", "a"), [1], said("user", "a")],
  ["words, not the call beside them", { ...calls(call("1")), content: "a" }, [0], calls(call("1"))],
  ["parts, not the call beside them", { ...calls(call("1")), content: [text("a")] }, [0], calls(call("1"))],
  ["one of two calls", calls(call("1"), call("2")), [0], calls(call("2"))],
  ["the last call", { ...calls(call("1")), content: "a" }, [1], said("assistant", "a")],
  ["a call and all there is", calls(call("1")), [0], undefined],
])("remove takes out %s", (_, message, indexes, left) => {
  const places = indexes.map((index) => place(0, index));
  expect(remove(of(message), places).messages).toEqual(left ? [left] : []);
});
