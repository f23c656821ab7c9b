// The rehearsal's HTTP server on 127.0.0.1, and its answers in Anthropic's format.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Reply } from "./player.ts";
import { type Block, commonLength, promptBlocks, type RequestBody, tokensOf } from "./requests.ts";
import type { Call } from "./scenario.ts";

export interface Exchange {
  /** The raw body. */
  readonly raw: Buffer;
  /** Resolves when the client has disconnected. */
  readonly left: Promise<void>;
  hasLeft(): boolean;
  send(status: number, body: object, headers?: Record<string, string>): void;
  stream(events: readonly string[]): void;
  /** Sends part of an answer and breaks the connection. */
  cut(contentType: string, part: string): Promise<void>;
}

export interface Serving {
  /** The base URL. */
  url: string;
  close(): Promise<void>;
}

export async function serve(answer: (exchange: Exchange) => Promise<void>): Promise<Serving> {
  const open = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const work = route(request, response, answer).finally(() => open.delete(work));
    open.add(work);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, ...open]);
    },
  };
}

/** Never rejects: a failure becomes a 500 response. */
async function route(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  try {
    const { pathname } = new URL(request.url ?? "/", "http://127.0.0.1");
    const what = `${request.method} ${pathname}`;
    if (what === "POST /v1/messages") return await answer(await exchangeOf(request, response));
    const self = { type: "model", id: MODEL, display_name: "Rehearsal: a script, not a model" };
    if (what === "GET /v1/models") return send(response, 200, { data: [self], has_more: false });
    if (what === `GET /v1/models/${MODEL}`) return send(response, 200, self);
    send(response, 404, asError(404, `This is a rehearsal: it only serves POST /v1/messages, not ${what}.`));
  } catch (error) {
    if (response.headersSent) response.destroy();
    else send(response, 500, asError(500, `The rehearsal failed: ${(error as Error).message}`));
  }
}

async function exchangeOf(request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  let gone = false;
  const left = new Promise<void>((resolve) => {
    response.once("close", () => {
      gone = true;
      resolve();
    });
  });
  return {
    raw: await readAll(request),
    left,
    hasLeft: () => gone,
    send: (status, body, headers) => send(response, status, body, headers),
    stream(events) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      for (const event of events) response.write(event);
      response.end();
    },
    async cut(contentType, part) {
      response.writeHead(200, { "content-type": contentType });
      // Flush first, or the client never sees it.
      await new Promise((resolve) => response.write(part, resolve));
      response.destroy();
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers?: Record<string, string>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

// Answers in Anthropic's format: one message, or a stream of events.

export const MODEL = "rehearsal";

export interface Usage {
  /** Everything in the request, cached or not. */
  input: number;
  output: number;
  cacheRead: number;
}

export interface Answer {
  id: string;
  content: readonly Block[];
  usage: Usage;
}

export function contentOf({ thinking, say, tools }: Reply, nextId: () => string): Block[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: signed(thinking) }]),
    ...(say === undefined || say === "" ? [] : [{ type: "text", text: say }]),
    ...tools.map(({ name, input }) => ({ type: "tool_use", id: nextId(), name, input })),
  ];
}

export function asMessage(answer: Answer): object {
  return {
    ...frameOf(answer),
    content: answer.content,
    stop_reason: stopReason(answer),
    usage: wireUsage(answer.usage),
  };
}

export function asEvents(answer: Answer): string[] {
  const usage = wireUsage(answer.usage);
  return [
    event("message_start", { message: { ...frameOf(answer), usage: { ...usage, output_tokens: 1 } } }),
    event("ping", {}),
    ...answer.content.flatMap(blockEvents),
    event("message_delta", { delta: { stop_reason: stopReason(answer), stop_sequence: null }, usage }),
    event("message_stop", {}),
  ];
}

const ERRORS: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export function asError(status: number, message: string): object {
  return { type: "error", error: { type: ERRORS[status] ?? "api_error", message } };
}

function frameOf({ id }: Answer): object {
  const open = { content: [], stop_reason: null, stop_sequence: null };
  return { id, type: "message", role: "assistant", model: MODEL, ...open };
}

function stopReason({ content }: Answer): string {
  return content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
}

function wireUsage({ input, output, cacheRead }: Usage): object {
  return {
    input_tokens: 0,
    cache_creation_input_tokens: input - cacheRead,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

function blockEvents(block: Block, index: number): string[] {
  return [
    event("content_block_start", { index, content_block: { ...block, ...EMPTY[block.type] } }),
    ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

const EMPTY: Readonly<Record<string, object>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
};

function deltasOf(block: Block): object[] {
  if (block.type === "text") return pieces(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use") {
    const json = pieces(JSON.stringify(block.input));
    return json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
  }
  const thoughts = pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
  return [...thoughts, { type: "signature_delta", signature: block.signature }];
}

function pieces(text: unknown): string[] {
  return String(text).match(/.{1,24}/gsu) ?? [];
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/** Providers sign thinking blocks; hosts send them back unchanged. */
function signed(thinking: string): string {
  return Buffer.from(`rehearsal:${thinking}`).toString("base64");
}

// The reported token usage.

export interface RehearsedUsage {
  body: RequestBody;
  /** Of the request, estimated. */
  tokens: number;
  /** The last answered request of the conversation. */
  before: RequestBody | undefined;
  content: readonly Block[];
}

/** Estimates what the scenario does not set. The cache covers what the request shares with the last one. */
export function usageOf(pretended: Call["usage"], { body, tokens, before, content }: RehearsedUsage): Usage {
  const blocks = promptBlocks(body);
  const common = before === undefined ? 0 : commonLength(blocks, promptBlocks(before));
  const input = pretended.input ?? tokens;
  const share = tokens === 0 ? 0 : tokensOf(blocks.slice(0, common)) / tokens;
  return {
    input,
    output: pretended.output ?? tokensOf(content.map((block) => JSON.stringify(block))),
    cacheRead: Math.min(input, pretended.cacheRead ?? Math.round(input * share)),
  };
}
