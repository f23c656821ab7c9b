// Conversations with calls of tools, as clients write them in each dialect.

import { aiSdk, anthropicMessages, gemini, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";

/** What one side says, or a call of a tool with its result. */
export interface Message {
  role: "user" | "assistant";
  text?: string;
  call?: { id: number; name: string; input: Record<string, unknown>; output: string };
}

/** How a client writes the id of a call; undefined where it has none. */
export type IdOf = (id: number) => string | undefined;

export const forms: Record<
  string,
  { dialect: Dialect<never>; write(history: readonly Message[], idOf: IdOf): object }
> = {
  anthropic: {
    dialect: anthropicMessages,
    write: (history, idOf) => ({
      messages: history.flatMap(({ role, text, call }): object[] => {
        if (call === undefined) return [{ role, content: text }];
        const { name, input, output } = call;
        const id = idOf(call.id) ?? "";
        return [
          { role, content: [{ type: "tool_use", id, name, input }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
        ];
      }),
    }),
  },
  chat: {
    dialect: openaiChat,
    write: (history, idOf) => ({
      messages: history.flatMap(({ role, text, call }): object[] => {
        if (call === undefined) return [{ role, content: text }];
        const id = idOf(call.id) ?? "";
        const call_ = { name: call.name, arguments: JSON.stringify(call.input) };
        return [
          { role, content: null, tool_calls: [{ id, type: "function", function: call_ }] },
          { role: "tool", tool_call_id: id, content: call.output },
        ];
      }),
    }),
  },
  responses: {
    dialect: openaiResponses,
    write: (history, idOf) => ({
      input: history.flatMap(({ role, text, call }): object[] => {
        const type = role === "user" ? "input_text" : "output_text";
        if (call === undefined) return [{ type: "message", role, content: [{ type, text }] }];
        const call_id = idOf(call.id) ?? "";
        return [
          { type: "function_call", call_id, name: call.name, arguments: JSON.stringify(call.input) },
          { type: "function_call_output", call_id, output: call.output },
        ];
      }),
    }),
  },
  gemini: {
    dialect: gemini,
    write: (history) => ({
      contents: history.flatMap(({ role, text, call }): object[] => {
        if (call === undefined) return [{ role: role === "user" ? "user" : "model", parts: [{ text }] }];
        const { name, input, output } = call;
        return [
          { role: "model", parts: [{ functionCall: { name, args: input } }] },
          { role: "user", parts: [{ functionResponse: { name, response: { output } } }] },
        ];
      }),
    }),
  },
  aiSdk: {
    dialect: aiSdk,
    write: (history, idOf) => ({
      messages: history.flatMap(({ role, text, call }): object[] => {
        if (call === undefined) return [{ role, content: [{ type: "text", text }] }];
        const toolName = call.name;
        const toolCallId = idOf(call.id) ?? "";
        const output = { type: "text", value: call.output };
        return [
          { role, content: [{ type: "tool-call", toolCallId, toolName, input: call.input }] },
          { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
        ];
      }),
    }),
  },
};

export const ids: Record<string, IdOf> = {
  kept: (id) => `call_${id}`,
  changed: (id) => `toolu_${id * 7}`,
  none: () => undefined,
};
