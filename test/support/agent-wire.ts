// How agents write their conversation in each dialect: prompts, replies with calls, results.

import { anthropicMessages, type Dialect, openaiChat } from "sotto";
import type { MeasuredDialect } from "./prefix.ts";
import { checkAnthropicMessages } from "./servers/anthropic-rules.ts";
import { checkOpenAIChat } from "./servers/openai-chat-rules.ts";

export type WireMessage = { role: string; content?: unknown } & Record<string, unknown>;
export type WireBody = { messages: WireMessage[] } & Record<string, unknown>;

export interface Wire {
  name: MeasuredDialect;
  dialect: Dialect<WireBody>;
  /** What the provider would refuse. */
  check(body: unknown): string[];
  body(messages: WireMessage[]): WireBody;
  reply(text: string | undefined, calls: readonly string[]): WireMessage;
  results(answers: readonly { id: string; text: string }[], together: boolean): WireMessage[];
  image(data: string): object;
}

export function prompt(...texts: string[]): WireMessage {
  const [first] = texts;
  if (texts.length === 1 && first !== undefined) return { role: "user", content: first };
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

export const anthropic: Wire = {
  name: "anthropic-messages",
  dialect: anthropicMessages as unknown as Dialect<WireBody>,
  check: (body) => checkAnthropicMessages(body),
  body: (messages) => ({
    model: "claude-test",
    max_tokens: 1024,
    system: "You write code.",
    tools: [{ name: "look", description: "Looks.", input_schema: { type: "object", properties: {} } }],
    messages: [...messages],
  }),
  reply: (text, calls) => ({
    role: "assistant",
    content: [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...calls.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
    ],
  }),
  results(answers, together) {
    const blocks = answers.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text }));
    if (together) return [{ role: "user", content: blocks }];
    return blocks.map((block) => ({ role: "user", content: [block] }));
  },
  image: (data) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } }),
};

export const openai: Wire = {
  name: "openai-chat",
  dialect: openaiChat as unknown as Dialect<WireBody>,
  check: (body) => checkOpenAIChat(body),
  body: (messages) => ({
    model: "gpt-test",
    messages: [{ role: "system", content: "You write code." }, ...messages],
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
  }),
  reply: (text, calls) => ({
    role: "assistant",
    content: text ?? null,
    ...(calls.length > 0 && {
      tool_calls: calls.map((id) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
    }),
  }),
  results: (answers) => answers.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  image: (data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }),
};

export const wires: readonly Wire[] = [anthropic, openai];
