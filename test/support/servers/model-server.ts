// A model server on loopback: it holds every request to its provider's rules, keeps it, and answers from a script.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { anthropic } from "./anthropic-answer.ts";
import type { AnthropicRules } from "./anthropic-rules.ts";
import { gemini } from "./gemini-answer.ts";
import type { GeminiRules } from "./gemini-rules.ts";
import { openaiChat } from "./openai-chat-answer.ts";
import type { OpenAIChatRules } from "./openai-chat-rules.ts";
import { createOpenAIResponses } from "./openai-responses-answer.ts";
import type { OpenAIResponsesRules } from "./openai-responses-rules.ts";
import type { FullReply, Provider, Reply } from "./provider.ts";
import { type Cut, send } from "./send.ts";
import { isObject } from "./shape.ts";

/** Opened for each server: a provider may keep what it was told and what it said. */
const providers = {
  anthropic: () => anthropic,
  "openai-chat": () => openaiChat,
  "openai-responses": createOpenAIResponses,
  gemini: () => gemini,
};

export type ProviderName = keyof typeof providers;
export type Rules = AnthropicRules & OpenAIChatRules & OpenAIResponsesRules & GeminiRules;
type Refusal = { status: number; error?: string; headers?: Record<string, string> };
export type Answer = (Reply | Refusal | (Reply & { cut: Cut })) & { delayMs?: number };
/** `index` counts the requests that the script answers: those that break a rule never reach it. */
export type Script = readonly Answer[] | ((body: Record<string, unknown>, index: number) => Answer);

export type ReceivedRequest = {
  index: number;
  time: number;
  path: string;
  headers: IncomingHttpHeaders;
  raw: string;
  body: unknown;
  /** What it was or will be answered with; null where the connection is cut before. */
  status: number | null;
  violations: string[];
};

export type ModelServerOptions = Rules & {
  provider: ProviderName;
  script: Script;
  /** Called before anything is answered. */
  onRequest?: (received: ReceivedRequest) => void;
};

export type ModelServer = {
  url: string;
  requests: readonly ReceivedRequest[];
  violations: readonly string[];
  close: () => Promise<void>;
};

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const provider = providerOf(options.provider);
  const requests: ReceivedRequest[] = [];
  const violations: string[] = [];
  const closing = new AbortController();
  const nextReply = replyCounter(provider);
  let answered = 0;

  const server = createServer(async (request, response) => {
    const raw = await readAll(request).catch(() => undefined);
    if (raw === undefined) return;
    const { pathname: path, search } = new URL(request.url ?? "/", "http://loopback");
    const body = parse(raw);
    const known = request.method === "POST" && provider.serves(path);
    const found = known ? check(body, request.headers, path + search) : [];
    const answer = known
      ? choose(found, body)
      : { status: 404, error: `Not found: ${request.method} ${path}` };
    const index = requests.length;
    const { headers } = request;
    const status = statusOf(answer);
    const received = { index, time: Date.now(), path, headers, raw, body, status, violations: found };
    requests.push(received);
    violations.push(...found.map((violation) => `request ${index}: ${violation}`));
    options.onRequest?.(received);
    if (answer.delayMs) await wait(answer.delayMs, undefined, { signal: closing.signal }).catch(() => {});
    if (!response.destroyed)
      await give(answer, isObject(body) ? body : {}, { path: path + search, response });
  });

  function check(body: unknown, headers: IncomingHttpHeaders, path: string): string[] {
    if (body === undefined) return ["The body of the request is not valid JSON."];
    return provider.check(body, options, headers, path);
  }

  function choose(found: string[], body: unknown): Answer {
    if (found[0] !== undefined) return { status: provider.refusal?.(found[0]) ?? 400, error: found[0] };
    const index = answered++;
    try {
      const { script } = options;
      const answer =
        typeof script === "function" ? script(body as Record<string, unknown>, index) : script[index];
      if (answer) return answer;
      found.push(`the script has no answer for its request ${index}`);
    } catch (error) {
      found.push(`the script failed at its request ${index}: ${error}`);
    }
    return { status: 500, error: "The script has no answer." };
  }

  async function give(
    answer: Answer,
    body: Record<string, unknown>,
    to: { path: string; response: ServerResponse },
  ) {
    if ("status" in answer) {
      const error = provider.error(answer.status, answer.error ?? `Loopback answers with ${answer.status}.`);
      return send(to.response, { ...answer, parts: [JSON.stringify(error)] });
    }
    const reply = nextReply(answer, body, to.path);
    const stream = provider.streams(body, to.path);
    const parts = stream ? provider.events(reply) : [JSON.stringify(provider.complete(reply))];
    const cut = "cut" in answer ? { cut: answer.cut } : {};
    return send(to.response, { status: 200, stream, parts, ...cut });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, requests, violations },
    close: () => {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function providerOf(name: string): Provider<Rules> {
  const open = Object.entries(providers).find(([known]) => known === name)?.[1];
  if (!open) throw new Error(`no provider "${name}"; there are ${Object.keys(providers).join(", ")}`);
  return open();
}

/** Fills in what a reply left open, with ids that no other reply of this server has. */
function replyCounter({ callId }: Provider<Rules>) {
  let replies = 0;
  let calls = 0;
  return (reply: Reply & { cut?: Cut }, request: Record<string, unknown>, path: string): FullReply => {
    const {
      text = reply.cut ? "An answer that is cut off." : "",
      thinking = "",
      toolCalls = [],
      usage = {},
    } = reply;
    const spoken = text.length + thinking.length + JSON.stringify(toolCalls).length;
    return {
      ...{ id: `loopback_${++replies}`, model: String(request.model), text, thinking, request, path },
      toolCalls: toolCalls.map(({ id, ...call }) => ({ id: id ?? callId(++calls), ...call })),
      usage: {
        input: tokens(JSON.stringify(request).length),
        output: tokens(spoken),
        cacheRead: 0,
        cacheWrite: 0,
        ...usage,
      },
    };
  };
}

function tokens(characters: number): number {
  return Math.ceil(characters / 4);
}

function statusOf(answer: Answer): number | null {
  if ("status" in answer) return answer.status;
  return "cut" in answer && answer.cut === "before-headers" ? null : 200;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
