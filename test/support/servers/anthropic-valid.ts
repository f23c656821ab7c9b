// Bodies that the Anthropic Messages API takes: what the rules must never refuse.
import {
  ask,
  assistant,
  call,
  ephemeral,
  request,
  result,
  system,
  text,
  thinking,
  thought,
  tool,
  user,
} from "./anthropic-bodies.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import type { ValidCase } from "./rule-case.ts";

const rules = { midConversationSystem: true };
const tools = [tool];
const marked = (value: string) => ({ ...text(value), cache_control: { type: "ephemeral", ttl: "5m" } });
const base64 = { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" };
const image = { type: "image", source: base64 };
const search = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
];
const loop = [ask, assistant(text("I look it up."), call("a")), user(result("a"))];

export const validAnthropic: ValidCase<AnthropicRules>[] = [
  { what: "a string", body: request([ask]) },
  { what: "blocks", body: request([user(text("a"), text("b"))]) },
  { what: "a conversation", body: request([ask, { role: "assistant", content: "Sunny." }, ask]) },
  { what: "two of the user's messages in a row", body: request([ask, ask]) },
  {
    what: "two of the assistant's messages in a row",
    body: request([ask, assistant(text("a")), assistant(text("b")), ask]),
  },
  { what: "system as a string", body: request([ask], { system: "Be brief." }) },
  { what: "system as blocks", body: request([ask], { system: [text("Be brief."), marked("Be kind.")] }) },
  { what: "a tool loop", body: request(loop, { tools }) },
  {
    what: "a reminder behind a result, in its message",
    body: request([ask, assistant(call("a")), user(result("a"), text("x"))], { tools }),
  },
  {
    what: "a reminder behind a result, in a message of its own",
    body: request([...loop, user(text("x"))], { tools }),
  },
  {
    what: "parallel calls, results in another order",
    body: request([ask, assistant(call("a"), call("b")), user(result("b"), result("a"), text("x"))], {
      tools,
    }),
  },
  {
    what: "parallel calls and results over several messages",
    body: request([ask, assistant(call("a")), assistant(call("b")), user(result("a")), user(result("b"))], {
      tools,
    }),
  },
  { what: "a long tool loop", body: request([...loop, assistant(call("b")), user(result("b"))], { tools }) },
  {
    what: "results of every kind",
    body: request(
      [
        ask,
        assistant(call("a"), call("b"), call("c"), call("d")),
        user(
          { type: "tool_result", tool_use_id: "a" },
          { ...result("b"), content: "" },
          { ...result("c"), content: [text("x"), image], is_error: true },
          { ...result("d"), content: "failed", is_error: true, cache_control: ephemeral },
        ),
      ],
      { tools },
    ),
  },
  {
    what: "calls as the model wrote them",
    body: request([ask, assistant({ ...call("a"), caller: { type: "direct" } }), user(result("a"))], {
      tools,
    }),
  },
  {
    what: "images",
    body: request([
      user(image, { type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
    ]),
  },
  {
    what: "documents",
    body: request([
      user(
        { type: "document", source: { type: "text", media_type: "text/plain", data: "x" }, title: "x" },
        text("Sum it up."),
      ),
    ]),
  },
  { what: "a prefill", body: request([ask, { role: "assistant", content: "The answer is" }]) },
  { what: "an empty prefill", body: request([ask, { role: "assistant", content: "" }]) },
  { what: "a prefill as a block", body: request([ask, assistant(text("{"))]) },
  {
    what: "white space at the end of an earlier answer",
    body: request([ask, { role: "assistant", content: "x\n" }, ask]),
  },
  { what: "thinking", body: request([ask], { thinking }) },
  {
    what: "thinking in a tool loop",
    body: request([ask, assistant(thought, call("a")), user(result("a"))], { thinking, tools }),
  },
  {
    what: "thinking once, in the first turn of a long tool loop",
    body: request(
      [ask, assistant(thought, call("a")), user(result("a")), assistant(call("b")), user(result("b"))],
      { thinking, tools },
    ),
  },
  {
    what: "thinking dropped from an answer that is done",
    body: request([...loop, assistant(text("Sunny.")), ask], { thinking, tools }),
  },
  {
    what: "redacted thinking",
    body: request([ask, assistant({ type: "redacted_thinking", data: "eA==" }, text("x")), ask], {
      thinking,
    }),
  },
  {
    what: "thinking left out by an adaptive model",
    body: request(loop, { thinking: { type: "adaptive" }, tools }),
  },
  { what: "earlier thinking with thinking off", body: request([ask, assistant(thought, text("x")), ask]) },
  {
    what: "four breakpoints",
    body: request([user(marked("a"), marked("b"))], {
      system: [marked("c")],
      tools: [{ ...tool, cache_control: { type: "ephemeral", ttl: "1h" } }],
    }),
  },
  {
    what: "no breakpoint, spelled out",
    body: request([user({ ...text("x"), cache_control: null })], { cache_control: ephemeral }),
  },
  {
    what: "the provider's own tools",
    body: request([ask], { tools: [{ type: "bash_20250124", name: "bash" }, tool] }),
  },
  { what: "a search by the provider", body: request([ask, assistant(...search, text("Sunny.")), ask]) },
  {
    what: "a turn that the provider paused",
    body: request([ask, assistant(...search)], { thinking: { type: "adaptive" } }),
  },
  {
    what: "role system behind a turn that the provider paused",
    body: request([ask, assistant(...search), system(text("x"))]),
    rules,
  },
  {
    what: "a chosen tool",
    body: request([ask], { tools, tool_choice: { type: "tool", name: "get_weather" } }),
  },
  {
    what: "all settings",
    body: request([ask], {
      ...{ temperature: 0, top_p: 1, top_k: 0, stop_sequences: ["END"], stream: true, service_tier: "auto" },
      ...{ metadata: { user_id: "x" }, output_config: { effort: "low" } },
    }),
  },
  {
    what: "the model's citations, sent back in the second version",
    body: request([
      ask,
      assistant({ ...text("x"), citations: [{ type: "char_location" }] }),
      user({ ...text("x"), citations: null }),
    ]),
    rules: { version: "2026-10-21" },
  },
  { what: "role system at the end", body: request([ask, system(text("x"))], {}), rules },
  { what: "role system as a string", body: request([ask, { role: "system", content: "x" }]), rules },
  { what: "role system behind a result", body: request([...loop, system(text("x"))], { tools }), rules },
  {
    what: "role system before the assistant",
    body: request([ask, system(text("x")), assistant(text("y")), ask]),
    rules,
  },
];
