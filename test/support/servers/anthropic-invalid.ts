// For each rule of the Anthropic Messages API a smallest body that breaks it, and nothing else.
import { ask, assistant, request, system, text, user } from "./anthropic-bodies.ts";
import { invalidAnthropicCache } from "./anthropic-invalid-cache.ts";
import { invalidAnthropicFields } from "./anthropic-invalid-fields.ts";
import { invalidAnthropicThinking } from "./anthropic-invalid-thinking.ts";
import { invalidAnthropicTools } from "./anthropic-invalid-tools.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const rules = { midConversationSystem: true };

export const invalidAnthropic: InvalidCase<AnthropicRules>[] = [
  ...invalidAnthropicFields,
  ...invalidAnthropicCache,
  ...invalidAnthropicTools,
  ...invalidAnthropicThinking,
  { rule: "at least one message", body: request([]), expect: /^messages: at least one message/ },
  {
    rule: "the user speaks first",
    body: request([{ role: "assistant", content: "Hi" }, ask]),
    expect: /^messages: first message must use the "user" role/,
  },
  {
    rule: "known roles",
    body: request([ask, { role: "tool", content: "x" }]),
    expect: /^messages\.1\.role: Input should be 'user', 'assistant' or 'system'/,
  },
  {
    rule: "a message is role and content only",
    body: request([{ ...ask, name: "me" }]),
    expect: /^messages\.0\.name: Extra inputs are not permitted/,
  },
  {
    rule: "content is there",
    body: request([{ role: "user" }]),
    expect: /^messages\.0\.content: Field required/,
  },
  {
    rule: "content is a string or a list",
    body: request([{ role: "user", content: { type: "text", text: "x" } }]),
    expect: /^messages\.0\.content: Input should be a valid list/,
  },
  {
    rule: "content string is not empty",
    body: request([{ role: "user", content: "" }]),
    expect: /^messages\.0: all messages must have non-empty content/,
  },
  {
    rule: "content list is not empty",
    body: request([ask, assistant(), ask]),
    expect: /^messages\.1: all messages must have non-empty content/,
  },
  {
    rule: "content string is not blank",
    body: request([{ role: "user", content: " \n" }]),
    expect: /^messages\.0\.content\.0: text content blocks must contain non-whitespace/,
  },
  {
    rule: "text block is not empty",
    body: request([user(text(""))]),
    expect: /^messages\.0\.content\.0: text content blocks must be non-empty/,
  },
  {
    rule: "text block is not blank",
    body: request([user(text("x"), text("\t"))]),
    expect: /^messages\.0\.content\.1: text content blocks must contain non-whitespace/,
  },
  {
    rule: "known block types",
    body: request([user({ type: "image_url" })]),
    expect: /^messages\.0\.content\.0: Input tag 'image_url' found using 'type'/,
  },
  {
    rule: "a block has a type",
    body: request([user({ text: "x" })]),
    expect: /^messages\.0\.content\.0\.type: Field required/,
  },
  {
    rule: "a block is an object",
    body: request([user("x")]),
    expect: /^messages\.0\.content\.0: Input should be a valid dictionary/,
  },
  {
    rule: "no unknown fields on blocks",
    body: request([user({ ...text("x"), isMeta: true })]),
    expect: /^messages\.0\.content\.0\.text\.isMeta: Extra inputs are not permitted/,
  },
  {
    rule: "no role system where the model has none",
    body: request([ask, system(text("x"))]),
    expect: /^messages: Unexpected role "system"/,
  },
  {
    rule: "role system is never first",
    body: request([system(text("x")), assistant(text("x")), ask]),
    rules,
    expect: /^messages: first message must use the "user" role/,
  },
  {
    rule: "role system follows the user",
    body: request([ask, assistant(text("x")), system(text("x"))]),
    rules,
    expect: /^messages\.2: role 'system' must follow a 'user' message/,
  },
  {
    rule: "role system is last or before the assistant",
    body: request([ask, system(text("x")), ask]),
    rules,
    expect: /^messages\.1: role 'system' must precede an 'assistant' message or end the array/,
  },
  {
    rule: "no role system twice in a row",
    body: request([ask, system(text("x")), system(text("y"))]),
    rules,
    expect: /^messages\.2: role 'system' must follow a 'user' message/,
  },
  {
    rule: "role system is text only",
    body: request([
      ask,
      system({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
    ]),
    rules,
    expect: /^messages\.1\.content\.0: `image` blocks can only be in `user` messages/,
  },
  {
    rule: "a prefill does not end in white space",
    body: request([ask, { role: "assistant", content: "The answer is " }]),
    expect: /^messages: final assistant content cannot end with trailing whitespace/,
  },
  {
    rule: "a prefill block does not end in white space",
    body: request([ask, assistant(text("a"), text("b\n"))]),
    expect: /^messages: final assistant content cannot end with trailing whitespace/,
  },
];
