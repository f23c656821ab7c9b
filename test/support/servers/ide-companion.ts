// An editor's companion as the public protocol has it: a file that leads to it, an MCP server that tells of the user.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { Server } from "@modelcontextprotocol/server";
import { type McpHttpServer, serveMcp } from "./mcp-http.ts";

export interface IdeCompanion extends McpHttpServer {
  token: string;
  file: string;
  /** Tells everyone who listens, and everyone who comes later. */
  say(state: { openFiles?: unknown; isTrusted?: unknown }): Promise<void>;
  leave(): Promise<void>;
}

export interface IdeCompanionOptions {
  directory: string;
  workspacePath: string;
  pid?: number;
  displayName?: string;
  token?: string;
}

export async function startCompanion(options: IdeCompanionOptions): Promise<IdeCompanion> {
  const { directory, workspacePath, pid = process.pid, displayName = "Test Editor" } = options;
  const { token = `canary-token-${Math.random().toString(36).slice(2)}` } = options;
  let now: Record<string, unknown> | undefined;
  const tell = (server: Server) =>
    server
      .notification({ method: "ide/contextUpdate", params: { workspaceState: now } })
      .catch(() => undefined);
  const http = await serveMcp({
    token,
    create() {
      const server = new Server({ name: "companion", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", async () => ({ tools: [] }));
      return server;
    },
    // Its stream of news is open: it hears how things are.
    onStream: (server) => {
      if (now !== undefined) void tell(server);
    },
  });
  await mkdir(directory, { recursive: true });
  const file = join(directory, `gemini-ide-server-${pid}-${http.port}.json`);
  const content = {
    port: http.port,
    workspacePath,
    authToken: token,
    ideInfo: { name: "test", displayName },
  };
  await writeFile(file, JSON.stringify(content), { mode: 0o600 });
  return {
    ...http,
    token,
    file,
    async say(state) {
      now = state;
      await Promise.all([...http.servers].map(tell));
    },
    async leave() {
      await rm(file, { force: true });
      await http.close();
    },
  };
}
