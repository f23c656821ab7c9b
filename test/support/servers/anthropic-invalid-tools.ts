// For each rule about tools, calls and results a smallest Anthropic body that breaks it, and nothing else.
import { ask, assistant, call, request, result, text, tool, user } from "./anthropic-bodies.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const answered = (...content: unknown[]) => [ask, assistant(call("a")), user(...content)];

export const invalidAnthropicTools: InvalidCase<AnthropicRules>[] = [
  {
    rule: "calls are the assistant's",
    body: request([user(call("a"))], { tools: [tool] }),
    expect: /^messages\.0\.content\.0: `tool_use` blocks can only be in `assistant`/,
  },
  {
    rule: "results are the user's",
    body: request([ask, assistant(result("a")), ask]),
    expect: /^messages\.1\.content\.0: `tool_result` blocks can only be in `user`/,
  },
  {
    rule: "a call has an object as input",
    body: request([ask, assistant({ ...call("a"), input: "{}" }), user(result("a"))]),
    expect: /^messages\.1\.content\.0\.tool_use\.input: Input should be a valid dictionary/,
  },
  {
    rule: "call ids are of plain characters",
    body: request([ask, assistant(call("a.b")), user(result("a"))]),
    expect: /^messages\.1\.content\.0\.tool_use\.id: String should match pattern/,
  },
  {
    rule: "call ids are unique",
    body: request([...answered(result("a")), ...answered(result("a")).slice(1)]),
    expect: /^messages\.3\.content\.0: `tool_use` ids must be unique/,
  },
  {
    rule: "a call is answered",
    body: request(answered(text("x"))),
    expect: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\./,
  },
  {
    rule: "each of parallel calls is answered",
    body: request([ask, assistant(call("a"), call("b")), user(result("a"))]),
    expect: /immediately after: b\./,
  },
  {
    rule: "a call is not the last word",
    body: request([ask, assistant(call("a"))]),
    expect: /^messages\.1: `tool_use` ids were found without/,
  },
  {
    rule: "results come before text",
    body: request(answered(text("x"), result("a"))),
    expect: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after/,
  },
  {
    rule: "results come before text, over messages of one role",
    body: request([...answered(text("x")), user(result("a"))]),
    expect: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after/,
  },
  {
    rule: "results come one after the other",
    body: request([ask, assistant(call("a"), call("b")), user(result("a"), text("x"), result("b"))]),
    expect: /immediately after: b\./,
  },
  {
    rule: "no text behind a call",
    body: request([ask, assistant(call("a"), text("x")), user(result("a"))]),
    expect: /^messages\.1: `tool_use` ids were found without/,
  },
  {
    rule: "a result has a call",
    body: request([user(result("a"))]),
    expect: /^messages\.0\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: a\./,
  },
  {
    rule: "a result has a call in the turn before",
    body: request([...answered(result("a")), { role: "assistant", content: "x" }, user(result("a"))]),
    expect: /^messages\.4\.content\.0: unexpected `tool_use_id`/,
  },
  {
    rule: "one result for a call",
    body: request(answered(result("a"), result("a"))),
    expect: /^messages\.2\.content\.1: each tool_use must have a single result/,
  },
  {
    rule: "a result names its call",
    body: request(answered({ type: "tool_result", content: "x" })),
    expect: /^messages\.2\.content\.0\.tool_result\.tool_use_id: Field required/,
  },
  {
    rule: "a failed result says something",
    body: request(answered({ ...result("a"), content: "", is_error: true })),
    expect: /^messages\.2\.content\.0\.tool_result: content cannot be empty if `is_error` is true/,
  },
  {
    rule: "no empty text in a result",
    body: request(answered({ ...result("a"), content: [text("")] })),
    expect: /^messages\.2\.content\.0\.tool_result\.content\.0: text content blocks must be non-empty/,
  },
  {
    rule: "a server's result has a call before it",
    body: request([
      ask,
      assistant({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
    ]),
    expect: /^messages\.1\.content\.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks/,
  },
  {
    rule: "tool names are unique",
    body: request([ask], { tools: [tool, tool] }),
    expect: /^tools: Tool names must be unique/,
  },
  {
    rule: "a tool has a name",
    body: request([ask], { tools: [{ input_schema: { type: "object" } }] }),
    expect: /^tools\.0\.custom\.name: Field required/,
  },
  {
    rule: "a tool has a plain name",
    body: request([ask], { tools: [{ ...tool, name: "get weather" }] }),
    expect: /^tools\.0\.custom\.name: String should match pattern/,
  },
  {
    rule: "a tool has a schema",
    body: request([ask], { tools: [{ name: "get_weather" }] }),
    expect: /^tools\.0\.custom\.input_schema: Field required/,
  },
  {
    rule: "a tool takes an object",
    body: request([ask], { tools: [{ ...tool, input_schema: { type: "string" } }] }),
    expect: /^tools\.0\.custom\.input_schema\.type: Input should be 'object'/,
  },
  {
    rule: "known tool types",
    body: request([ask], { tools: [{ ...tool, type: "function" }] }),
    expect: /^tools\.0: Input tag 'function' found using 'type'/,
  },
  {
    rule: "no choice without tools",
    body: request([ask], { tool_choice: { type: "auto" } }),
    expect: /^tool_choice: may only be specified while providing tools/,
  },
  {
    rule: "a chosen tool is there",
    body: request([ask], { tools: [tool], tool_choice: { type: "tool", name: "other" } }),
    expect: /^tool_choice: Tool 'other' not found/,
  },
];
