// Writes a conversation as an OpenAI Responses request.

import type { Call, Conversation, Piece, Prompt, Reply, Step, Telling } from "./histories.ts";
import { loneText } from "./histories.ts";

export type Part = Record<string, unknown> & { type: string };
export type Item = Record<string, unknown> & { type?: string; role?: string };
export type OpenAIResponsesRequest = { input: Item[] } & Record<string, unknown>;

export function openaiResponsesBody(
  conversation: Conversation,
  telling: Telling = {},
): OpenAIResponsesRequest {
  const { system, steps, prefill, breakpoints } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const input: Item[] = system ? [{ role: "developer", content: content(system) }] : [];
  input.push(...told.flatMap((step, index) => stepItems(step, index, telling.instructions ?? false)));
  if (prefill && told.length === steps.length) input.push({ role: "assistant", content: prefill });
  const body = {
    model: "gpt-test",
    instructions: "Be brief.",
    input,
    tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
    store: false,
    stream: true,
  };
  return withBreakpoints(body, telling.breakpoints ?? breakpoints);
}

function stepItems(step: Step, index: number, instructions: boolean): Item[] {
  const { reply, prompts, spread, instruction } = step;
  const calls = (reply?.calls ?? []).map((call, at) => [callItem(call, index, at), output(call, index, at)]);
  // Parallel calls come together or each with its answer.
  const acts = spread ? calls.flat() : [...calls.map(([call]) => call), ...calls.map(([, answer]) => answer)];
  return [
    ...(reply ? replyItems(reply, index) : []),
    ...(acts as Item[]),
    ...prompts.map((prompt) => ({ type: "message", role: "user", content: content(prompt) })),
    ...(instructions && instruction ? [{ role: "developer", content: instruction }] : []),
  ];
}

function replyItems({ thought, texts, search, asString }: Reply, index: number): Item[] {
  const parts = texts.map((text) => ({ type: "output_text", text, annotations: [] }));
  const lone = asString && texts.length === 1;
  return [
    ...(thought
      ? [{ type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: btoa(`${index}`) }]
      : []),
    ...(search ? [{ type: "web_search_call", id: `ws_${index}`, status: "completed" }] : []),
    ...(texts.length > 0 ? [{ role: "assistant", content: lone ? (texts[0] as string) : parts }] : []),
  ];
}

function callItem({ input }: Call, step: number, call: number): Item {
  return {
    type: "function_call",
    call_id: callId(step, call),
    name: "look",
    arguments: JSON.stringify(input),
  };
}

function output({ result, asString }: Call, step: number, call: number): Item {
  const pieces = result.length > 0 ? result : [{ text: "" }];
  return {
    type: "function_call_output",
    call_id: callId(step, call),
    output: loneText({ pieces, asString }) ?? pieces.map(part),
  };
}

function content(prompt: Prompt): string | Part[] {
  return loneText(prompt) ?? prompt.pieces.map(part);
}

function part(piece: Piece): Part {
  if ("text" in piece) return { type: "input_text", text: piece.text };
  return { type: "input_image", image_url: `data:image/png;base64,${piece.image}`, detail: "auto" };
}

function callId(step: number, call: number): string {
  return `call_${step}_${call}`;
}

function withBreakpoints(body: OpenAIResponsesRequest, picks: readonly number[]): OpenAIResponsesRequest {
  const copy = structuredClone(body);
  const places = copy.input.flatMap(({ role, content: parts }) =>
    role !== undefined && role !== "assistant" && Array.isArray(parts) ? (parts as Part[]) : [],
  );
  for (const pick of picks) {
    const place = places[pick % places.length];
    if (place) place.prompt_cache_breakpoint = { mode: "explicit" };
  }
  return copy;
}
