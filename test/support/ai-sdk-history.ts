// Writes a conversation as messages of the AI SDK.

import { modelMessageSchema } from "ai";
import type { AiSdkBody, AiSdkMessage } from "../../packages/sotto/src/dialects/ai-sdk.ts";
import {
  type Conversation,
  loneText,
  type Piece,
  type Prompt,
  type Reply,
  type Step,
  type Telling,
} from "./histories.ts";

type Part = Record<string, unknown> & { type: string };
type Message = { role: string; content: string | Part[] };

export function aiSdkBody(conversation: Conversation, telling: Telling = {}): AiSdkBody {
  const { system, steps, prefill, breakpoints } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const text = system?.pieces.map((piece) => ("text" in piece ? piece.text : "")).join("\n");
  const messages: Message[] = text ? [{ role: "system", content: text }] : [];
  messages.push(...told.flatMap((step, index) => stepMessages(step, index)));
  if (prefill && told.length === steps.length) messages.push({ role: "assistant", content: prefill });
  const places = messages.flatMap(({ role, content }) =>
    role === "user" && Array.isArray(content) ? content : [],
  );
  for (const pick of telling.breakpoints ?? breakpoints) {
    const place = places[pick % places.length];
    if (place) place.providerOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
  }
  return { messages: messages as unknown as AiSdkMessage[] };
}

/** What the SDK, or any provider behind it, would refuse. */
export function checkAiSdk({ messages }: AiSdkBody): string[] {
  const problems = messages.flatMap((message, index) => {
    const { success, error } = modelMessageSchema.safeParse(message);
    return success ? [] : [`messages.${index}: ${error.message}`];
  });
  for (const [index, { role, content }] of messages.entries()) {
    if (role === "system" && messages.slice(0, index).some((one) => one.role !== "system"))
      problems.push(`messages.${index}: a system message in the middle`);
    const calls = role === "assistant" ? idsIn(content, "tool-call") : [];
    const next = messages[index + 1];
    const results = next?.role === "tool" ? idsIn(next.content, "tool-result") : [];
    if (calls.join() !== results.join())
      problems.push(`messages.${index}: calls ${calls} are not answered by ${results}`);
  }
  return problems;
}

function idsIn(content: unknown, type: string): unknown[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: Part) => (part.type === type ? [part.toolCallId] : []));
}

function stepMessages({ reply, prompts }: Step, index: number): Message[] {
  const results = (reply?.calls ?? []).map(({ result }, at) => ({
    type: "tool-result",
    toolCallId: callId(index, at),
    toolName: "look",
    output: { type: "text", value: result.map((piece) => ("text" in piece ? piece.text : "")).join("\n") },
  }));
  return [
    ...(reply ? [{ role: "assistant", content: replyContent(reply, index) }] : []),
    ...(results.length > 0 ? [{ role: "tool", content: results }] : []),
    ...prompts.map((prompt) => ({ role: "user", content: contentOf(prompt) })),
  ];
}

function replyContent({ texts, calls, thought, asString }: Reply, index: number): string | Part[] {
  if (asString && texts.length === 1 && calls.length === 0 && thought === undefined)
    return texts[0] as string;
  return [
    ...(thought === undefined ? [] : [{ type: "reasoning", text: thought }]),
    ...texts.map((text) => ({ type: "text", text })),
    ...calls.map(({ input }, at) => ({
      type: "tool-call",
      toolCallId: callId(index, at),
      toolName: "look",
      input,
    })),
  ];
}

function contentOf(prompt: Prompt): string | Part[] {
  return loneText(prompt) ?? prompt.pieces.map(part);
}

function part(piece: Piece): Part {
  if ("text" in piece) return { type: "text", text: piece.text };
  return { type: "image", image: piece.image, mediaType: "image/png" };
}

function callId(step: number, call: number): string {
  return `call_${step}_${call}`;
}
