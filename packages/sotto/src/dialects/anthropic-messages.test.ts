import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { anthropicBody } from "../../../../test/support/anthropic-history.ts";
import { hasDialectProperties } from "../../../../test/support/dialect-properties.ts";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { checkAnthropicMessages } from "../../../../test/support/servers/anthropic-rules.ts";
import { hasTrustedRole } from "../../../../test/support/trusted-properties.ts";
import type { ReminderBlock } from "../render/reminder.ts";
import { type AnthropicBody, anthropicMessages } from "./anthropic-messages.ts";

const { problem, read, end, legal, insert, remove } = anthropicMessages;

const text = (value: string, fields: object = {}) => ({ type: "text", text: value, ...fields });
const call = (id: string, fields: object = {}) => ({
  type: "tool_use",
  id,
  name: "look",
  input: {},
  ...fields,
});
const result = (id: string, fields: object = {}) => ({ type: "tool_result", tool_use_id: id, ...fields });
const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const user = (...content: { type: string }[]) => ({ role: "user", content });
const assistant = (...content: { type: string }[]) => ({ role: "assistant", content });
const said = (role: string, content: string) => ({ role, content });
const of = (...messages: AnthropicBody["messages"]): AnthropicBody => frozen({ messages });
const place = (message: number, index = 0) => ({ message, index });
const note: ReminderBlock[] = [{ type: "text", text: "Note." }];
const cache_control = { type: "ephemeral" };

describe("properties", () => {
  hasDialectProperties<AnthropicBody>({
    dialect: anthropicMessages,
    write: anthropicBody,
    check: (body) => checkAnthropicMessages(body, { midConversationSystem: true }),
    breakpoint: { field: "cache_control", value: cache_control },
  });

  describe("the trusted role", () => {
    hasTrustedRole<AnthropicBody>({
      dialect: anthropicMessages,
      write: (...told) => ({ ...anthropicBody(...told), model: "claude-opus-4-8" }),
      check: (body) => checkAnthropicMessages(body, { midConversationSystem: true }),
      role: "system",
    });
  });
});

test("takes the official client's parameters as they are", () => {
  const params: Anthropic.MessageCreateParams = {
    model: "claude-test",
    max_tokens: 1,
    messages: [{ role: "user", content: "Hello" }],
  };
  const body: AnthropicBody = params;
  expect(problem(body)).toBeUndefined();
});

describe("read", () => {
  test("gives each block its role, its kind and its place", () => {
    const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
    const message = assistant(thought, text(""), search, found, text("a"), call("toolu_1"));
    expect(read(message, 3)).toEqual([
      { role: "assistant", kind: "thinking", message: 3, index: 0, identity: expect.any(String) },
      { role: "assistant", kind: "call", message: 3, index: 2, identity: expect.any(String) },
      { role: "assistant", kind: "result", message: 3, index: 3, identity: expect.any(String) },
      { role: "assistant", kind: "text", message: 3, index: 4, identity: expect.any(String), text: "a" },
      {
        role: "assistant",
        kind: "call",
        message: 3,
        index: 5,
        identity: expect.any(String),
        call: { id: "toolu_1", holds: expect.any(String) },
      },
    ]);
    expect(read(said("user", ""), 0)).toEqual([]);
    expect(read(said("system", "a"), 0)).toMatchObject([{ role: "system", kind: "text", text: "a" }]);
  });

  test.each([
    [
      "a string",
      said("user", "a"),
      user(text("a", { citations: null, cache_control, index: 4, id: "msg_1" })),
    ],
    [
      "a result's string",
      user(result("1", { content: "a" })),
      user(result("1", { content: [text("a", { cache_control })] })),
    ],
    [
      "an empty result",
      user(result("1", { content: "", is_error: false })),
      user(result("1", { content: [] })),
    ],
    [
      "the order of keys",
      user(call("1", { input: { a: 1, b: 2 } })),
      user(call("1", { input: { b: 2, a: 1 } })),
    ],
  ])("%s is the same in another form", (_, one, other) => {
    expect(read(other, 0)).toEqual(read(one, 0));
  });

  test.each([
    ["role", said("user", "a"), said("assistant", "a")],
    ["text", said("user", "a"), said("user", "b")],
    ["call id", assistant(call("1")), assistant(call("2"))],
    [
      "input",
      assistant(call("1", { input: { cache_control: 1 } })),
      assistant(call("1", { input: { index: 1 } })),
    ],
    ["result", user(result("1", { content: "a" })), user(result("1", { content: "b" }))],
    ["failure", user(result("1", { content: "a" })), user(result("1", { content: "a", is_error: true }))],
    ["citations", user(text("a", { citations: [{ cited_text: "b" }] })), user(text("a"))],
  ])("another %s is another block", (_, one, other) => {
    expect(read(other, 0)).not.toEqual(read(one, 0));
  });
});

