// Writes a conversation as an Anthropic Messages request.

import type { Call, Conversation, Piece, Prompt, Reply, Step, Telling } from "./histories.ts";
import { loneText } from "./histories.ts";

export type Block = Record<string, unknown> & { type: string };
export type Message = { role: string; content: string | Block[] };
export type AnthropicRequest = { messages: Message[] } & Record<string, unknown>;

export function anthropicBody(conversation: Conversation, telling: Telling = {}): AnthropicRequest {
  const { system, thinking, steps, prefill, breakpoints } = conversation;
  const told = steps.slice(0, telling.steps ?? steps.length);
  const messages = told.flatMap((step, index) => stepMessages(step, index, telling.instructions ?? false));
  if (prefill && told.length === steps.length) messages.push({ role: "assistant", content: prefill });
  const body = {
    model: "claude-test",
    max_tokens: 4096,
    ...(system && { system: loneText(system) ?? system.pieces.map(block) }),
    tools: [{ name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } }],
    ...(thinking && { thinking: { type: "enabled", budget_tokens: 1024 } }),
    messages,
    stream: true,
  };
  return withBreakpoints(body, telling.breakpoints ?? breakpoints);
}

function stepMessages(step: Step, index: number, instructions: boolean): Message[] {
  const { reply, prompts, spread, joined, instruction } = step;
  const results = (reply?.calls ?? []).map((call, at) => result(call, callId(index, at)));
  const messages: Message[] = reply ? [replyMessage(reply, index)] : [];
  if (results.length > 0) {
    messages.push(
      ...(spread
        ? results.map((each) => ({ role: "user", content: [each] }))
        : [{ role: "user", content: results }]),
    );
  }
  const said = prompts.map(promptMessage);
  const last = messages.at(-1);
  if (joined && results.length > 0 && said[0] && typeof last?.content === "object") {
    last.content = [...last.content, ...(prompts[0]?.pieces ?? []).map(block)];
    said.shift();
  }
  messages.push(...said);
  if (instructions && instruction) messages.push({ role: "system", content: instruction });
  return messages;
}

function promptMessage(prompt: Prompt): Message {
  return { role: "user", content: loneText(prompt) ?? prompt.pieces.map(block) };
}

function replyMessage({ thought, texts, search, calls, asString }: Reply, index: number): Message {
  const lone = texts.length === 1 && !thought && !search && calls.length === 0;
  if (asString && lone) return { role: "assistant", content: texts[0] as string };
  const searchId = `srvtoolu_${index}`;
  const content: Block[] = [
    ...(thought ? [{ type: "thinking", thinking: thought, signature: "c2lnbmVk" }] : []),
    ...(search
      ? [
          { type: "server_tool_use", id: searchId, name: "web_search", input: { query: "weather" } },
          { type: "web_search_tool_result", tool_use_id: searchId, content: [] },
        ]
      : []),
    ...texts.map((text) => ({ type: "text", text })),
    ...calls.map(({ input }, at) => ({ type: "tool_use", id: callId(index, at), name: "look", input })),
  ];
  return { role: "assistant", content };
}

function result({ result: pieces, asString, failed }: Call, id: string): Block {
  const content = pieces.length > 0 ? (loneText({ pieces, asString }) ?? pieces.map(block)) : undefined;
  return {
    type: "tool_result",
    tool_use_id: id,
    ...(content !== undefined && { content }),
    ...(failed && content !== undefined && { is_error: true }),
  };
}

function block(piece: Piece): Block {
  if ("text" in piece) return { type: "text", text: piece.text };
  return { type: "image", source: { type: "base64", media_type: "image/png", data: piece.image } };
}

function callId(step: number, call: number): string {
  return `toolu_${step}_${call}`;
}

function withBreakpoints(body: AnthropicRequest, picks: readonly number[]): AnthropicRequest {
  const copy = structuredClone(body);
  const blocks = [copy.tools, copy.system, ...copy.messages.map(({ content }) => content)].flatMap((list) =>
    Array.isArray(list) ? (list as Block[]) : [],
  );
  const places = blocks.filter(({ type }) => type !== "thinking");
  for (const pick of picks) {
    const place = places[pick % places.length];
    if (place) place.cache_control = { type: "ephemeral" };
  }
  return copy;
}
