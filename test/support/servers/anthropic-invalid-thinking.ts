// For each rule about thinking a smallest Anthropic body that breaks it, and nothing else.
import {
  ask,
  assistant,
  call,
  request,
  result,
  text,
  thinking,
  thought,
  tool,
  user,
} from "./anthropic-bodies.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { InvalidCase } from "./rule-case.ts";

const answered = (...content: unknown[]) => [ask, assistant(call("a")), user(...content)];
const bare = { type: "thinking", thinking: "Hm." };

export const invalidAnthropicThinking: InvalidCase<AnthropicRules>[] = [
  {
    rule: "thinking is signed",
    body: request([ask, assistant(bare, text("x")), ask]),
    expect: /^messages\.1\.content\.0\.thinking\.signature: Field required/,
  },
  {
    rule: "a signature is not empty",
    body: request([ask, assistant({ ...bare, signature: "" }, text("x")), ask]),
    expect: /^messages\.1\.content\.0\.thinking\.signature: String length should be at least 1/,
  },
  {
    rule: "no breakpoint on thinking",
    body: request([ask, assistant({ ...thought, cache_control: { type: "ephemeral" } }, text("x")), ask]),
    expect: /^messages\.1\.content\.0\.thinking\.cache_control: Extra inputs are not permitted/,
  },
  {
    rule: "thinking is first in its turn",
    body: request([ask, assistant(text("x"), thought, text("y")), ask], { thinking }),
    expect:
      /^messages\.1\.content\.0: If an assistant message contains any thinking blocks, the first block must be/,
  },
  {
    rule: "thinking is not last in its turn",
    body: request([ask, assistant(text("x"), thought), ask]),
    expect: /^messages\.1: The final block in an assistant message cannot be `thinking`/,
  },
  {
    rule: "thinking is kept through a tool loop",
    body: request(answered(result("a")), { thinking }),
    expect:
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
  },
  {
    rule: "thinking is kept through a long tool loop",
    body: request([...answered(result("a"), text("x")), assistant(thought, call("b")), user(result("b"))], {
      thinking,
    }),
    expect: /^messages\.1\.content\.0\.type: Expected `thinking`/,
  },
  {
    rule: "no prefill with thinking",
    body: request([ask, { role: "assistant", content: "The" }], { thinking }),
    expect: /^messages: assistant message prefill is not supported when thinking is enabled/,
  },
  {
    rule: "room for more than thinking",
    body: request([ask], { thinking, max_tokens: 1024 }),
    expect: /^max_tokens: `max_tokens` must be greater than `thinking\.budget_tokens`/,
  },
  {
    rule: "enough room for thinking",
    body: request([ask], { thinking: { type: "enabled", budget_tokens: 1023 } }),
    expect: /^thinking\.enabled\.budget_tokens: Input should be greater than or equal to 1024/,
  },
  {
    rule: "no forced tool with thinking",
    body: request([ask], { thinking, tools: [tool], tool_choice: { type: "any" } }),
    expect: /^tool_choice: Thinking may not be enabled when tool_choice forces tool use/,
  },
  {
    rule: "temperature 1 with thinking",
    body: request([ask], { thinking: { type: "adaptive" }, temperature: 0 }),
    expect: /^temperature: `temperature` may only be set to 1 when thinking is enabled/,
  },
  {
    rule: "high top_p with thinking",
    body: request([ask], { thinking, top_p: 0.5 }),
    expect: /^top_p: /,
  },
  { rule: "no top_k with thinking", body: request([ask], { thinking, top_k: 5 }), expect: /^top_k: / },
];
