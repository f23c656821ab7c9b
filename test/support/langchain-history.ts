// Writes a conversation as messages of LangChain.

import type { LangchainBody, LangchainMessage } from "../../packages/sotto/src/dialects/langchain.ts";
import {
  type Call,
  type Conversation,
  loneText,
  type Piece,
  type Prompt,
  type Reply,
  type Step,
  type Telling,
} from "./histories.ts";

type Block = Record<string, unknown> & { type: string };
type Message = { type: string; content: string | Block[] } & Record<string, unknown>;

export function langchainBody(conversation: Conversation, telling: Telling = {}): LangchainBody {
  const { system, steps, prefill, breakpoints } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const messages: Message[] = system ? [{ type: "system", content: contentOf(system) }] : [];
  messages.push(...told.flatMap((step, index) => stepMessages(step, index)));
  if (prefill && told.length === steps.length)
    messages.push({ type: "ai", content: prefill, tool_calls: [], response_metadata: {} });
  const places = messages.flatMap(({ type, content }) =>
    type === "human" && Array.isArray(content) ? content : [],
  );
  for (const pick of telling.breakpoints ?? breakpoints) {
    const place = places[pick % places.length];
    if (place) place.cache_control = { type: "ephemeral" };
  }
  return { messages: messages as unknown as LangchainMessage[] };
}

/** What its model classes, or any provider behind them, would refuse. */
export function checkLangchain({ messages }: LangchainBody): string[] {
  const problems: string[] = [];
  const all = messages as unknown as Message[];
  for (const [index, { type, content, tool_calls: calls = [] }] of all.entries()) {
    if (!["system", "human", "ai", "tool"].includes(type)) problems.push(`messages.${index}: type ${type}`);
    if (type === "human" && content.length === 0) problems.push(`messages.${index}: nothing said`);
    if (type === "system" && all.slice(0, index).some((one) => one.type !== "system"))
      problems.push(`messages.${index}: a system message in the middle`);
    if (type === "tool" && !["ai", "tool"].includes(all[index - 1]?.type ?? ""))
      problems.push(`messages.${index}: an answer without its call`);
    const ids = (calls as { id: string }[]).map(({ id }) => id);
    const answers = all.slice(index + 1, index + 1 + ids.length).map((one) => one.tool_call_id);
    if (type === "ai" && ids.join() !== answers.join())
      problems.push(`messages.${index}: calls ${ids} are not answered by ${answers}`);
  }
  return problems;
}

function stepMessages({ reply, prompts }: Step, index: number): Message[] {
  return [
    ...(reply ? [replyMessage(reply, index)] : []),
    ...(reply?.calls ?? []).map((call, at) => answerTo(call, index, at)),
    ...prompts.map((prompt) => ({ type: "human", content: contentOf(prompt) })),
  ];
}

/** Anthropic's answers name their calls among the blocks as well. */
function replyMessage({ texts, calls, thought, asString }: Reply, index: number): Message {
  const made = calls.map(({ input }, at) => ({ id: callId(index, at), name: "look", args: input }));
  const uses = made.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  const lone = asString && texts.length === 1 && calls.length === 0 && thought === undefined;
  const content = [
    ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, signature: btoa(`${index}`) }]),
    ...texts.map((text) => ({ type: "text", text })),
    ...uses,
  ];
  return { type: "ai", content: lone ? (texts[0] as string) : content, tool_calls: made };
}

function answerTo({ result, asString, failed }: Call, step: number, call: number): Message {
  const pieces = result.length > 0 ? result : [{ text: "" }];
  return {
    type: "tool",
    content: loneText({ pieces, asString }) ?? pieces.map(block),
    tool_call_id: callId(step, call),
    status: failed ? "error" : "success",
  };
}

function contentOf(prompt: Prompt): string | Block[] {
  return loneText(prompt) ?? prompt.pieces.map(block);
}

function block(piece: Piece): Block {
  if ("text" in piece) return { type: "text", text: piece.text };
  return { type: "image_url", image_url: { url: `data:image/png;base64,${piece.image}` } };
}

function callId(step: number, call: number): string {
  return `call_${step}_${call}`;
}
