// For each rule about tool calls and their results a smallest OpenAI Chat Completions body that breaks it.
import { ask, call, calling, request, result } from "./openai-chat-bodies.ts";
import type { OpenAIChatRules } from "./openai-chat-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const calls = (...tool_calls: unknown[]) => request([ask, { role: "assistant", tool_calls }, result("a")]);

export const invalidOpenAIChatTools: InvalidCase<OpenAIChatRules>[] = [
  { rule: "calls are not none", body: calls(), expect: /^Invalid 'messages\[1\]\.tool_calls': empty array/ },
  {
    rule: "a call has an id",
    body: calls({ ...call("a"), id: undefined }),
    expect: /^Missing required parameter: 'messages\[1\]\.tool_calls\[0\]\.id'/,
  },
  {
    rule: "a call's id is short",
    body: calls(call("a".repeat(41))),
    expect: /^Invalid 'messages\[1\]\.tool_calls\[0\]\.id': string too long/,
  },
  {
    rule: "a call has a type",
    body: calls({ ...call("a"), type: undefined }),
    expect: /^Missing required parameter: 'messages\[1\]\.tool_calls\[0\]\.type'/,
  },
  {
    rule: "a call has a name",
    body: calls({ ...call("a"), function: { arguments: "{}" } }),
    expect: /^Missing required parameter: 'messages\[1\]\.tool_calls\[0\]\.function\.name'/,
  },
  {
    rule: "a call's name is plain",
    body: calls({ ...call("a"), function: { name: "get.weather", arguments: "{}" } }),
    expect: /^Invalid 'messages\[1\]\.tool_calls\[0\]\.function\.name': string does not match pattern/,
  },
  {
    rule: "arguments are a string",
    body: calls({ ...call("a"), function: { name: "get_weather", arguments: {} } }),
    expect: /^Invalid type for 'messages\[1\]\.tool_calls\[0\]\.function\.arguments': expected a string/,
  },
  {
    rule: "no index on a call sent back",
    body: calls({ ...call("a"), index: 0 }),
    expect: /^Unknown parameter: 'messages\[1\]\.tool_calls\[0\]\.index'/,
  },
  {
    rule: "a call is answered",
    body: request([ask, calling("a"), ask]),
    expect: /must be followed by tool messages .* did not have response messages: a$/,
  },
  {
    rule: "a call is not the last word",
    body: request([ask, calling("a")]),
    expect: /did not have response messages: a$/,
  },
  {
    rule: "each of parallel calls is answered",
    body: request([ask, calling("a", "b"), result("a")]),
    expect: /did not have response messages: b$/,
  },
  {
    rule: "nothing between a call and its result",
    body: request([ask, calling("a"), ask, result("a")]),
    expect: [
      /^Invalid parameter: 'messages\[1\]': An assistant message with 'tool_calls' must be followed/,
      /^Invalid parameter: 'messages\[3\]\.role': messages with role 'tool' must be a response/,
    ],
  },
  {
    rule: "nothing between the results",
    body: request([ask, calling("a", "b"), result("a"), ask, result("b")]),
    expect: [/did not have response messages: b$/, /^Invalid parameter: 'messages\[4\]\.role'/],
  },
  {
    rule: "a result has a call",
    body: request([ask, result("a")]),
    expect: /^Invalid parameter: 'messages\[1\]\.role': messages with role 'tool' must be a response/,
  },
  {
    rule: "a result is of the call before",
    body: request([ask, calling("a"), result("a"), result("b")]),
    expect:
      /^Invalid parameter: 'messages\[3\]': 'tool_call_id' of 'b' not found in 'tool_calls' of previous message/,
  },
  {
    rule: "a result is not of an earlier call",
    body: request([ask, calling("a"), result("a"), ask, result("a")]),
    expect: /^Invalid parameter: 'messages\[4\]\.role': messages with role 'tool' must be a response/,
  },
  {
    rule: "one result for a call",
    body: request([ask, calling("a"), result("a"), result("a")]),
    expect: /^Duplicate value for 'tool_call_id' of a in 'messages\[3\]'/,
  },
  {
    rule: "calls have ids of their own",
    body: request([ask, calling("a", "a"), result("a")]),
    expect: /^Duplicate value for 'tool_call_id' of a in 'messages\[1\]'/,
  },
  {
    rule: "a result names its call",
    body: request([ask, calling("a"), { role: "tool", content: "x" }]),
    expect: /^Missing required parameter: 'messages\[2\]\.tool_call_id'/,
  },
  {
    rule: "a result says something",
    body: request([ask, calling("a"), { role: "tool", tool_call_id: "a" }]),
    expect: /^Missing required parameter: 'messages\[2\]\.content'/,
  },
  {
    rule: "a result is text only",
    body: request([
      ask,
      calling("a"),
      { ...result("a"), content: [{ type: "image_url", image_url: { url: "https://a.b" } }] },
    ]),
    expect: /^Invalid value for 'messages\[2\]\.content\[0\]\.type': 'image_url'/,
  },
];
