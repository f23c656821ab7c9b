// One streamed model call, with its failures classified as worth a retry or not.

import {
  APICallError,
  JSONParseError,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  NoOutputGeneratedError,
  streamText,
  type ToolSet,
  tool,
} from "ai";
import { redactedUrl } from "sotto/internal";
import { z } from "zod";
import type { TokenUsage } from "../agent-events.ts";
import type { Tool, ToolResult } from "../tools/tool.ts";
import { neutralise } from "../untrusted-text.ts";
import { usageFrom } from "./model-facts.ts";

export interface ModelCall {
  model: LanguageModel;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly Tool[];
  signal: AbortSignal;
  onText(text: string): void;
  onReasoning(text: string): void;
}

export interface ToolCall {
  callId: string;
  toolName: string;
  input: unknown;
}

export interface ModelAnswer {
  /** The assistant's message, as the provider expects it in the next request. */
  message: ModelMessage;
  text: string;
  calls: ToolCall[];
  usage: TokenUsage;
}

/** A failed call, with a message for people. */
export class ModelFailure extends Error {
  readonly retryable: boolean;
  /** The wait that the provider asked for. */
  readonly waitMs: number | undefined;

  constructor(
    message: string,
    { retryable, waitMs, cause }: { retryable: boolean; waitMs?: number | undefined; cause: unknown },
  ) {
    super(message, { cause });
    this.retryable = retryable;
    this.waitMs = waitMs;
  }
}

// Long enough for a whole file, short enough that a mistake stays cheap.
const LONGEST_ANSWER = 16_000;

// The SDK would print its warnings into the middle of the output.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

// A cache breakpoint, for providers that cache by breakpoints.
const CACHED = { anthropic: { cacheControl: { type: "ephemeral" } } };

export async function callModel(call: ModelCall): Promise<ModelAnswer> {
  const { model, system, messages, tools, signal, onText, onReasoning } = call;
  let failure: unknown;
  const result = streamText({
    model,
    instructions: { role: "system", content: system, providerOptions: CACHED },
    messages: [...messages],
    tools: toolSet(tools),
    maxOutputTokens: LONGEST_ANSWER,
    abortSignal: signal,
    // Each attempt is a turn of its own, so that its reminders are confirmed or kept.
    maxRetries: 0,
    onError: ({ error }) => {
      failure ??= error;
    },
  });
  try {
    let text = "";
    for await (const part of result.fullStream) {
      if (part.type === "text-delta") {
        text += part.text;
        onText(part.text);
      } else if (part.type === "reasoning-delta") onReasoning(part.text);
      else if (part.type === "error") throw part.error;
      else if (part.type === "abort") throw signal.reason ?? new Error("aborted");
    }
    if (failure !== undefined) throw failure;
    // The stream ended in good order, but without its last event.
    const reason = await result.finishReason;
    if (reason === "interrupted" || (reason === "other" && (await result.rawFinishReason) === undefined))
      throw new ModelFailure(BROKE_OFF, { retryable: true, cause: undefined });
    const message = (await result.response).messages.find(({ role }) => role === "assistant");
    const calls = (await result.toolCalls).map(({ toolCallId, toolName, input }) => ({
      callId: toolCallId,
      toolName,
      input,
    }));
    if (message === undefined || (text.trim() === "" && calls.length === 0))
      throw new ModelFailure("the model returned an empty answer", { retryable: true, cause: undefined });
    return { message: withoutResults(message), text, calls, usage: usageFrom(await result.usage) };
  } catch (error) {
    signal.throwIfAborted();
    throw toFailure(failure ?? error);
  }
}

/**
 * A tool result for the SDK. Every result goes through here (files, commands, servers, sub-agents, hooks, errors), so
 * that nothing in it can be read as a reserved tag.
 */
export function outputOf({ text: given, isError, image }: ToolResult) {
  const text = neutralise(given);
  if (isError) return { type: "error-text" as const, value: text };
  if (image === undefined) return { type: "text" as const, value: text };
  return {
    type: "content" as const,
    value: [
      { type: "text" as const, text },
      {
        type: "file" as const,
        mediaType: image.mediaType,
        data: { type: "data" as const, data: image.data },
      },
    ],
  };
}

/** Marks the last message for the cache: the next call starts with the same messages. */
export function withBreakpoint(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1);
  return last === undefined ? [] : [...messages.slice(0, -1), { ...last, providerOptions: CACHED }];
}

function toolSet(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input, schema }) => [
      name,
      // The input is checked when the tool runs, where the model can be told what is wrong.
      tool({ description, inputSchema: jsonSchema(schema ?? schemaOf(input)) }),
    ]),
  );
}

/** Without fields that no model needs. */
function schemaOf(input: z.ZodType): object {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  );
}

/** Drops the results that the SDK adds for unknown tools: the agent answers those calls itself. */
function withoutResults(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  return { ...message, content: message.content.filter(({ type }) => type !== "tool-result") };
}

function toFailure(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (brokeOff(error)) return new ModelFailure(BROKE_OFF, { retryable: true, cause: error });
  if (APICallError.isInstance(error)) {
    const { statusCode, isRetryable, responseHeaders, message } = error;
    const status = statusCode === undefined ? "" : `HTTP ${statusCode}: `;
    return new ModelFailure(oneLine(`${status}${message}`), {
      retryable: isRetryable || statusCode === 529,
      waitMs: retryAfter(responseHeaders),
      cause: error,
    });
  }
  const words = error instanceof Error ? error.message : JSON.stringify(error);
  return new ModelFailure(oneLine(words), { retryable: isBroken(error), cause: error });
}

/** `fetch` for the SDKs. A page, as of a proxy or at a wrong address, is not taken for an answer that broke off. */
export async function fetchAnswer(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  const { ok, headers, url } = response;
  const type = headers.get("content-type") ?? "";
  if (!ok || !/^text\/html\b/iu.test(type)) return response;
  await response.body?.cancel();
  throw new ModelFailure(
    `${redactedUrl(url)} answered with ${type}, which is no answer of a model: check the base URL and any proxy on the way`,
    { retryable: false, cause: undefined },
  );
}

const BROKE_OFF =
  "the model's answer broke off before its end: try again; if that does not help, check the network and any proxy on the way to the provider";

/** An answer began: the SDK calls that HTTP 200, an end without output, or JSON that is cut. */
function brokeOff(error: unknown): boolean {
  if (APICallError.isInstance(error))
    return error.cause !== undefined && error.statusCode !== undefined && error.statusCode < 300;
  if (NoOutputGeneratedError.isInstance(error) || JSONParseError.isInstance(error)) return true;
  return error instanceof TypeError && error.message === "terminated";
}

/** Whether the connection broke or the provider was overloaded in the middle of an answer. */
function isBroken(error: unknown): boolean {
  return /overloaded|terminated|socket|ECONNRESET|ETIMEDOUT|fetch failed|network|premature/iu.test(
    error instanceof Error ? `${error.name} ${error.message}` : JSON.stringify(error),
  );
}

function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const seconds = Number(headers?.["retry-after"]);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim().slice(0, 300);
}

// Waiting before a retry.

const FIRST_MS = 1000;
const LONGEST_MS = 30_000;

/** The wait the provider asked for; otherwise exponential, with jitter. */
export function backOff(attempt: number, asked: number | undefined, random = Math.random): number {
  if (asked !== undefined) return Math.min(asked, 2 * LONGEST_MS);
  const steady = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  return Math.round(steady * (0.75 + random() / 2));
}

/** Rejects when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done() {
      signal.removeEventListener("abort", stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal.reason);
    }
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}
