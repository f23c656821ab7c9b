// An answer of the rehearsal as Anthropic writes it: in one piece, or as a stream of events.

import type { Reply } from "./play-call.ts";
import type { Block } from "./requests.ts";

export const MODEL = "rehearsal";

export interface Usage {
  /** Everything in the request, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
}

export interface Answer {
  id: string;
  content: readonly Block[];
  usage: Usage;
}

export function contentOf({ thinking, say, tools }: Reply, nextId: () => string): Block[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: signed(thinking) }]),
    ...(say === undefined || say === "" ? [] : [{ type: "text", text: say }]),
    ...tools.map(({ name, input }) => ({ type: "tool_use", id: nextId(), name, input })),
  ];
}

export function asMessage(answer: Answer): object {
  return {
    ...frameOf(answer),
    content: answer.content,
    stop_reason: stopReason(answer),
    usage: wireUsage(answer.usage),
  };
}

export function asEvents(answer: Answer): string[] {
  const usage = wireUsage(answer.usage);
  return [
    event("message_start", { message: { ...frameOf(answer), usage: { ...usage, output_tokens: 1 } } }),
    event("ping", {}),
    ...answer.content.flatMap(blockEvents),
    event("message_delta", { delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage }),
    event("message_stop", {}),
  ];
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export function asError(status: number, message: string): object {
  return { type: "error", error: { type: ERRORS[status] ?? "api_error", message } };
}

function frameOf({ id }: Answer): object {
  const open = { content: [], stop_reason: null, stop_sequence: null };
  return { id, type: "message", role: "assistant", model: MODEL, ...open };
}

function stopReason({ content }: Answer): string {
  return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

function wireUsage({ input, output, cacheRead }: Usage): object {
  return {
    input_tokens: 0,
    cache_creation_input_tokens: input - cacheRead,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

function blockEvents(block: Block, index: number): string[] {
  return [
    event("content_block_start", { index, content_block: { ...block, ...EMPTY[block.type] } }),
    ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
};

function deltasOf(block: Block): object[] {
  if (block.type === "text") return pieces(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use") {
    const json = pieces(JSON.stringify(block.input));
    return json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }
  const thoughts = pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
  return [...thoughts, { type: "signature_delta", signature: block.signature }];
}

function pieces(text: unknown): string[] {
  return String(text).match(/.{1,24}/gsu) ?? [];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** A provider signs what its model thinks; hosts send it back untouched. */
function signed(thinking: string): string {
  return Buffer.from(`rehearsal:${thinking}`).toString("base64");
}
