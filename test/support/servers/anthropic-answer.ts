// How Anthropic answers: messages, their events, and errors.
import { type AnthropicRules, checkAnthropicMessages } from "./anthropic-rules.ts";
import { type FullReply, type Provider, piecesOf } from "./provider.ts";

export const anthropic: Provider<AnthropicRules> = {
  serves: (pathname) => pathname === "/v1/messages",
  check: (body, rules, headers) => {
    const version = headers["anthropic-version"];
    return checkAnthropicMessages(body, typeof version === "string" ? { version, ...rules } : rules);
  },
  streams: (body) => body.stream === true,
  callId: (count) => `toolu_${String(count).padStart(4, "0")}`,
  error: (status, message) => ({
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message },
    request_id: "req_loopback",
  }),
  complete: (reply) => ({
    ...messageOf(reply),
    content: contentOf(reply),
    stop_reason: stopReasonOf(reply),
    usage: usageOf(reply),
  }),
  events: (reply) => [
    event("message_start", {
      message: { ...messageOf(reply), usage: { ...usageOf(reply), output_tokens: 1 } },
    }),
    event("ping", {}),
    ...contentOf(reply).flatMap(blockEvents),
    event("message_delta", {
      delta: { stop_reason: stopReasonOf(reply), stop_sequence: null, stop_details: null },
      usage: usageOf(reply),
    }),
    event("message_stop", {}),
  ],
};

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

type Content =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; caller: { type: string } };

function messageOf({ id, model }: FullReply) {
  return {
    ...{ id: `msg_${id}`, type: "message", role: "assistant", model, content: [] },
    ...{ stop_reason: null, stop_sequence: null, stop_details: null },
  };
}

function contentOf({ thinking, text, toolCalls }: FullReply): Content[] {
  const signature = Buffer.from(`signed:${thinking}`).toString("base64");
  return [
    ...(thinking === "" ? [] : [{ type: "thinking" as const, thinking, signature }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...toolCalls.map((call) => ({ type: "tool_use" as const, ...call, caller: { type: "direct" } })),
  ];
}

function stopReasonOf({ toolCalls }: FullReply): string {
  return toolCalls.length > 0 ? "tool_use" : "end_turn";
}

function usageOf({ usage }: FullReply) {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

function blockEvents(content: Content, index: number): string[] {
  return [
    event("content_block_start", { index, content_block: opened(content) }),
    ...deltasOf(content).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

function opened(content: Content): object {
  if (content.type === "text") return { ...content, text: "" };
  if (content.type === "tool_use") return { ...content, input: {} };
  return { ...content, thinking: "", signature: "" };
}

function deltasOf(content: Content): object[] {
  if (content.type === "text") return piecesOf(content.text).map((text) => ({ type: "text_delta", text }));
  if (content.type === "thinking") {
    const thoughts = piecesOf(content.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    return [...thoughts, { type: "signature_delta", signature: content.signature }];
  }
  // The provider, too, opens the input with an empty piece.
  const pieces = ["", ...piecesOf(JSON.stringify(content.input))];
  return pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
