// For each rule about calls and tools a smallest OpenAI Responses body that breaks it.
import { ask, call, output, reasoning, request, tool } from "./openai-responses-bodies.ts";
import type { OpenAIResponsesRules } from "./openai-responses-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const custom = { type: "custom_tool_call", call_id: "a", name: "sh", input: "ls" };

export const invalidOpenAIResponsesTools: InvalidCase<OpenAIResponsesRules>[] = [
  {
    rule: "a call has its output",
    body: request([ask, call("a")]),
    expect: /^No tool output found for function call a\.$/,
  },
  {
    rule: "each call has its output",
    body: request([ask, call("a"), call("b"), output("a"), ask]),
    expect: /^No tool output found for function call b\.$/,
  },
  {
    rule: "an output has its call",
    body: request([ask, output("a")]),
    expect: /^No tool call found for function call output with call_id a\.$/,
  },
  {
    rule: "an output is behind its call",
    body: request([ask, output("a"), call("a")]),
    expect: [/^No tool call found for function call output with call_id a/, /^No tool output found/],
  },
  {
    rule: "an output comes once",
    body: request([ask, call("a"), output("a"), output("a")]),
    expect: /^Duplicate function_call_output for call_id 'a'/,
  },
  {
    rule: "a custom tool's call has its output",
    body: request([ask, custom]),
    expect: /^No tool output found for custom tool call a\.$/,
  },
  {
    rule: "a custom tool's output has its call",
    body: request([ask, { type: "custom_tool_call_output", call_id: "a", output: "x" }]),
    expect: /^No tool call found for custom tool call output with call_id a\.$/,
  },
  {
    rule: "a call has an id of its own",
    body: request([ask, call("a", { call_id: undefined })]),
    expect: /^Missing required parameter: 'input\[1\]\.call_id'/,
  },
  {
    rule: "a call's id is not empty",
    body: request([ask, call("")]),
    expect: /^Invalid 'input\[1\]\.call_id': empty string/,
  },
  {
    rule: "a call's id is short",
    body: request([ask, call("a".repeat(65))]),
    expect: /^Invalid 'input\[1\]\.call_id': string too long\. Expected a string with maximum length 64/,
  },
  {
    rule: "a call's item id is no call id",
    body: request([ask, call("a", { id: "call_1" }), output("a")]),
    expect: /^Invalid 'input\[1\]\.id': 'call_1'\. Expected an ID that begins with 'fc'/,
  },
  {
    rule: "arguments are a string",
    body: request([ask, call("a", { arguments: {} }), output("a")]),
    expect: /^Invalid type for 'input\[1\]\.arguments': expected a string, but got an object/,
  },
  {
    rule: "what an SDK adds to a call is not sent back",
    body: request([ask, call("a", { parsed_arguments: null }), output("a")]),
    expect: /^Unknown parameter: 'input\[1\]\.parsed_arguments'/,
  },
  {
    rule: "an output is there",
    body: request([ask, call("a"), output("a", { output: undefined })]),
    expect: /^Missing required parameter: 'input\[2\]\.output'/,
  },
  {
    rule: "an output is text or parts",
    body: request([ask, call("a"), output("a", { output: { temperature: 20 } })]),
    expect: /^Invalid type for 'input\[2\]\.output': expected an array of objects, but got an object/,
  },
  {
    rule: "an output's parts are put in",
    body: request([ask, call("a"), output("a", { output: [{ type: "output_text", text: "x" }] })]),
    expect: /^Invalid value for 'input\[2\]\.output\[0\]\.type': 'output_text'/,
  },
  {
    rule: "an output does not part reasoning from its call",
    body: request([ask, call("a"), reasoning("rs_1"), output("a"), call("b"), output("b")]),
    expect: /^Item 'rs_1' of type 'reasoning' was provided without its required following item/,
  },
  {
    rule: "known tools",
    body: request([ask], { tools: [{ type: "bash" }] }),
    expect: /^Invalid value for 'tools\[0\]\.type': 'bash'/,
  },
  {
    rule: "a tool's name is not inside a function",
    body: request([ask], { tools: [{ type: "function", function: { name: "a" } }] }),
    expect: [/^Missing required parameter: 'tools\[0\]\.name'/, /^Unknown parameter: 'tools\[0\]\.function'/],
  },
  {
    rule: "a tool's name is short",
    body: request([ask], { tools: [{ type: "function", name: "a".repeat(65) }] }),
    expect: /^Invalid 'tools\[0\]\.name': string too long/,
  },
  {
    rule: "a tool's name is plain",
    body: request([ask], { tools: [{ type: "function", name: "get weather" }] }),
    expect: /^Invalid 'tools\[0\]\.name': string does not match pattern/,
  },
  {
    rule: "a tool takes an object",
    body: request([ask], { tools: [{ type: "function", name: "a", parameters: [] }] }),
    expect: /^Invalid type for 'tools\[0\]\.parameters': expected an object, but got an array/,
  },
  {
    rule: "tool names are unique",
    body: request([ask], { tools: [tool, tool] }),
    expect: /^Invalid 'tools': duplicate function name 'get_weather'/,
  },
  {
    rule: "128 tools",
    body: request([ask], {
      tools: Array.from({ length: 129 }, (_, at) => ({ type: "function", name: `tool_${at}` })),
    }),
    expect: /^Invalid 'tools': array too long/,
  },
  {
    rule: "known choices",
    body: request([ask], { tools: [tool], tool_choice: "any" }),
    expect: /^Invalid value for 'tool_choice': 'any'/,
  },
  {
    rule: "nothing is required without tools",
    body: request([ask], { tool_choice: "required" }),
    expect: /^Tool choice 'required' must be specified with 'tools' parameter/,
  },
  {
    rule: "a chosen tool is there",
    body: request([ask], { tools: [tool], tool_choice: { type: "function", name: "other" } }),
    expect: /^Tool choice 'other' not found in 'tools' parameter/,
  },
];
