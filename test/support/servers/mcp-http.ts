// An MCP server over streamable HTTP on this machine, with sessions, an optional token, and a hand on its notifications.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

export interface McpHttpServer {
  url: string;
  port: number;
  /** Those that are connected. */
  servers: Set<Server>;
  /** Headers of all requests so far. */
  requests: Record<string, unknown>[];
  /** Ends all connections; the next requests are answered like those of a stranger. */
  drop(): void;
  close(): Promise<void>;
}

export interface McpHttpOptions {
  create(): Server;
  token?: string;
  /** Somebody opened the stream on which it can speak up. */
  onStream?(server: Server): void;
  /** Answers instead of the server. */
  answer?(request: IncomingMessage, response: ServerResponse): boolean;
}

export async function serveMcp({ create, token, answer, onStream }: McpHttpOptions): Promise<McpHttpServer> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers = new Set<Server>();
  const owners = new Map<WebStandardStreamableHTTPServerTransport, Server>();
  const requests: Record<string, unknown>[] = [];
  const open = async () => {
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
        servers.add(server);
      },
    });
    owners.set(transport, server);
    transport.onclose = () => void servers.delete(server);
    await server.connect(transport);
    return transport;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ method: request.method, ...request.headers });
    if (answer?.(request, response)) return;
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      // What a careless server does: it says what it got.
      response.writeHead(401, { "www-authenticate": "Bearer" });
      return response.end(`who is ${request.headers.authorization}?`);
    }
    const id = request.headers["mcp-session-id"];
    const transport = typeof id === "string" ? sessions.get(id) : await open();
    if (transport === undefined) return response.writeHead(404).end();
    const answered = await transport.handleRequest(await toRequest(request));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (request.method === "GET" && answered.ok) onStream?.(owners.get(transport) as Server);
    if (answered.body === null) return response.end();
    response.flushHeaders();
    Readable.fromWeb(answered.body as never)
      .on("error", () => undefined)
      .pipe(response);
    return undefined;
  };
  const http = createServer((request, response) => {
    handle(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const drop = () => {
    sessions.clear();
    servers.clear();
    http.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    servers,
    requests,
    drop,
    async close() {
      const closed = new Promise((resolve) => http.close(resolve));
      drop();
      await closed;
    },
  };
}

async function toRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET" } = request;
  return new Request(`http://127.0.0.1${request.url}`, {
    method,
    headers: Object.entries(request.headers).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value] as [string, string]] : [],
    ),
    ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}),
  });
}