const loop = of(
  said("user", "a"),
  assistant(text("b"), call("1"), call("2")),
  user(result("1")),
  user(result("2"), text("c"), text("d")),
  assistant(text("e")),
  assistant(text("f")),
  said("user", "g"),
  said("assistant", "h"),
);

describe("end", () => {
  const direct = call("1", { caller: { type: "direct" } });
  const fromCode = call("1", { caller: { type: "code_execution_20260120", tool_id: "srvtoolu_1" } });
  test.each([
    ["behind the last message", of(said("user", "a")), 1],
    ["behind tool results", of(said("user", "a"), assistant(direct), user(result("1"))), 3],
    ["behind the results of a call that is not in this request", of(user(result("1"))), 1],
    ["before a prefill", loop, 7],
    ["before a call without results", of(said("user", "a"), said("assistant", "b"), assistant(call("1"))), 1],
    ["before a trusted message, which must stay last", of(said("user", "a"), said("system", "b")), 1],
    [
      "before a call from code, whose answer takes no text",
      of(said("user", "a"), assistant(fromCode), user(result("1"))),
      1,
    ],
    [
      "behind an answered call from code",
      of(
        said("user", "a"),
        assistant(fromCode),
        user(result("1")),
        said("assistant", "b"),
        said("user", "c"),
      ),
      5,
    ],
    ["first where there is nothing", of(), 0],
  ])("is %s", (_, body, message) => {
    expect(end(body)).toEqual(place(message));
    expect(legal(body, place(body.messages.length))).toEqual(place(message));
  });
});

describe("legal", () => {
  test.each([
    ["stays first", place(0), place(0)],
    ["is the same place behind a string", place(0, 1), place(1)],
    ["leaves an assistant's message and its call group", place(1, 1), place(3, 1)],
    ["never parts calls and results", place(2), place(3, 1)],
    ["never parts results from each other", place(3), place(3, 1)],
    ["stays between the blocks of a user's message", place(3, 2), place(3, 2)],
    ["stays between a user's and an assistant's message", place(4), place(4)],
    ["stays behind an answer that is whole", place(5), place(5)],
    ["never follows a prefill", place(8), place(7)],
    ["takes no place there is not", place(99, 3), place(7)],
  ])("%s", (_, at, expected) => {
    expect(legal(loop, at)).toEqual(expected);
  });

  test("never parts a trusted message from the assistant's behind it", () => {
    const body = of(said("user", "a"), said("system", "b"), said("assistant", "c"), said("user", "d"));
    expect([1, 2].map((message) => legal(body, place(message)))).toEqual([place(1), place(3)]);
  });
});

describe("insert", () => {
  const picture: ReminderBlock[] = [...note, { type: "image", mediaType: "image/png", data: "aGk=" }];

  test("writes each reminder as a message of its own, always in the same bytes", () => {
    const { messages } = insert(of(said("user", "a")), [{ at: place(1), blocks: [note, picture] }], []);
    expect(JSON.stringify(messages)).toBe(
      '[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"Note."}]},' +
        '{"role":"user","content":[{"type":"text","text":"Note."},' +
        '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]}]',
    );
  });
});

test("remove takes blocks out, and messages that are left with none", () => {
  const body = of(said("user", "a"), user(text("b"), text("c")), user(text("d")), said("assistant", "e"));
  const places = [place(0), place(1, 1), place(2), place(3, 1), place(9)];
  expect(remove(body, places).messages).toEqual([user(text("b")), said("assistant", "e")]);
});
