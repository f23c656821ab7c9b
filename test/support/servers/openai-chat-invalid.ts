// For each rule of OpenAI Chat Completions a smallest body that breaks it, and nothing else.
import { ask, developer, request, system, text, user } from "./openai-chat-bodies.ts";
import { invalidOpenAIChatFields } from "./openai-chat-invalid-fields.ts";
import { invalidOpenAIChatTools } from "./openai-chat-invalid-tools.ts";
import type { OpenAIChatRules } from "./openai-chat-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const image = (image_url: unknown) => request([user({ type: "image_url", image_url })]);

export const invalidOpenAIChat: InvalidCase<OpenAIChatRules>[] = [
  ...invalidOpenAIChatFields,
  ...invalidOpenAIChatTools,
  { rule: "at least one message", body: request([]), expect: /^Invalid 'messages': empty array/ },
  {
    rule: "known roles",
    body: request([{ role: "model", content: "x" }]),
    expect: /^Invalid value for 'messages\[0\]\.role': 'model'\. Supported values are: 'system', 'developer'/,
  },
  {
    rule: "a role is there",
    body: request([{ content: "x" }]),
    expect: /^Missing required parameter: 'messages\[0\]\.role'/,
  },
  {
    rule: "no unknown fields on messages",
    body: request([{ ...ask, isMeta: true }]),
    expect: /^Unknown parameter: 'messages\[0\]\.isMeta'/,
  },
  {
    rule: "a speaker's name is plain",
    body: request([{ ...ask, name: "Ada Lovelace" }]),
    expect: /^Invalid 'messages\[0\]\.name': string does not match pattern/,
  },
  {
    rule: "the user says something",
    body: request([{ role: "user" }]),
    expect: /^Missing required parameter: 'messages\[0\]\.content'/,
  },
  {
    rule: "the user does not say null",
    body: request([{ role: "user", content: null }]),
    expect: /^Invalid type for 'messages\[0\]\.content': expected an array of objects, but got null/,
  },
  {
    rule: "parts are not none",
    body: request([user()]),
    expect: /^Invalid 'messages\[0\]\.content': empty array/,
  },
  {
    rule: "text parts are not empty",
    body: request([user(text("x"), text(""))]),
    expect: /^Invalid 'messages\[0\]\.content\[1\]\.text': empty string/,
  },
  {
    rule: "text parts have text",
    body: request([user({ type: "text" })]),
    expect: /^Missing required parameter: 'messages\[0\]\.content\[0\]\.text'/,
  },
  {
    rule: "known parts",
    body: request([user({ type: "input_text", text: "x" })]),
    expect: /^Invalid value for 'messages\[0\]\.content\[0\]\.type': 'input_text'/,
  },
  {
    rule: "no unknown fields on parts",
    body: request([user({ ...text("x"), cache_control: { type: "ephemeral" } })]),
    expect: /^Unknown parameter: 'messages\[0\]\.content\[0\]\.cache_control'/,
  },
  {
    rule: "system is text only",
    body: request([
      { role: "system", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] },
    ]),
    expect:
      /^Invalid value for 'messages\[0\]\.content\[0\]\.type': 'image_url'\. Supported values are: 'text'\./,
  },
  {
    rule: "images have an address",
    body: image({}),
    expect: /^Missing required parameter: 'messages\[0\]\.content\[0\]\.image_url\.url'/,
  },
  {
    rule: "an image's address is one",
    body: image({ url: "a.png" }),
    expect: /^Invalid 'messages\[0\]\.content\[0\]\.image_url\.url': string does not match pattern/,
  },
  {
    rule: "an image is an object",
    body: image("https://example.com/a.png"),
    expect:
      /^Invalid type for 'messages\[0\]\.content\[0\]\.image_url': expected an object, but got a string/,
  },
  {
    rule: "known sound",
    body: request([user({ type: "input_audio", input_audio: { data: "AAAA", format: "ogg" } })]),
    expect: /^Invalid value for 'messages\[0\]\.content\[0\]\.input_audio\.format': 'ogg'/,
  },
  {
    rule: "a file is there",
    body: request([user({ type: "file", file: {} })]),
    expect: /^Missing required parameter: 'messages\[0\]\.content\[0\]\.file\.file_id'/,
  },
  {
    rule: "a file's data has a name",
    body: request([user({ type: "file", file: { file_data: "AAAA" } })]),
    expect: /^Missing required parameter: 'messages\[0\]\.content\[0\]\.file\.filename'/,
  },
  {
    rule: "the assistant says or calls something",
    body: request([ask, { role: "assistant" }]),
    expect: /^Missing required parameter: 'messages\[1\]\.content'/,
  },
  {
    rule: "the assistant's null needs a call",
    body: request([ask, { role: "assistant", content: null }]),
    expect: /^Invalid value for 'messages\[1\]\.content': expected a string, got null/,
  },
  {
    rule: "no two system messages in a row",
    body: request([ask, system, system]),
    expect: /^Invalid 'messages\[2\]': no two system messages in a row/,
  },
  {
    rule: "developer counts as system",
    body: request([system, developer, ask]),
    expect: /^Invalid 'messages\[1\]': no two system messages in a row/,
  },
];
