// For each rule about the request's fields a smallest OpenAI Responses body that breaks it.
import { ask, request } from "./openai-responses-bodies.ts";
import type { OpenAIResponsesRules } from "./openai-responses-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

export const invalidOpenAIResponsesFields: InvalidCase<OpenAIResponsesRules>[] = [
  { rule: "a body is an object", body: null, expect: /expected an object, but got null/ },
  {
    rule: "model is there",
    body: request([ask], { model: undefined }),
    expect: /^Missing required parameter: 'model'/,
  },
  {
    rule: "no unknown fields",
    body: request([ask], { reminders: [] }),
    expect: /^Unknown parameter: 'reminders'\.$/,
  },
  {
    rule: "no unknown fields of items",
    body: request([{ ...ask, internal_chat_message_metadata_passthrough: { turn_id: "t" } }]),
    expect: /^Unknown parameter: 'input\[0\]\.internal_chat_message_metadata_passthrough'\.$/,
  },
  {
    rule: "input is not called messages",
    body: request([ask], { messages: [ask] }),
    expect: /^Unknown parameter: 'messages'\.$/,
  },
  {
    rule: "max_output_tokens is not called max_tokens",
    body: request([ask], { max_tokens: 100 }),
    expect: /^Unknown parameter: 'max_tokens'\.$/,
  },
  {
    rule: "max_output_tokens from 16",
    body: request([ask], { max_output_tokens: 15 }),
    expect: /^Invalid 'max_output_tokens': value below minimum value\. Expected a value >= 16/,
  },
  {
    rule: "temperature up to 2",
    body: request([ask], { temperature: 2.1 }),
    expect: /^Invalid 'temperature': value above maximum value/,
  },
  { rule: "top_p up to 1", body: request([ask], { top_p: 1.5 }), expect: /^Invalid 'top_p': value above/ },
  {
    rule: "instructions are a string",
    body: request([ask], { instructions: [] }),
    expect: /^Invalid type for 'instructions': expected a string, but got an array/,
  },
  {
    rule: "store is a boolean",
    body: request([ask], { store: "yes" }),
    expect: /^Invalid type for 'store': expected a boolean/,
  },
  {
    rule: "stream is a boolean",
    body: request([ask], { stream: 1 }),
    expect: /^Invalid type for 'stream': expected a boolean/,
  },
  {
    rule: "stream options only with a stream",
    body: request([ask], { stream_options: { include_obfuscation: false } }),
    expect: /^The 'stream_options' parameter is only allowed when 'stream' is enabled/,
  },
  {
    rule: "usage need not be asked for",
    body: request([ask], { stream: true, stream_options: { include_usage: true } }),
    expect: /^Unknown parameter: 'stream_options\.include_usage'/,
  },
  {
    rule: "known things to include",
    body: request([ask], { include: ["usage"] }),
    expect: /^Invalid value for 'include\[0\]': 'usage'/,
  },
  {
    rule: "known efforts",
    body: request([ask], { reasoning: { effort: "huge" } }),
    expect: /^Invalid value for 'reasoning\.effort': 'huge'/,
  },
  {
    rule: "known formats",
    body: request([ask], { text: { format: { type: "xml" } } }),
    expect: /^Invalid value for 'text\.format\.type': 'xml'/,
  },
  {
    rule: "a schema has a name",
    body: request([ask], { text: { format: { type: "json_schema", schema: {} } } }),
    expect: /^Missing required parameter: 'text\.format\.name'/,
  },
  {
    rule: "a previous response is one",
    body: request([ask], { previous_response_id: "chatcmpl-1" }),
    expect: /^Invalid 'previous_response_id': 'chatcmpl-1'\. Expected an ID that begins with 'resp'/,
  },
  {
    rule: "a previous response is known",
    body: request([ask], { previous_response_id: "resp_1" }),
    expect: /^Previous response with id 'resp_1' not found\.$/,
  },
  {
    rule: "one memory at a time",
    body: request([ask], { previous_response_id: "resp_1", conversation: "conv_1" }),
    expect: /^Mutually exclusive parameters/,
  },
  {
    rule: "a conversation is known",
    body: request([ask], { conversation: { id: "conv_1" } }),
    expect: /^Conversation with id 'conv_1' not found\.$/,
  },
];
