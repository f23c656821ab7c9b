import { expect, test } from "vitest";
import { frozen } from "../../../../test/support/dialect-samples.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { Position } from "./dialect.ts";
import { openaiChat } from "./openai-chat.ts";

// Blocks by name: a capital letter is a reminder, a mark behind it its breakpoint.
const short = { type: "ephemeral" };
const long = { type: "ephemeral", ttl: "1h" };
const blocks: Record<string, object> = {
  a: { type: "text", text: "a" },
  "a*": { type: "text", text: "a", cache_control: short },
  "a!": { type: "text", text: "a", cache_control: long },
  b: { type: "tool_result", tool_use_id: "b" },
  "b*": { type: "tool_result", tool_use_id: "b", cache_control: short },
  "b!": { type: "tool_result", tool_use_id: "b", cache_control: long },
  "-": { type: "text", text: "" },
  t: { type: "thinking", thinking: "Hm.", signature: "c2ln" },
  R: { type: "text", text: "R" },
  "R*": { type: "text", text: "R", cache_control: short },
  "R!": { type: "text", text: "R", cache_control: long },
};

/** A line of messages, each its blocks; one in quotes is a lone string. */
function messagesOf(line: string): { role: string; content: string | { type: string }[] }[] {
  return line.split(" | ").map((message) => ({
    role: message.includes("t") ? "assistant" : "user",
    content: message.startsWith('"')
      ? message
      : (message.split(" ").map((name) => blocks[name]) as { type: string }[]),
  }));
}

function ownOf(line: string): Position[] {
  return line
    .split(" | ")
    .flatMap((message, at) =>
      message.split(" ").flatMap((name, index) => (name.startsWith("R") ? [{ message: at, index }] : [])),
    );
}

test.each([
  ["to the block before", "a | R*", "a* | R"],
  ["never to a block behind", "a R* b", "a* R b"],
  ["past other reminders", "a R | R R*", "a* R | R R"],
  ["past what cannot carry one", "a | t | - R*", "a* | t | - R"],
  ["past lone strings", 'a | "b" | R*', 'a* | "b" | R'],
  ["past one of its own kind", "a b* | R*", "a* b* | R"],
  ["away where everything before has one", "a* b* | R*", "a* b* | R"],
  ["away where nothing before can carry one", '"a" | R*', '"a" | R'],
  ["away rather than before a longer-lived one", "a b! | R*", "a b! | R"],
  ["each on its own, the longer-lived first", "a b | R! | R*", "a b! | R | R"],
  ["not at all where it is no reminder's", "a* | R | b*", "a* | R | b*"],
])("AC-5 a breakpoint goes %s", (_, before, after) => {
  const body = frozen({ messages: messagesOf(before) });
  expect(anthropicMessages.insert(body, [], ownOf(before)).messages).toEqual(messagesOf(after));
});

test("AC-5 Chat Completions: OpenAI's own breakpoint moves past the assistant's message, which cannot carry one", () => {
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  const messages = [
    { role: "user", content: [blocks.a as { type: string }] },
    { role: "assistant", content: [blocks.a as { type: string }] },
    { role: "user", content: [{ type: "text", text: "R", ...mark }] },
  ];
  const { messages: moved } = openaiChat.insert(frozen({ messages }), [], [{ message: 2, index: 0 }]);
  expect(moved).toEqual([
    { role: "user", content: [{ ...blocks.a, ...mark }] },
    messages[1],
    { role: "user", content: [blocks.R] },
  ]);
});

test("AC-5 Chat Completions: a breakpoint beside a lone string, as some servers take it, moves too", () => {
  const messages = [
    { role: "user", content: [blocks.a as { type: string }] },
    { role: "user", content: "R", cache_control: short },
  ];
  const { messages: moved } = openaiChat.insert(frozen({ messages }), [], [{ message: 1, index: 0 }]);
  expect(moved).toEqual([
    { role: "user", content: [blocks["a*"]] },
    { role: "user", content: "R" },
  ]);
});
