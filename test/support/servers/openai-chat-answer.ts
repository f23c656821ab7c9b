// How OpenAI Chat Completions answers: completions, their chunks, and errors.
import { checkOpenAIChat, type OpenAIChatRules } from "./openai-chat-rules.ts";
import { type FullReply, type Provider, piecesOf } from "./provider.ts";
import { isObject } from "./shape.ts";

export const openaiChat: Provider<OpenAIChatRules> = {
  serves: (pathname) => pathname === "/v1/chat/completions",
  check: checkOpenAIChat,
  streams: (body) => body.stream === true,
  callId: (count) => `call_${String(count).padStart(4, "0")}`,
  error: (status, message) => ({
    error: {
      message,
      type: ERROR_TYPES[status] ?? "server_error",
      param: null,
      code: ERROR_CODES[status] ?? null,
    },
  }),
  complete: (reply) => ({
    ...headOf(reply, "chat.completion"),
    choices: [{ index: 0, message: messageOf(reply), logprobs: null, finish_reason: finishReasonOf(reply) }],
    usage: usageOf(reply),
  }),
  events: (reply) => [
    ...deltasOf(reply).map((delta) => chunk(reply, { choices: [choice(delta, null)] })),
    chunk(reply, { choices: [choice({}, finishReasonOf(reply))] }),
    ...(wantsUsage(reply) ? [chunk(reply, { choices: [], usage: usageOf(reply) })] : []),
    "data: [DONE]\n\n",
  ],
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "invalid_request_error",
  403: "invalid_request_error",
  404: "invalid_request_error",
  429: "requests",
};

const ERROR_CODES: Record<number, string> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };

function headOf({ id, model }: FullReply, object: string) {
  // A fixed time keeps recordings of one script the same.
  return { id: `chatcmpl-${id}`, object, created: 1_700_000_000, model, service_tier: "default" };
}

function messageOf({ text, toolCalls }: FullReply) {
  const calls = toolCalls.map(({ id, name, input }) => ({
    ...{ id, type: "function" },
    function: { name, arguments: JSON.stringify(input) },
  }));
  const content = text === "" && calls.length > 0 ? null : text;
  return { role: "assistant", content, refusal: null, ...(calls.length > 0 && { tool_calls: calls }) };
}

/** Thinking does not show in this API, only its price. */
function usageOf({ usage, thinking }: FullReply) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: Math.ceil(thinking.length / 4), audio_tokens: 0 },
  };
}

function finishReasonOf({ toolCalls }: FullReply): string {
  return toolCalls.length > 0 ? "tool_calls" : "stop";
}

function deltasOf(reply: FullReply): object[] {
  const { content } = messageOf(reply);
  return [
    { role: "assistant", content: content === null ? null : "", refusal: null },
    ...piecesOf(reply.text).map((piece) => ({ content: piece })),
    ...reply.toolCalls.flatMap(({ id, name, input }, index) => [
      { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
      ...piecesOf(JSON.stringify(input)).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
}

function choice(delta: object, finish_reason: string | null) {
  return { index: 0, delta, logprobs: null, finish_reason };
}

function chunk(reply: FullReply, fields: object): string {
  const usage = wantsUsage(reply) ? { usage: null } : {};
  return `data: ${JSON.stringify({ ...headOf(reply, "chat.completion.chunk"), ...usage, ...fields })}\n\n`;
}

function wantsUsage({ request }: FullReply): boolean {
  return isObject(request.stream_options) && request.stream_options.include_usage === true;
}
