// Writes a talk as each provider wants it, and keeps which block of the request is which piece of the talk.

import { aiSdk, anthropicMessages, gemini, openaiChat, openaiResponses } from "sotto";
import type { Dialect } from "sotto/extend";
import type { CallPiece, Message, Piece, ResultPiece, Talk } from "./talk.ts";

export const wireNames = ["anthropic", "chat", "responses", "gemini", "ai-sdk"] as const;
export type WireName = (typeof wireNames)[number];

export type WireMessage = Record<string, unknown>;
export type WireBody = Record<string, unknown>;

/** A message of a request, and the pieces it carries, one for each of its blocks (see `blocksOf`). */
export interface WrittenMessage {
  message: WireMessage;
  pieces: Piece[];
  kept: boolean;
}

export interface Wire {
  name: WireName;
  dialect: Dialect<WireBody>;
  /** Where the body has its messages. */
  field: "messages" | "input" | "contents";
  body(talk: Talk, messages: WireMessage[]): WireBody;
  write(message: Message): WrittenMessage[];
}

export const wires: Record<WireName, Wire> = {
  anthropic: {
    name: "anthropic",
    dialect: anthropicMessages as unknown as Dialect<WireBody>,
    field: "messages",
    body: ({ system }, messages) => ({
      model: "claude-test",
      max_tokens: 1000,
      system,
      tools: [{ name: "look", input_schema: { type: "object" } }],
      messages,
    }),
    write: ({ role, pieces, kept }) =>
      whole(pieces, kept, {
        role: role === "assistant" ? "assistant" : "user",
        content: textAlone(role, pieces) ?? pieces.map(anthropicBlock),
      }),
  },
  chat: {
    name: "chat",
    dialect: openaiChat as unknown as Dialect<WireBody>,
    field: "messages",
    body: ({ system }, messages) => ({
      model: "gpt-test",
      messages: [{ role: "system", content: system }, ...messages],
    }),
    write({ role, pieces, kept }) {
      if (role === "tool")
        return pieces.filter(isResult).flatMap((piece) => whole([piece], kept, chatResult(piece)));
      const texts = pieces.filter(({ is }) => is === "text");
      const calls = pieces.filter(isCall);
      if (role === "user")
        return whole(texts, kept, { role, content: textAlone(role, texts) ?? texts.map(textBlock) });
      return whole([...texts, ...calls.slice(0, 1)], kept, {
        role,
        content: texts.length > 0 ? texts.map(textOf).join("\n") : null,
        ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
      });
    },
  },
  responses: {
    name: "responses",
    dialect: openaiResponses as unknown as Dialect<WireBody>,
    field: "input",
    body: ({ system }, messages) => ({
      model: "gpt-test",
      instructions: system,
      store: false,
      input: messages,
    }),
    write({ role, pieces, kept, id }) {
      if (role !== "user")
        return pieces.flatMap((piece, at) => whole([piece], kept, responsesItem(piece, `${id}${at}`)));
      const content =
        textAlone(role, pieces) ?? pieces.map((piece) => ({ type: "input_text", text: textOf(piece) }));
      return whole(pieces, kept, { role, content });
    },
  },
  gemini: {
    name: "gemini",
    dialect: gemini as unknown as Dialect<WireBody>,
    field: "contents",
    body: ({ system }, messages) => ({
      systemInstruction: { parts: [{ text: system }] },
      contents: messages,
    }),
    write: ({ role, pieces, kept }) =>
      whole(pieces, kept, { role: role === "assistant" ? "model" : "user", parts: pieces.map(geminiPart) }),
  },
  "ai-sdk": {
    name: "ai-sdk",
    dialect: aiSdk as unknown as Dialect<WireBody>,
    field: "messages",
    body: ({ system }, messages) => ({ messages: [{ role: "system", content: system }, ...messages] }),
    write: ({ role, pieces, kept }) =>
      whole(pieces, kept, { role, content: textAlone(role, pieces) ?? pieces.map(aiSdkPart) }),
  },
};

export interface Written {
  body: WireBody;
  messages: WrittenMessage[];
}

export function writeTalk(wire: Wire, talk: Talk): Written {
  const messages = talk.messages
    .flatMap((message) => asSent(wire, message) ?? wire.write(message))
    .filter(({ pieces }) => pieces.length > 0);
  const body = wire.body(
    talk,
    messages.map(({ message }) => message),
  );
  const list = body[wire.field] as WireMessage[];
  const system: Piece = { key: "system", is: "text", text: talk.system };
  const lead = list.slice(0, list.length - messages.length);
  return {
    body,
    messages: [...lead.map((message) => ({ message, pieces: [system], kept: false })), ...messages],
  };
}

