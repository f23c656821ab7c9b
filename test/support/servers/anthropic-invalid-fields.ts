// For each rule about the request's fields and media a smallest Anthropic body that breaks it.
import { ask, assistant, request, text, user } from "./anthropic-bodies.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const image = (source: object) => request([user({ type: "image", source })]);
const cited = { type: "char_location", cited_text: "x" };

export const invalidAnthropicFields: InvalidCase<AnthropicRules>[] = [
  { rule: "a body is an object", body: [], expect: /^Input should be a valid dictionary/ },
  { rule: "model is there", body: request([ask], { model: undefined }), expect: /^model: Field required/ },
  { rule: "model is not empty", body: request([ask], { model: "" }), expect: /^model: String length/ },
  {
    rule: "max_tokens is there",
    body: request([ask], { max_tokens: undefined }),
    expect: /^max_tokens: Field required/,
  },
  {
    rule: "max_tokens is an integer",
    body: request([ask], { max_tokens: 1.5 }),
    expect: /^max_tokens: Input should be a valid integer/,
  },
  {
    rule: "max_tokens is not negative",
    body: request([ask], { max_tokens: -1 }),
    expect: /^max_tokens: Input should be greater than or equal to 0/,
  },
  {
    rule: "messages is there",
    body: request([], { messages: undefined }),
    expect: /^messages: Field required/,
  },
  {
    rule: "messages is a list",
    body: request([], { messages: "Hi" }),
    expect: /^messages: Input should be a valid list/,
  },
  {
    rule: "no unknown fields",
    body: request([ask], { reminders: [] }),
    expect: /^reminders: Extra inputs are not permitted/,
  },
  {
    rule: "temperature up to 1",
    body: request([ask], { temperature: 1.1 }),
    expect: /^temperature: Input should be less than or equal to 1/,
  },
  {
    rule: "no sampling in the second version",
    body: request([ask], { temperature: 1 }),
    rules: { version: "2026-10-21" },
    expect: /^temperature: Extra inputs are not permitted/,
  },
  {
    rule: "the user does not cite in the second version",
    body: request([user({ ...text("x"), citations: [cited] })]),
    rules: { version: "2026-10-21" },
    expect: /^messages\.0\.content\.0: `citations` can only be on/,
  },
  {
    rule: "the user's findings do not cite in the second version",
    body: request([
      user({
        type: "search_result",
        source: "x",
        title: "x",
        content: [{ ...text("x"), citations: [cited] }],
      }),
    ]),
    rules: { version: "2026-10-21" },
    expect: /^messages\.0\.content\.0: `citations` can only be on/,
  },
  {
    rule: "documents are the user's",
    body: request([ask, assistant({ type: "document", source: { type: "url", url: "https://a.b/c" } }), ask]),
    expect: /^messages\.1\.content\.0: `document` blocks can only be in `user` messages/,
  },
  {
    rule: "temperature is a number",
    body: request([ask], { temperature: "0" }),
    expect: /^temperature: Input should be a valid number/,
  },
  {
    rule: "stream is a boolean",
    body: request([ask], { stream: "yes" }),
    expect: /^stream: Input should be a valid boolean/,
  },
  {
    rule: "stop sequences are not blank",
    body: request([ask], { stop_sequences: ["\n"] }),
    expect: /^stop_sequences: each stop sequence must contain non-whitespace/,
  },
  {
    rule: "known thinking",
    body: request([ask], { thinking: { type: "on" } }),
    expect: /^thinking: Input tag 'on' found/,
  },
  {
    rule: "user_id is short",
    body: request([ask], { metadata: { user_id: "x".repeat(257) } }),
    expect: /^metadata\.user_id: String length should be at most 256/,
  },
  {
    rule: "system is a string or a list",
    body: request([ask], { system: { text: "x" } }),
    expect: /^system: Input should be a valid list/,
  },
  {
    rule: "system is text only",
    body: request([ask], { system: [{ type: "image", source: {} }] }),
    expect: /^system\.0: Input tag 'image' found using 'type'/,
  },
  {
    rule: "system text is not empty",
    body: request([ask], { system: [text("")] }),
    expect: /^system\.0: text content blocks must be non-empty/,
  },
  {
    rule: "images of four types",
    body: image({ type: "base64", media_type: "image/bmp", data: "AAAA" }),
    expect: /^messages\.0\.content\.0\.image\.source\.base64\.media_type: Input should be 'image\/jpeg'/,
  },
  {
    rule: "images have data",
    body: image({ type: "base64", media_type: "image/png", data: "" }),
    expect: /^messages\.0\.content\.0\.image\.source\.base64\.data: String length should be at least 1/,
  },
  {
    rule: "image data is base64",
    body: image({ type: "base64", media_type: "image/png", data: "data:image/png;base64,AAAA" }),
    expect: /^messages\.0\.content\.0\.image\.source\.base64\.data: String should match pattern/,
  },
  {
    rule: "images have a source",
    body: request([user({ type: "image" })]),
    expect: /^messages\.0\.content\.0\.image\.source: Field required/,
  },
  {
    rule: "images are the user's",
    body: request([
      ask,
      assistant({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
      ask,
    ]),
    expect: /^messages\.1\.content\.0: `image` blocks can only be in `user` messages/,
  },
  {
    rule: "documents have a source",
    body: request([user({ type: "document", title: "x" })]),
    expect: /^messages\.0\.content\.0\.document\.source: Field required/,
  },
];
