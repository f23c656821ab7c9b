// The two wire formats a host speaks: its own messages, its requests, and the answers it reads.

import { type AnthropicBody, anthropicMessages, type OpenAIChatBody, openaiChat } from "sotto";
import type { Dialect } from "sotto/extend";
import type { MeasuredDialect } from "../support/prefix.ts";

export interface Message {
  role: string;
  content?: string | Record<string, unknown>[] | null;
  [field: string]: unknown;
}

export interface Call {
  id: string;
}

export interface Wire {
  dialect: Dialect<never>;
  path: string;
  start: Message[];
  user(text: string): Message;
  result(call: Call, text: string): Message;
  request(messages: Message[]): { messages: Message[] };
  /** Where a request carries a name that only the provider reads. */
  label(text: string): Record<string, unknown>;
  calls(answer: Message): Call[];
  /** The answer from a whole response, or from the data of its events; throws where it is not whole. */
  whole(response: Record<string, unknown>): Message;
  streamed(events: string[]): Message;
}

const INPUT = { type: "object", properties: { command: { type: "string" } } };

const anthropic: Wire = {
  dialect: anthropicMessages satisfies Dialect<AnthropicBody> as unknown as Dialect<never>,
  path: "/v1/messages",
  start: [],
  user: (text) => ({ role: "user", content: [{ type: "text", text }] }),
  result: ({ id }, text) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: text }],
  }),
  request: (messages) => ({
    model: "claude-loopback",
    max_tokens: 1000,
    system: "You are an agent under test.",
    tools: [{ name: "Bash", input_schema: INPUT }],
    messages,
  }),
  label: (text) => ({ metadata: { user_id: text } }),
  calls: ({ content }) =>
    (content as Record<string, unknown>[]).filter(({ type }) => type === "tool_use") as unknown as Call[],
  whole: ({ content }) => ({ role: "assistant", content: content as Record<string, unknown>[] }),
  streamed(events) {
    const parsed = events.map((event) => JSON.parse(event));
    if (!parsed.some(({ type }) => type === "message_stop")) throw new Error("the answer was cut off");
    const content: Record<string, unknown>[] = [];
    for (const { type, index, content_block, delta } of parsed) {
      if (type === "content_block_start") content[index] = { ...content_block, json: "" };
      const block = content[index] as { text: string; json: string } | undefined;
      if (type !== "content_block_delta" || block === undefined) continue;
      block.text += delta.text ?? "";
      block.json += delta.partial_json ?? "";
    }
    return {
      role: "assistant",
      content: content.map(({ json, text, ...block }) =>
        block.type === "text" ? { ...block, text } : { ...block, input: JSON.parse(String(json)) },
      ),
    };
  },
};

const openai: Wire = {
  dialect: openaiChat satisfies Dialect<OpenAIChatBody> as unknown as Dialect<never>,
  path: "/v1/chat/completions",
  start: [{ role: "system", content: "You are an agent under test." }],
  user: (text) => ({ role: "user", content: text }),
  result: ({ id }, text) => ({ role: "tool", tool_call_id: id, content: text }),
  request: (messages) => ({
    model: "gpt-loopback",
    tools: [{ type: "function", function: { name: "Bash", parameters: INPUT } }],
    messages,
  }),
  label: (text) => ({ user: text }),
  calls: ({ tool_calls }) => (tool_calls ?? []) as Call[],
  whole: ({ choices }) => (choices as { message: Message }[])[0]?.message as Message,
  streamed(events) {
    if (events.at(-1) !== "[DONE]") throw new Error("the answer was cut off");
    let content = "";
    const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
    for (const event of events.slice(0, -1)) {
      const delta = JSON.parse(event).choices[0]?.delta ?? {};
      content += delta.content ?? "";
      for (const { index, ...call } of delta.tool_calls ?? []) {
        const known = calls[index];
        if (known === undefined) calls[index] = call;
        else known.function.arguments += call.function.arguments;
      }
    }
    return { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  },
};

export const wires: Record<MeasuredDialect, Wire> = {
  "anthropic-messages": anthropic,
  "openai-chat": openai,
};
