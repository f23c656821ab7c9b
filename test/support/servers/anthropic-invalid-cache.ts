// For each rule about cache breakpoints a smallest Anthropic body that breaks it, and nothing else.
import { ask, assistant, call, ephemeral, request, result, text, tool, user } from "./anthropic-bodies.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const marked = (value: string) => ({ ...text(value), cache_control: ephemeral });
const lasting = { ...text("x"), cache_control: { type: "ephemeral", ttl: "1h" } };

export const invalidAnthropicCache: InvalidCase<AnthropicRules>[] = [
  {
    rule: "four breakpoints in a request",
    body: request([user(marked("a"), marked("b"))], {
      system: [marked("x")],
      tools: [{ ...tool, cache_control: ephemeral }],
      cache_control: ephemeral,
    }),
    expect: /^A maximum of 4 blocks with cache_control may be provided\. Found 5\./,
  },
  {
    rule: "breakpoints in results count",
    body: request([
      user(marked("a"), marked("b"), marked("c")),
      assistant({ ...call("a"), cache_control: ephemeral }),
      user({ ...result("a"), content: [marked("d")] }),
    ]),
    expect: /Found 5\./,
  },
  {
    rule: "known breakpoints",
    body: request([user({ ...text("x"), cache_control: { type: "forever" } })]),
    expect: /^messages\.0\.content\.0\.text\.cache_control: Input tag 'forever' found/,
  },
  {
    rule: "known lifetimes",
    body: request([user({ ...text("x"), cache_control: { type: "ephemeral", ttl: "1d" } })]),
    expect: /^messages\.0\.content\.0\.text\.cache_control\.ephemeral\.ttl: Input should be '5m' or '1h'/,
  },
  {
    rule: "no other field on a breakpoint",
    body: request([user({ ...text("x"), cache_control: { type: "ephemeral", scope: "org" } })]),
    expect: /^messages\.0\.content\.0\.text\.cache_control\.ephemeral\.scope: Extra inputs/,
  },
  {
    rule: "no breakpoint on empty text",
    body: request([user(text("x"), marked(""))]),
    expect: /^messages\.0\.content\.1\.text: cache_control cannot be set for empty text blocks/,
  },
  {
    rule: "no breakpoint on empty system text",
    body: request([ask], { system: [marked("")] }),
    expect: /^system\.0\.text: cache_control cannot be set for empty text blocks/,
  },
  {
    rule: "long-lived breakpoints come first",
    body: request([user(lasting)], { system: [marked("x")] }),
    expect:
      /^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'/,
  },
];
