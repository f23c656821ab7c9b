// The OpenAI Chat rules refuse every case made to break one, for that reason alone, and take every valid one.
import { describe, expect, test } from "vitest";
import { invalidOpenAIChat } from "./openai-chat-invalid.ts";
import { checkOpenAIChat } from "./openai-chat-rules.ts";
import { validOpenAIChat } from "./openai-chat-valid.ts";

describe("what OpenAI refuses", () => {
  test.each(invalidOpenAIChat)("$rule", ({ body, rules, expect: complaints }) => {
    expect(checkOpenAIChat(body, rules)).toEqual(
      [complaints].flat().map((complaint) => expect.stringMatching(complaint)),
    );
  });
});

describe("what OpenAI takes", () => {
  test.each(validOpenAIChat)("$what", ({ body, rules }) => {
    expect(checkOpenAIChat(body, rules)).toEqual([]);
  });
});

test("each case has a name of its own", () => {
  const names = [...invalidOpenAIChat.map(({ rule }) => rule), ...validOpenAIChat.map(({ what }) => what)];
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
});