/** A kept reminder, where it was sent in this dialect. */
function asSent(wire: Wire, { kept, pieces }: Message): WrittenMessage[] | undefined {
  if (kept?.message === undefined || kept.wire !== wire.name) return undefined;
  return whole(pieces, kept, structuredClone(kept.message));
}

/** A message's blocks as text, alike for a string and a block that says the same. */
export function blocksOf(message: WireMessage): string[] {
  const { role, content, parts } = message;
  const list = typeof content === "string" ? [content] : (content ?? parts);
  const calls = message.tool_calls === undefined ? [] : [JSON.stringify(message.tool_calls)];
  if (!Array.isArray(list)) return calls.length > 0 ? calls : [JSON.stringify(message)];
  if (role === "tool" && typeof content === "string") return [JSON.stringify(message)];
  return [...list.map((block: unknown) => `${role} ${plainBlock(block)}`), ...calls];
}

function plainBlock(block: unknown): string {
  if (typeof block === "string") return JSON.stringify({ text: block });
  const { type, text, ...rest } = block as Record<string, unknown>;
  const isText = typeof text === "string" && Object.keys(rest).every((name) => name === "annotations");
  return isText && type !== "thinking" && type !== "reasoning"
    ? JSON.stringify({ text })
    : JSON.stringify(block);
}

function whole(pieces: Piece[], kept: Message["kept"], message: WireMessage): WrittenMessage[] {
  return [{ message, pieces, kept: kept !== undefined }];
}

/** Prompts of one text are strings, as most clients write them. */
function textAlone(role: string, pieces: readonly Piece[]): string | undefined {
  const [first] = pieces;
  return role === "user" && pieces.length === 1 && first?.is === "text" ? first.text : undefined;
}

const isCall = (piece: Piece): piece is CallPiece => piece.is === "call";
const isResult = (piece: Piece): piece is ResultPiece => piece.is === "result";
const textOf = (piece: Piece): string => ("text" in piece ? piece.text : "");
const textBlock = (piece: Piece) => ({ type: "text", text: textOf(piece) });
const sealed = (text: string) => Buffer.from(text).toString("base64");

function anthropicBlock(piece: Piece): WireMessage {
  if (piece.is === "text") return textBlock(piece);
  if (piece.is === "thinking")
    return { type: "thinking", thinking: piece.text, signature: sealed(piece.text) };
  if (piece.is === "call") return { type: "tool_use", id: piece.id, name: piece.name, input: piece.input };
  return { type: "tool_result", tool_use_id: piece.id, content: piece.output };
}

function chatCall({ id, name, input }: CallPiece): WireMessage {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function chatResult({ id, output }: ResultPiece): WireMessage {
  return { role: "tool", tool_call_id: id, content: output };
}

function responsesItem(piece: Piece, id: string): WireMessage {
  if (piece.is === "thinking")
    return { type: "reasoning", id: `rs_${id}`, summary: [], encrypted_content: sealed(piece.text) };
  if (piece.is === "call") {
    const { name, input } = piece;
    return {
      type: "function_call",
      id: `fc_${id}`,
      call_id: piece.id,
      name,
      arguments: JSON.stringify(input),
    };
  }
  if (piece.is === "result") return { type: "function_call_output", call_id: piece.id, output: piece.output };
  const content = [{ type: "output_text", text: piece.text, annotations: [] }];
  return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
}

function geminiPart(piece: Piece): WireMessage {
  if (piece.is === "text") return { text: piece.text };
  if (piece.is === "thinking") return { text: piece.text, thought: true };
  const { id, name } = piece;
  if (piece.is === "call")
    return { functionCall: { id, name, args: piece.input }, thoughtSignature: sealed(name) };
  return { functionResponse: { id, name, response: { output: piece.output } } };
}

function aiSdkPart(piece: Piece): WireMessage {
  if (piece.is === "text") return textBlock(piece);
  if (piece.is === "thinking") return { type: "reasoning", text: piece.text };
  const { id: toolCallId, name: toolName } = piece;
  if (piece.is === "call") return { type: "tool-call", toolCallId, toolName, input: piece.input };
  return { type: "tool-result", toolCallId, toolName, output: { type: "text", value: piece.output } };
}
