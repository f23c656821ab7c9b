// How agents write their conversation in each dialect: prompts, replies with calls, results.

import { anthropicMessages, gemini, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import type { MeasuredWire } from "./prefix.ts";
import { checkAnthropicMessages } from "./servers/anthropic-rules.ts";
import { checkGemini } from "./servers/gemini-rules.ts";
import { checkOpenAIChat } from "./servers/openai-chat-rules.ts";
import { checkOpenAIResponses } from "./servers/openai-responses-rules.ts";

export type WireMessage = { role?: string; content?: unknown } & Record<string, unknown>;
export type WireBody = Record<string, unknown>;

export interface Wire {
  name: MeasuredWire;
  dialect: Dialect<WireBody>;
  /** What the provider would refuse. */
  check(body: unknown): string[];
  body(messages: WireMessage[]): WireBody;
  prompt(...texts: string[]): WireMessage;
  reply(text: string | undefined, calls: readonly string[]): WireMessage[];
  results(answers: readonly { id: string; text: string }[], together: boolean): WireMessage[];
  image(data: string): object;
}

/** The messages of a body, wherever its dialect has them. */
export function listOf({ dialect }: Wire, body: WireBody): WireMessage[] {
  return body[dialect.field] as WireMessage[];
}

export function prompt(...texts: string[]): WireMessage {
  return promptAs("text", texts);
}

function promptAs(type: string, texts: readonly string[]): WireMessage {
  const [first] = texts;
  if (texts.length === 1 && first !== undefined) return { role: "user", content: first };
  return { role: "user", content: texts.map((text) => ({ type, text })) };
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
  prompt,
  reply: (text, calls) => [
    {
      role: "assistant",
      content: [
        ...(text === undefined ? [] : [{ type: "text", text }]),
        ...calls.map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
      ],
    },
  ],
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
  prompt,
  reply: (text, calls) => [
    {
      role: "assistant",
      content: text ?? null,
      ...(calls.length > 0 && {
        tool_calls: calls.map((id) => ({
          id,
          type: "function",
          function: { name: "look", arguments: "{}" },
        })),
      }),
    },
  ],
  results: (answers) => answers.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  image: (data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }),
};

/** A client that keeps everything itself, reasoning included. */
export const responses: Wire = {
  name: "openai-responses",
  dialect: openaiResponses as unknown as Dialect<WireBody>,
  check: (body) => checkOpenAIResponses(body),
  body: (messages) => ({
    model: "gpt-test",
    instructions: "You write code.",
    input: [...messages],
    tools: [{ type: "function", name: "look", parameters: { type: "object", properties: {} } }],
    store: false,
  }),
  prompt: (...texts) => promptAs("input_text", texts),
  reply: (text, calls) => [
    ...(calls.length > 0 ? [{ type: "reasoning", summary: [], encrypted_content: btoa(calls.join()) }] : []),
    ...(text === undefined ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
    ...calls.map((id) => ({ type: "function_call", call_id: id, name: "look", arguments: "{}" })),
  ],
  results: (answers) =>
    answers.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
  image: (data) => ({
    type: "input_image",
    image_url: `data:image/png;base64,${data}`,
    detail: "auto",
  }),
};

export const google: Wire = {
  name: "gemini",
  dialect: gemini as unknown as Dialect<WireBody>,
  check: (body) => checkGemini(body, { geminiModel: "gemini-3.8-flash" }),
  body: (messages) => ({
    contents: [...messages],
    systemInstruction: { parts: [{ text: "You write code." }] },
    tools: [{ functionDeclarations: [{ name: "look" }] }],
  }),
  prompt: (...texts) => ({ role: "user", parts: texts.map((text) => ({ text })) }),
  reply: (text, calls) => [
    {
      role: "model",
      parts: [
        ...(text === undefined ? [] : [{ text }]),
        ...calls.map((id, at) => ({
          functionCall: { name: "look", args: {}, id },
          ...(at === 0 && { thoughtSignature: "c2lnbmVk" }),
        })),
      ],
    },
  ],
  results: (answers) => [
    {
      role: "user",
      parts: answers.map(({ id, text }) => ({
        functionResponse: { name: "look", id, response: { output: text } },
      })),
    },
  ],
  image: (data) => ({ inlineData: { mimeType: "image/png", data } }),
};

/** The two that hosts write by hand. */
export const handWires: readonly Wire[] = [anthropic, openai];
export const wires: readonly Wire[] = [...handWires, responses, google];
