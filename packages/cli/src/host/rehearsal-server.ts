// The rehearsal's model: an HTTP server on this machine that speaks Anthropic Messages and answers from a script.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Block {
  type: string;
  [field: string]: unknown;
}

export interface Message {
  role: "user" | "assistant";
  content: string | Block[];
}

export interface RequestBody {
  model: string;
  max_tokens: number;
  system: string;
  tools: object[];
  messages: Message[];
}

export interface Reply {
  text?: string;
  calls?: { name: string; input: Record<string, unknown> }[];
}

/** What the model says, or the status with which it fails. */
export type Answer = Reply | { status: number };

export interface Received {
  raw: string;
  body: RequestBody;
  status: number;
}

export interface RehearsalServer {
  url: string;
  received: readonly Received[];
  close(): Promise<void>;
}

export async function startRehearsalServer(answers: readonly Answer[]): Promise<RehearsalServer> {
  const received: Received[] = [];
  const left = [...answers];
  let calls = 0;

  const server = createServer(async (request, response) => {
    const raw = await readAll(request);
    const body = JSON.parse(raw) as RequestBody;
    const problem = ruleBroken(body);
    const answer = problem === undefined ? (left.shift() ?? { status: 500 }) : { status: 400 };
    const status = "status" in answer ? answer.status : 200;
    received.push({ raw, body, status });
    if ("status" in answer) {
      const error = {
        type: ERRORS[status] ?? "api_error",
        message: problem ?? `The rehearsal answers with ${status}.`,
      };
      return send(response, status, { type: "error", error });
    }
    const content = contentOf(answer, () => `toolu_${++calls}`);
    send(response, 200, {
      id: `msg_${received.length}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content,
      stop_reason: answer.calls === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: countTokens(raw), output_tokens: countTokens(JSON.stringify(content)) },
    });
  });

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`,
    received,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

export const BYTES_PER_TOKEN = 4;

const ERRORS: Record<number, string> = { 400: "invalid_request_error", 529: "overloaded_error" };

/** The rule that reminders could break most easily: results come first, right behind their calls. */
function ruleBroken({ messages }: RequestBody): string | undefined {
  for (const [index, message] of messages.entries()) {
    const open = blocks(message, "tool_use").map(({ id }) => id);
    if (open.length === 0) continue;
    const next = messages[index + 1];
    const answered = next === undefined ? [] : blocks(next, "tool_result").map((block) => block.tool_use_id);
    const first = Array.isArray(next?.content) ? next.content.slice(0, open.length) : [];
    if (open.some((id) => !answered.includes(id)) || first.some(({ type }) => type !== "tool_result"))
      return `messages.${index + 1}: expected the results of ${open.join(", ")} first`;
  }
  return undefined;
}

function blocks({ content }: Message, type: string): Block[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === type);
}

function contentOf({ text, calls = [] }: Reply, nextId: () => string): Block[] {
  return [
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map(({ name, input }) => ({ type: "tool_use", id: nextId(), name, input })),
  ];
}

/** Its own count, as a provider has its own. */
function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
