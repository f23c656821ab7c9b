import { expect, test } from "vitest";
import { aiSdk } from "./ai-sdk.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini, geminiRequest } from "./gemini.ts";
import { langchain } from "./langchain.ts";
import { openaiAgents } from "./openai-agents.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

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

const dialects = [
  aiSdk,
  anthropicMessages,
  gemini,
  geminiRequest,
  langchain,
  openaiAgents,
  openaiChat,
  openaiResponses,
];

const elsewhere = ["content", "contents", "Content", "parts", "Parts", "text", "message", "input"];
const values = ["Hello", [{ text: "Hello" }], [{ type: "text", text: "Hello" }], { text: "Hello" }];

test.each(dialects)("$name: a message whose content is under another key is no body", (dialect) => {
  const { name, field, problem } = dialect;
  const [right, answer] = name === "gemini" ? ["parts", "model"] : ["content", "assistant"];
  for (const role of ["user", answer])
    for (const key of elsewhere.filter((one) => one !== right))
      for (const value of values) {
        const message = { role, ...(name === "gemini" ? {} : { type: "message" }), [key]: value };
        const body = { [field]: [message] };
        expect(problem(body), JSON.stringify(body)).toMatch(new RegExp(`^${field}\\.0\\.${right}: `, "u"));
      }
});

test("Gemini: nor is one without a role, nor a part with its text elsewhere", () => {
  const { problem } = gemini;
  const words = (where: string) => `${where}.text: missing, and "content" is no field of this format`;
  expect(problem({ contents: { content: "Hello" } })).toBe(words("contents"));
  expect(problem({ contents: [{ content: "Hello" }] })).toBe(words("contents.0"));
  expect(problem({ contents: [{ parts: [{ content: "Hello" }] }] })).toBe(words("contents.0.parts.0"));
  const parts = [
    { functionCall: { name: "f" } },
    { executableCode: { code: "1" } },
    { newKind: {} },
    { text: "" },
  ];
  expect(
    problem({ contents: [{ role: "model", parts }, { role: "model" }, { role: "model", parts: null }] }),
  ).toBeUndefined();
});

test("Chat Completions: a message without content may have what clients and servers add", () => {
  const more = {
    refusal: "no",
    reasoning_content: "a",
    reasoning_details: [],
    audio: { id: "a" },
    annotations: [],
    context: {},
  };
  const added = Object.entries(more).flatMap(([key, value]) =>
    ["assistant", "user", "tool"].map((role) => ({ role, [key]: value })),
  );
  const messages = [...added, { role: "assistant", content: null, ...more, tool_calls: [{ id: "c" }] }];
  expect(openaiChat.problem({ messages })).toBeUndefined();
});

test.each([openaiChat, gemini])(
  "$name: a field of another format that is empty is none",
  ({ field, problem }) => {
    for (const empty of ["", [], null, undefined])
      expect(problem({ [field]: [{ role: "user", text: empty, output: empty }] })).toBeUndefined();
    expect(gemini.problem({ contents: [{ parts: [{ functionCall: {}, value: "" }] }] })).toBeUndefined();
  },
);
