// Bodies that the OpenAI Responses API takes: what the rules must never refuse.
import {
  answer,
  ask,
  call,
  output,
  reasoning,
  request,
  text,
  tool,
  user,
} from "./openai-responses-bodies.ts";
import type { OpenAIResponsesRules } from "./openai-responses-rules.ts";
import type { ValidCase } from "./rule-case.ts";

const tools = [tool];
const developer = { role: "developer", content: "Be kind." };
const image = (image_url: string) => ({ type: "input_image", image_url, detail: "low" });

export const validOpenAIResponses: ValidCase<OpenAIResponsesRules>[] = [
  { what: "a string", body: request("Hi") },
  { what: "a message without a type", body: request([ask]) },
  { what: "a message with parts", body: request([user(text("a"), text("b"))]) },
  { what: "an empty string in a message", body: request([{ role: "user", content: "" }]) },
  { what: "a system message", body: request([{ role: "system", content: "Be brief." }, ask]) },
  { what: "a developer message in the middle", body: request([ask, answer, developer, ask]) },
  { what: "instructions", body: request([ask], { instructions: "Be brief." }) },
  { what: "two of the user's messages in a row", body: request([ask, ask]) },
  { what: "the assistant first", body: request([answer, ask]) },
  { what: "the assistant last", body: request([ask, answer]) },
  { what: "an answer as a string", body: request([ask, { role: "assistant", content: "Sunny." }, ask]) },
  {
    what: "an answer as the model wrote it",
    body: request([
      ask,
      {
        ...{ id: "msg_1", type: "message", status: "completed", role: "assistant", phase: "final_answer" },
        content: [{ type: "output_text", text: "Sunny.", annotations: [], logprobs: [] }],
      },
      ask,
    ]),
  },
  {
    what: "a refusal",
    body: request([ask, { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }, ask]),
  },
  { what: "a tool loop", body: request([ask, call("a"), output("a")], { tools }) },
  {
    what: "a call with id and state",
    body: request([ask, call("a", { id: "fc_1", status: "completed" }), output("a")], { tools }),
  },
  {
    what: "parallel calls, outputs in another order",
    body: request([ask, call("a"), call("b"), output("b"), output("a")], { tools }),
  },
  {
    what: "parallel calls, each with its output behind it",
    body: request([ask, call("a"), output("a"), call("b"), output("b")], { tools }),
  },
  { what: "text before a call", body: request([ask, answer, call("a"), output("a")], { tools }) },
  { what: "a reminder behind an output", body: request([ask, call("a"), output("a"), user(text("x"))]) },
  { what: "a reminder between a call and its output", body: request([ask, call("a"), ask, output("a")]) },
  { what: "a developer message behind an output", body: request([ask, call("a"), output("a"), developer]) },
  { what: "an output as parts", body: request([ask, call("a"), output("a", { output: [text("x")] })]) },
  { what: "an empty output", body: request([ask, call("a"), output("a", { output: "" })]) },
  {
    what: "an output with a picture",
    body: request([ask, call("a"), output("a", { output: [image("data:image/png;base64,AAAA")] })]),
  },
  {
    what: "a call of a custom tool",
    body: request(
      [
        ask,
        { type: "custom_tool_call", call_id: "a", name: "sh", input: "ls" },
        { type: "custom_tool_call_output", call_id: "a", output: "x" },
      ],
      { tools: [{ type: "custom", name: "sh" }] },
    ),
  },
  { what: "reasoning before a message", body: request([ask, reasoning("rs_1"), answer, ask]) },
  { what: "reasoning before a call", body: request([ask, reasoning("rs_1"), call("a"), output("a")]) },
  {
    what: "reasoning with a summary and without an id",
    body: request([
      ask,
      {
        ...{ type: "reasoning", encrypted_content: "b3BhcXVl" },
        summary: [{ type: "summary_text", text: "Hm." }],
      },
      answer,
    ]),
  },
  {
    what: "reasoning twice before a call",
    body: request([ask, reasoning("rs_1"), reasoning("rs_2"), call("a"), output("a")]),
  },
  {
    what: "reasoning without its call, where that is no rule",
    body: request([ask, reasoning("rs_1"), ask]),
    rules: { encryptedReasoningAnywhere: true },
  },
  {
    what: "calls of the provider's tools",
    body: request([ask, { type: "web_search_call", id: "ws_1" }, answer]),
  },
  {
    what: "pictures",
    body: request([
      user(text("x"), image("https://example.com/a.png"), { type: "input_image", file_id: "file-1" }),
    ]),
  },
  {
    what: "files",
    body: request([
      user(
        { type: "input_file", file_id: "file-1" },
        { type: "input_file", file_url: "https://example.com/a.pdf" },
        { type: "input_file", file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" },
      ),
    ]),
  },
  {
    what: "a breakpoint",
    body: request([user({ ...text("x"), prompt_cache_breakpoint: { mode: "explicit" } })]),
  },
  {
    what: "Codex's own field, where that is let through",
    body: request([{ ...ask, internal_chat_message_metadata_passthrough: { turn_id: "t" } }]),
    rules: { codexItems: true },
  },
  { what: "no tools in a list", body: request([ask], { tools: [], tool_choice: "auto" }) },
  { what: "a tool of the provider's", body: request([ask], { tools: [{ type: "web_search" }, tool] }) },
  { what: "a tool without parameters", body: request([ask], { tools: [{ type: "function", name: "now" }] }) },
  {
    what: "a chosen tool",
    body: request([ask], { tools, tool_choice: { type: "function", name: "get_weather" } }),
  },
  {
    what: "no tool, please",
    body: request([ask], { tools, tool_choice: "none", parallel_tool_calls: false }),
  },
  {
    what: "all settings",
    body: request([ask], {
      ...{ temperature: 2, top_p: 0, top_logprobs: 20, max_output_tokens: 16, max_tool_calls: 1 },
      ...{ store: false, stream: true, stream_options: { include_obfuscation: false }, truncation: "auto" },
      ...{ include: ["reasoning.encrypted_content"], reasoning: { effort: "low", summary: "auto" } },
      ...{ metadata: { a: "b" }, user: "ada", service_tier: "flex", prompt_cache_key: "k" },
      client_metadata: { thread_id: "t" },
      text: { verbosity: "low", format: { type: "json_schema", name: "reply", schema: {}, strict: true } },
    }),
  },
  {
    what: "settings left open",
    body: request([ask], {
      ...{ temperature: null, max_output_tokens: null, stream: null, instructions: null, include: null },
      ...{ previous_response_id: null, store: null },
    }),
  },
];
