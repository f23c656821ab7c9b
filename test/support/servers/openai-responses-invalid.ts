// For each rule of OpenAI Responses a smallest body that breaks it, and nothing else.
import { answer, ask, reasoning, request, text, user } from "./openai-responses-bodies.ts";
import { invalidOpenAIResponsesFields } from "./openai-responses-invalid-fields.ts";
import { invalidOpenAIResponsesTools } from "./openai-responses-invalid-tools.ts";
import type { OpenAIResponsesRules } from "./openai-responses-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const message = (fields: object) => request([{ ...ask, ...fields }]);

export const invalidOpenAIResponses: InvalidCase<OpenAIResponsesRules>[] = [
  ...invalidOpenAIResponsesFields,
  ...invalidOpenAIResponsesTools,
  {
    rule: "something is asked",
    body: { model: "gpt-test" },
    expect: /^One of "input" or "previous_response_id"/,
  },
  {
    rule: "input is not an empty list",
    body: request([]),
    expect: /^One of "input" or "previous_response_id"/,
  },
  {
    rule: "input is a list or a string",
    body: request(ask),
    expect: /^Invalid type for 'input': expected an array/,
  },
  {
    rule: "known roles",
    body: message({ role: "tool" }),
    expect: /^Invalid value for 'input\[0\]\.role': 'tool'\. Supported values are: 'user', 'system'/,
  },
  {
    rule: "a role is there",
    body: request([{ content: "x" }]),
    expect: /^Missing required parameter: 'input\[0\]\.role'/,
  },
  {
    rule: "known items",
    body: request([{ type: "tool_use", id: "a" }]),
    expect:
      /^Invalid value for 'input\[0\]\.type': 'tool_use'\. Supported values are: 'message', 'function_call'/,
  },
  {
    rule: "an item is an object",
    body: request(["x"]),
    expect: /^Invalid type for 'input\[0\]': expected an object/,
  },
  {
    rule: "no unknown fields on messages",
    body: message({ name: "ada" }),
    expect: /^Unknown parameter: 'input\[0\]\.name'/,
  },
  {
    rule: "the user says something",
    body: request([{ role: "user" }]),
    expect: /^Missing required parameter: 'input\[0\]\.content'/,
  },
  {
    rule: "the user does not say null",
    body: message({ content: null }),
    expect: /^Invalid type for 'input\[0\]\.content': expected an array of objects, but got null/,
  },
  {
    rule: "parts are not none",
    body: request([user()]),
    expect: /^Invalid 'input\[0\]\.content': empty array/,
  },
  {
    rule: "the parts are this API's",
    body: request([user({ type: "text", text: "x" })]),
    expect:
      /^Invalid value for 'input\[0\]\.content\[0\]\.type': 'text'\. Supported values are: 'input_text'/,
  },
  {
    rule: "no unknown fields on parts",
    body: request([user({ ...text("x"), cache_control: {} })]),
    expect: /^Unknown parameter: 'input\[0\]\.content\[0\]\.cache_control'/,
  },
  {
    rule: "text parts have text",
    body: request([user({ type: "input_text" })]),
    expect: /^Missing required parameter: 'input\[0\]\.content\[0\]\.text'/,
  },
  {
    rule: "the user does not put out",
    body: request([user({ type: "output_text", text: "x" })]),
    expect: /^Invalid value for 'input\[0\]\.content\[0\]\.type': 'output_text'/,
  },
  {
    rule: "the assistant does not put in",
    body: request([ask, { role: "assistant", content: [text("x")] }]),
    expect: /'input_text'\. Supported values are: 'output_text', 'refusal'/,
  },
  {
    rule: "a picture is somewhere",
    body: request([user({ type: "input_image" })]),
    expect: /^Missing required parameter: 'input\[0\]\.content\[0\]\.image_url'/,
  },
  {
    rule: "a picture's address is one",
    body: request([user({ type: "input_image", image_url: "a.png" })]),
    expect: /^Invalid 'input\[0\]\.content\[0\]\.image_url': string does not match pattern/,
  },
  {
    rule: "a file is somewhere",
    body: request([user({ type: "input_file", filename: "a.pdf" })]),
    expect: /^Missing required parameter: 'input\[0\]\.content\[0\]\.file_id'/,
  },
  {
    rule: "a message's id is one of a message",
    body: request([{ ...answer, id: "rs_1" }]),
    expect: /^Invalid 'input\[0\]\.id': 'rs_1'\. Expected an ID that begins with 'msg'/,
  },
  {
    rule: "ids are plain",
    body: request([{ ...answer, id: "msg 1" }]),
    expect: /^Invalid 'input\[0\]\.id': 'msg 1'\. Expected an ID that contains letters/,
  },
  {
    rule: "ids are not empty",
    body: request([{ ...answer, id: "" }]),
    expect: /^Invalid 'input\[0\]\.id': ''/,
  },
  {
    rule: "ids are short",
    body: request([{ ...answer, id: `msg_${"a".repeat(61)}` }]),
    expect: /^Invalid 'input\[0\]\.id': string too long\. Expected a string with maximum length 64/,
  },
  {
    rule: "ids are unique",
    body: request([
      { ...answer, id: "msg_1" },
      { ...answer, id: "msg_1" },
    ]),
    expect: /^Duplicate item found with id msg_1\./,
  },
  {
    rule: "what is referred to is kept",
    body: request([ask, { type: "item_reference", id: "msg_1" }]),
    expect: /^Item with id 'msg_1' not found\.$/,
  },
  {
    rule: "what is referred to is not forgotten",
    body: request([ask, { type: "item_reference", id: "msg_1" }], { store: false }),
    expect: /^Item with id 'msg_1' not found\. Items are not persisted when `store` is set to false/,
  },
  {
    rule: "reasoning has a summary",
    body: request([ask, reasoning("rs_1", { summary: undefined }), answer]),
    expect: /^Missing required parameter: 'input\[1\]\.summary'/,
  },
  {
    rule: "reasoning without content is kept",
    body: request([ask, reasoning("rs_1", { encrypted_content: null }), answer]),
    expect: /^Item with id 'rs_1' not found/,
  },
  {
    rule: "reasoning is not last",
    body: request([ask, reasoning("rs_1")]),
    expect: /^Item 'rs_1' of type 'reasoning' was provided without its required following item/,
  },
  {
    rule: "nobody speaks between reasoning and what follows",
    body: request([ask, reasoning("rs_1"), ask, answer]),
    expect: /^Item 'rs_1' of type 'reasoning' was provided without its required following item/,
  },
];
