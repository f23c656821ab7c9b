// What a project would run: hooks, MCP servers, and language servers that it brings along.

import { realpath } from "node:fs/promises";
import type { IsTrusted } from "../../core/options.ts";
import type { Desk } from "../files/desk.ts";
import { readHookFiles } from "../hooks/read-hook-files.ts";
import { lookForServers } from "../language-servers.ts";
import { projectServers } from "../mcp/project-servers.ts";

export type LiveKind = "hooks" | "servers" | "program";

export interface LiveAsk {
  kind: LiveKind;
  path: string;
  realPath: string;
  content: string;
  asks: string[];
}

// As a program that works with language servers would have them.
const LANGUAGE_SERVERS = { enabled: true, wait_ms: 0, servers: {} };

/** Each file is asked about with what stands in it; that is written down, and nothing is run. */
export async function liveAsks(desk: Desk): Promise<LiveAsk[]> {
  const found: LiveAsk[] = [];
  const note =
    (kind: LiveKind, asks: (content: string) => string[]) => async (path: string, content: string) => {
      const realPath = await realpath(path).catch(() => path);
      found.push({ kind, path, realPath, content, asks: asks(content) });
      return true;
    };
  const { cwd, home, configDirectory } = desk;
  const reader = await desk.reader();
  const hooks: IsTrusted = note("hooks", hookCommands);
  await readHookFiles({ cwd, home, configDirectory, reader, isTrusted: async (...file) => hooks(...file) });
  await projectServers({ cwd, isTrusted: note("servers", serverCommands) });
  await lookForServers(
    { desk, isTrusted: note("program", () => ["runs as a language server"]) },
    LANGUAGE_SERVERS,
  );
  return found;
}

function hookCommands(content: string): string[] {
  return commandsIn(parsed(content)).map((command) => `runs ${command}`);
}

function serverCommands(content: string): string[] {
  const { mcpServers } = parsed(content) as { mcpServers?: Record<string, unknown> };
  return Object.entries(mcpServers ?? {}).map(([name, server]) => {
    const { command, args, url } = server as { command?: string; args?: string[]; url?: string };
    return url === undefined
      ? `runs the MCP server ${name}: ${[command, ...(args ?? [])].join(" ")}`
      : `talks to the MCP server ${name} at ${url}`;
  });
}

/** The commands of a hooks table, wherever they stand in it. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  const { command, ...rest } = value as { command?: unknown };
  return [...(typeof command === "string" ? [command] : []), ...commandsIn(Object.values(rest))];
}

function parsed(content: string): object {
  try {
    return Object(JSON.parse(content.replace(/^\uFEFF/u, "")));
  } catch {
    return {};
  }
}
