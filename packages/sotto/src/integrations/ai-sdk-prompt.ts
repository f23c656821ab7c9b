// A prompt of the AI SDK's language models: the conversation after the system prompt, and data in each version's format.

import type { AiSdkMessage } from "../dialects/ai-sdk.ts";

export type Messages = readonly AiSdkMessage[];

/** How many system messages come first; undefined if there is no conversation after them. */
export function conversationAt(messages: Messages): number | undefined {
  const start = Array.isArray(messages) ? messages.findIndex((message) => message?.role !== "system") : 0;
  return start < 0 ? undefined : start;
}

/** The data of added images, in the plain format of earlier versions. */
export function bare(messages: Messages, before: Messages): Messages {
  const known = new Set(before);
  return messages.map((message) =>
    known.has(message) || typeof message.content === "string"
      ? message
      : { ...message, content: message.content.map(barePart) },
  );
}

function barePart<Part extends object>(part: Part): Part {
  const { data } = part as { data?: { type?: unknown; data?: unknown } };
  return data?.type === "data" ? { ...part, data: data.data } : part;
}
