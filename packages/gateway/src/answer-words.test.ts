import { anthropicMessages, gemini, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import { expect, test } from "vitest";
import { beginningOf, wordsIn, wordsOf } from "./answer-words.ts";

const parts = ["Let me ", "look.\n"];
const text = parts.join("");

interface Kind {
  dialect: Dialect;
  whole: object;
  events: object[];
  history: object[];
}

const use = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
const item = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
const said = { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
const thought = { thought: true, text: "Hm." };

const kinds: Record<string, Kind> = {
  "Anthropic's": {
    dialect: anthropicMessages as Dialect,
    whole: { type: "message", content: [{ type: "thinking", thinking: "Hm." }, { type: "text", text }, use] },
    events: [
      { type: "message_start", message: { content: [] } },
      { type: "content_block_start", content_block: { type: "text", text: "" } },
      ...parts.map((part) => ({ type: "content_block_delta", delta: { type: "text_delta", text: part } })),
      { type: "content_block_start", content_block: use },
      { type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "{}" } },
    ],
    history: [{ role: "assistant", content: [{ type: "text", text }, use] }],
  },
  "OpenAI's chat": {
    dialect: openaiChat as Dialect,
    whole: { choices: [{ message: { role: "assistant", content: text, tool_calls: [call] } }] },
    events: [
      ...parts.map((part) => ({ choices: [{ delta: { content: part } }] })),
      { choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: "{}" } }] } }] },
      { choices: [], usage: { prompt_tokens: 1 } },
    ],
    history: [{ role: "assistant", content: text, tool_calls: [call] }],
  },
  "OpenAI's responses": {
    dialect: openaiResponses as Dialect,
    whole: { id: "r", output: [{ type: "reasoning", summary: [] }, said, item] },
    events: [
      { type: "response.created", response: { output: [] } },
      { type: "response.output_item.added", item: { type: "message", content: [] } },
      ...parts.map((delta) => ({ type: "response.output_text.delta", delta })),
      { type: "response.output_item.added", item },
      { type: "response.function_call_arguments.delta", delta: "{}" },
    ],
    history: [said, item],
  },
  "Gemini's": {
    dialect: gemini as Dialect,
    whole: { candidates: [{ content: { role: "model", parts: [thought, { text }] } }] },
    events: [thought, ...parts.map((part) => ({ text: part }))].map((part) => ({
      candidates: [{ content: { role: "model", parts: [part] } }],
    })),
    history: [{ role: "model", parts: [{ text }] }],
  },
};

test.each(Object.entries(kinds))(
  "%s answers begin with the same words, streamed, whole and in the next request",
  (_, { dialect, whole, events, history }) => {
    const streamed = beginningOf(events.map(wordsIn).join(""));
    expect(streamed).toMatch(/^Letmelook\./u);
    expect(beginningOf(wordsIn(whole))).toBe(streamed);
    const read = history.map((message, at) => wordsOf(dialect.read(message, at)));
    expect(beginningOf(read.join(""))).toBe(streamed);
  },
);
