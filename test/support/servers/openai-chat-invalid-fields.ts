// For each rule about the request's fields a smallest OpenAI Chat Completions body that breaks it.
import { ask, request, tool } from "./openai-chat-bodies.ts";
import type { OpenAIChatRules } from "./openai-chat-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

export const invalidOpenAIChatFields: InvalidCase<OpenAIChatRules>[] = [
  { rule: "a body is an object", body: null, expect: /expected an object, but got null/ },
  {
    rule: "model is there",
    body: request([ask], { model: undefined }),
    expect: /^Missing required parameter: 'model'/,
  },
  {
    rule: "messages is there",
    body: { model: "gpt-test" },
    expect: /^Missing required parameter: 'messages'/,
  },
  {
    rule: "messages is a list",
    body: request([], { messages: ask }),
    expect: /^Invalid type for 'messages': expected an array of objects, but got an object/,
  },
  {
    rule: "no unknown fields",
    body: request([ask], { reminders: [] }),
    expect: /^Unrecognized request argument supplied: reminders/,
  },
  {
    rule: "temperature up to 2",
    body: request([ask], { temperature: 2.1 }),
    expect: /^Invalid 'temperature': value above maximum value\. Expected a value <= 2, but got 2\.1/,
  },
  {
    rule: "temperature from 0",
    body: request([ask], { temperature: -1 }),
    expect: /^Invalid 'temperature': value below minimum value/,
  },
  { rule: "top_p up to 1", body: request([ask], { top_p: 1.5 }), expect: /^Invalid 'top_p': value above/ },
  { rule: "n from 1", body: request([ask], { n: 0 }), expect: /^Invalid 'n': value below minimum value/ },
  {
    rule: "n up to 128",
    body: request([ask], { n: 129 }),
    expect: /^Invalid 'n': value above maximum value/,
  },
  {
    rule: "n is an integer",
    body: request([ask], { n: 1.5 }),
    expect: /^Invalid type for 'n': expected an integer/,
  },
  {
    rule: "penalties up to 2",
    body: request([ask], { presence_penalty: 3 }),
    expect: /^Invalid 'presence_penalty': value above/,
  },
  {
    rule: "four stop sequences",
    body: request([ask], { stop: ["a", "b", "c", "d", "e"] }),
    expect: /^Invalid 'stop': array too long/,
  },
  {
    rule: "one limit of tokens",
    body: request([ask], { max_tokens: 1, max_completion_tokens: 1 }),
    expect: /^Setting 'max_tokens' and 'max_completion_tokens' at the same time/,
  },
  {
    rule: "max_tokens from 1",
    body: request([ask], { max_tokens: 0 }),
    expect: /^Invalid 'max_tokens': value below/,
  },
  {
    rule: "stream is a boolean",
    body: request([ask], { stream: 1 }),
    expect: /^Invalid type for 'stream': expected a boolean/,
  },
  {
    rule: "stream options only with a stream",
    body: request([ask], { stream_options: { include_usage: true } }),
    expect: /^The 'stream_options' parameter is only allowed when 'stream' is enabled/,
  },
  {
    rule: "top_logprobs only with logprobs",
    body: request([ask], { top_logprobs: 2 }),
    expect: /^The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled/,
  },
  {
    rule: "tools are not none",
    body: request([ask], { tools: [] }),
    expect: /^Invalid 'tools': empty array/,
  },
  {
    rule: "128 tools",
    body: request([ask], {
      tools: Array.from({ length: 129 }, (_, at) => ({ type: "function", function: { name: `tool_${at}` } })),
    }),
    expect: /^Invalid 'tools': array too long/,
  },
  {
    rule: "known tools",
    body: request([ask], { tools: [{ type: "web_search" }] }),
    expect: /^Invalid value for 'tools\[0\]\.type': 'web_search'/,
  },
  {
    rule: "a tool's name is inside its function",
    body: request([ask], { tools: [{ type: "function", function: {} }] }),
    expect: /^Missing required parameter: 'tools\[0\]\.function\.name'/,
  },
  {
    rule: "a tool's name is short",
    body: request([ask], { tools: [{ type: "function", function: { name: "a".repeat(65) } }] }),
    expect: /^Invalid 'tools\[0\]\.function\.name': string too long/,
  },
  {
    rule: "a tool's name is plain",
    body: request([ask], { tools: [{ type: "function", function: { name: "get weather" } }] }),
    expect: /^Invalid 'tools\[0\]\.function\.name': string does not match pattern/,
  },
  {
    rule: "a tool takes an object",
    body: request([ask], { tools: [{ type: "function", function: { name: "a", parameters: [] } }] }),
    expect: /^Invalid type for 'tools\[0\]\.function\.parameters': expected an object, but got an array/,
  },
  {
    rule: "tool names are unique",
    body: request([ask], { tools: [tool, tool] }),
    expect: /^Invalid 'tools': duplicate function name 'get_weather'/,
  },
  {
    rule: "no choice without tools",
    body: request([ask], { tool_choice: "auto" }),
    expect: /^Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified/,
  },
  {
    rule: "known choices",
    body: request([ask], { tools: [tool], tool_choice: "any" }),
    expect: /^Invalid value for 'tool_choice': 'any'/,
  },
  {
    rule: "a chosen tool is there",
    body: request([ask], { tools: [tool], tool_choice: { type: "function", function: { name: "other" } } }),
    expect: /^Invalid value for 'tool_choice': 'other' not found in 'tools'/,
  },
  {
    rule: "no parallel calls without tools",
    body: request([ask], { parallel_tool_calls: false }),
    expect: /^Invalid value for 'parallel_tool_calls'/,
  },
  {
    rule: "known formats",
    body: request([ask], { response_format: { type: "xml" } }),
    expect: /^Invalid value for 'response_format\.type': 'xml'/,
  },
];
