import { expect, test } from "vitest";
import { anthropicMessages } from "./anthropic-messages.ts";
import { openaiChat } from "./openai-chat.ts";

const hello = { role: "user", content: "Hello" };

test.each([
  [null, "body: expected an object"],
  [[], "body: expected an object"],
  [{}, "messages: expected a list"],
  [{ messages: "Hello" }, "messages: expected a list"],
  [{ messages: ["Hello"] }, "messages.0: expected an object"],
  [{ messages: [{ content: "Hello" }] }, "messages.0.role: expected a string"],
  [
    { messages: [hello, { role: "user", content: 1 }] },
    "messages.1.content: expected a string or a list of blocks",
  ],
  [{ messages: [{ role: "user", content: ["a"] }] }, "messages.0.content.0: expected an object with a type"],
  [
    { messages: [{ role: "user", content: [{ type: "text" }] }] },
    "messages.0.content.0.text: expected a string",
  ],
])("both say what is wrong with %j", (body, words) => {
  expect(anthropicMessages.problem(body)).toBe(words);
  expect(openaiChat.problem(body)).toBe(words);
});

test("a body that throws when it is read is no body", () => {
  const throwing = new Proxy({}, { get: () => JSON.parse("no") });
  expect(anthropicMessages.problem(throwing)).toBe("body: cannot be read");
  expect(openaiChat.problem(throwing)).toBe("body: cannot be read");
});

test("Anthropic knows its roles and wants content", () => {
  const { problem } = anthropicMessages;
  expect(problem({ messages: [hello, { role: "tool", content: "a" }] })).toBe(
    "messages.1.role: expected one of user, assistant, system",
  );
  expect(problem({ messages: [{ role: "assistant", content: null }] })).toBe(
    "messages.0.content: expected a string or a list of blocks",
  );
});

test("Chat Completions takes roles that only some servers have, and messages without content", () => {
  const { problem } = openaiChat;
  const messages = [
    { role: "context", content: "a" },
    { role: "assistant" },
    { role: "assistant", content: null },
  ];
  expect(problem({ messages })).toBeUndefined();
  expect(problem({ messages: [{ role: "assistant", tool_calls: ["call_1"] }] })).toBe(
    "messages.0.tool_calls: expected a list of objects",
  );
});
