// Writes a conversation as an OpenAI Chat Completions request.

import type { Conversation, Piece, Prompt, Reply, Step, Telling } from "./histories.ts";
import { loneText } from "./histories.ts";

export type Part = Record<string, unknown> & { type: string };
export type Message = { role: string; content?: string | Part[] | null } & Record<string, unknown>;
export type OpenAIChatRequest = { messages: Message[] } & Record<string, unknown>;

export function openaiChatBody(conversation: Conversation, telling: Telling = {}): OpenAIChatRequest {
  const { system, steps, prefill, breakpoints } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const messages: Message[] = system ? [{ role: "developer", content: content(system) }] : [];
  messages.push(...told.flatMap((step, index) => stepMessages(step, index, telling.instructions ?? false)));
  if (prefill && told.length === steps.length) messages.push({ role: "assistant", content: prefill });
  const body = {
    model: "gpt-test",
    messages,
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
    stream: true,
  };
  return withBreakpoints(body, telling.breakpoints ?? breakpoints);
}

function stepMessages(step: Step, index: number, instructions: boolean): Message[] {
  const { reply, prompts, instruction } = step;
  const results = (reply?.calls ?? []).map(({ result, asString }, at) => ({
    role: "tool",
    tool_call_id: callId(index, at),
    content: toolContent(result, asString),
  }));
  return [
    ...(reply ? [replyMessage(reply, index)] : []),
    ...results,
    ...prompts.map((prompt) => ({ role: "user", content: content(prompt) })),
    ...(instructions && instruction ? [{ role: "system", content: instruction }] : []),
  ];
}

function replyMessage({ texts, calls, asString }: Reply, index: number): Message {
  const pieces = texts.map((text) => ({ text }));
  return {
    role: "assistant",
    content: pieces.length > 0 ? content({ pieces, asString }) : null,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ input }, at) => ({
        id: callId(index, at),
        type: "function",
        function: { name: "look", arguments: JSON.stringify(input) },
      })),
    }),
  };
}

/** Tools answer in text only here. */
function toolContent(pieces: Piece[], asString: boolean): string | Part[] {
  const texts = pieces.filter((piece) => "text" in piece);
  return texts.length > 0 ? content({ pieces: texts, asString }) : "";
}

function content(prompt: Prompt): string | Part[] {
  return loneText(prompt) ?? prompt.pieces.map(part);
}

function part(piece: Piece): Part {
  if ("text" in piece) return { type: "text", text: piece.text };
  return { type: "image_url", image_url: { url: `data:image/png;base64,${piece.image}` } };
}

function callId(step: number, call: number): string {
  return `call_${step}_${call}`;
}

function withBreakpoints(body: OpenAIChatRequest, picks: readonly number[]): OpenAIChatRequest {
  const copy = structuredClone(body);
  const places = copy.messages.flatMap(({ role, content: parts }) =>
    role !== "assistant" && Array.isArray(parts) ? parts : [],
  );
  for (const pick of picks) {
    const place = places[pick % places.length];
    if (place) place.prompt_cache_breakpoint = { mode: "explicit" };
  }
  return copy;
}
