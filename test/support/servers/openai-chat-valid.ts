// Bodies that the OpenAI Chat Completions API takes: what the rules must never refuse.
import {
  ask,
  call,
  calling,
  developer,
  request,
  result,
  system,
  text,
  tool,
  user,
} from "./openai-chat-bodies.ts";
import type { OpenAIChatRules } from "./openai-chat-rules.ts";
import type { ValidCase } from "./rule-case.ts";

const tools = [tool];
const image = (url: string) => ({ type: "image_url", image_url: { url, detail: "low" } });

export const validOpenAIChat: ValidCase<OpenAIChatRules>[] = [
  { what: "a string", body: request([ask]) },
  { what: "parts", body: request([user(text("a"), text("b"))]) },
  { what: "an empty string", body: request([{ role: "user", content: "" }]) },
  { what: "a system message", body: request([system, ask]) },
  { what: "a developer message in the middle", body: request([system, ask, developer]) },
  { what: "system as parts", body: request([{ role: "system", content: [text("x")] }, ask]) },
  { what: "a named user", body: request([{ ...ask, name: "ada" }]) },
  { what: "two of the user's messages in a row", body: request([ask, ask]) },
  { what: "the assistant first", body: request([{ role: "assistant", content: "Hi." }, ask]) },
  { what: "a conversation", body: request([system, ask, { role: "assistant", content: "Sunny." }, ask]) },
  { what: "an empty answer", body: request([ask, { role: "assistant", content: "" }, ask]) },
  { what: "an answer as parts", body: request([ask, { role: "assistant", content: [text("x")] }]) },
  { what: "a refusal", body: request([ask, { role: "assistant", content: null, refusal: "No." }, ask]) },
  {
    what: "an answer as the model wrote it",
    body: request([ask, { role: "assistant", content: "x", refusal: null, annotations: [] }, ask]),
  },
  { what: "a tool loop", body: request([ask, calling("a"), result("a")], { tools }) },
  {
    what: "a call without content",
    body: request([ask, { role: "assistant", tool_calls: [call("a")] }, result("a")], { tools }),
  },
  {
    what: "a call with empty content",
    body: request([ask, { ...calling("a"), content: "" }, result("a")], { tools }),
  },
  {
    what: "a call with text",
    body: request([ask, { ...calling("a"), content: "I look it up." }, result("a")], { tools }),
  },
  {
    what: "parallel calls, results in another order",
    body: request([ask, calling("a", "b"), result("b"), result("a")], { tools }),
  },
  {
    what: "a reminder behind a result",
    body: request([ask, calling("a"), result("a"), user(text("x"))], { tools }),
  },
  {
    what: "a developer message behind a result",
    body: request([ask, calling("a"), result("a"), developer], { tools }),
  },
  {
    what: "a long tool loop",
    body: request(
      [ask, calling("a"), result("a"), calling("b"), result("b"), { role: "assistant", content: "x" }],
      { tools },
    ),
  },
  {
    what: "ids used again in a later turn",
    body: request([ask, calling("a"), result("a"), calling("a"), result("a")], { tools }),
  },
  {
    what: "a result as parts",
    body: request([ask, calling("a"), { ...result("a"), content: [text("x")] }], { tools }),
  },
  { what: "an empty result", body: request([ask, calling("a"), { ...result("a"), content: "" }], { tools }) },
  {
    what: "a call of a custom tool",
    body: request(
      [
        ask,
        { role: "assistant", tool_calls: [{ id: "a", type: "custom", custom: { name: "sh", input: "ls" } }] },
        result("a"),
      ],
      {
        tools: [{ type: "custom", custom: { name: "sh" } }],
      },
    ),
  },
  {
    what: "a function call of the old kind",
    body: request([
      ask,
      { role: "assistant", content: null, function_call: { name: "a", arguments: "{}" } },
      { role: "function", name: "a", content: "x" },
    ]),
  },
  {
    what: "images",
    body: request([user(text("x"), image("https://example.com/a.png"), image("data:image/png;base64,AAAA"))]),
  },
  {
    what: "sound",
    body: request([user({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })]),
  },
  {
    what: "files",
    body: request([
      user(
        { type: "file", file: { file_id: "file-1" } },
        { type: "file", file: { file_data: "AAAA", filename: "a.pdf" } },
      ),
    ]),
  },
  {
    what: "a breakpoint",
    body: request([user({ ...text("x"), prompt_cache_breakpoint: { mode: "explicit" } })]),
  },
  {
    what: "a chosen tool",
    body: request([ask], { tools, tool_choice: { type: "function", function: { name: "get_weather" } } }),
  },
  {
    what: "no tool, please",
    body: request([ask], { tools, tool_choice: "none", parallel_tool_calls: true }),
  },
  {
    what: "a stream with usage",
    body: request([ask], { stream: true, stream_options: { include_usage: true } }),
  },
  {
    what: "all settings",
    body: request([ask], {
      ...{
        temperature: 2,
        top_p: 0,
        n: 2,
        seed: 1,
        stop: "END",
        user: "ada",
        logprobs: true,
        top_logprobs: 20,
      },
      ...{
        max_completion_tokens: 10,
        reasoning_effort: "low",
        response_format: { type: "json_object" },
        store: false,
      },
    }),
  },
  {
    what: "settings left open",
    body: request([ask], { temperature: null, max_tokens: null, stream: null, stop: null }),
  },
  {
    what: "two system messages in a row, where it is no rule",
    body: request([system, system, ask]),
    rules: { noSystemInARow: false },
  },
];
