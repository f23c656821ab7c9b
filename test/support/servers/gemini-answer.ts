// How Gemini answers: whole responses, their chunks, and errors.
import { geminiModel, modelOf } from "./gemini-model.ts";
import { checkGemini, type GeminiRules } from "./gemini-rules.ts";
import { type FullReply, type Provider, piecesOf } from "./provider.ts";
import { isObject } from "./shape.ts";

export const gemini: Provider<GeminiRules> = {
  serves: (pathname) => /^\/v1(?:beta)?\/models\/[^/:]+:(?:generate|streamGenerate)Content$/.test(pathname),
  check: (body, rules, _, path) => checkGemini(body, { geminiModel: modelOf(path), ...rules }),
  streams: (_, path) => isStream(path) && new URLSearchParams(path.split("?")[1]).get("alt") === "sse",
  callId: (count) => `call_${String(count).padStart(4, "0")}`,
  error: (status, message) => ({ error: { code: status, message, status: STATUSES[status] ?? "UNKNOWN" } }),
  // Who asks for a stream without naming its form gets its chunks as a list.
  complete: (reply) => (isStream(reply.path) ? chunksOf(reply) : response(reply, wholeParts(reply), true)),
  events: (reply) => chunksOf(reply).map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
};

const STATUSES: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

type Part = { text?: string; thought?: true; thoughtSignature?: string } & Record<string, unknown>;

function isStream(path: string): boolean {
  return path.includes(":streamGenerateContent");
}

function response(reply: FullReply, parts: Part[], finished: boolean) {
  const finish =
    reply.toolCalls.length > 0
      ? { finishReason: "STOP", finishMessage: "Model generated function call(s)." }
      : { finishReason: "STOP" };
  return {
    candidates: [{ content: { parts, role: "model" }, ...(finished && finish), index: 0 }],
    usageMetadata: usageOf(reply),
    modelVersion: modelOf(reply.path),
    responseId: reply.id,
  };
}

function chunksOf(reply: FullReply) {
  const { text } = reply;
  const { signed } = geminiModel(modelOf(reply.path));
  const calls = callParts(reply);
  const lists: Part[][] = [
    ...piecesOf(shownThought(reply)).map((piece): Part[] => [{ text: piece, thought: true }]),
    ...piecesOf(text).map((piece): Part[] => [{ text: piece }]),
    ...(calls.length > 0 ? [calls] : []),
    // An answer without calls is signed as well, behind its last word.
    ...(calls.length === 0 ? [[{ text: "", ...(signed && { thoughtSignature: signatureOf(reply) }) }]] : []),
  ];
  return lists.map((parts, at) => response(reply, parts, at === lists.length - 1));
}

function wholeParts(reply: FullReply): Part[] {
  const { text } = reply;
  const thought = shownThought(reply);
  const { signed } = geminiModel(modelOf(reply.path));
  const calls = callParts(reply);
  const signature = signed && calls.length === 0 && { thoughtSignature: signatureOf(reply) };
  return [
    ...(thought === "" ? [] : [{ text: thought, thought: true as const }]),
    ...(text === "" && calls.length > 0 ? [] : [{ text, ...signature }]),
    ...calls,
  ];
}

/** Of parallel calls the first is signed for all; models before 3 give no ids. */
function callParts(reply: FullReply): Part[] {
  const { signed } = geminiModel(modelOf(reply.path));
  return reply.toolCalls.map(({ id, name, input }, at) => ({
    functionCall: { name, args: input, ...(signed && { id }) },
    ...(at === 0 && { thoughtSignature: signatureOf(reply) }),
  }));
}

function signatureOf({ id }: FullReply): string {
  return Buffer.from(`signed:${id}`).toString("base64");
}

/** Thinking shows only where it was asked for; its price shows always. */
function shownThought({ thinking, request: { generationConfig } }: FullReply): string {
  const config = isObject(generationConfig) ? generationConfig.thinkingConfig : undefined;
  return isObject(config) && config.includeThoughts === true ? thinking : "";
}

function usageOf({ usage, thinking }: FullReply) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const thoughts = Math.min(usage.output, Math.ceil(thinking.length / 4));
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: usage.output - thoughts,
    totalTokenCount: prompt + usage.output,
    ...(usage.cacheRead > 0 && { cachedContentTokenCount: usage.cacheRead }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
  };
}
