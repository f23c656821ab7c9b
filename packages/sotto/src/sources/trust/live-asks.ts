// What a project would run: hooks, MCP servers, and language servers that it brings along.

import type { IsTrusted } from "../source.ts";
import type { Desk } from "../files/file-access.ts";
import { readHookFiles } from "../hooks/hook-files.ts";
import { lookForServers } from "../lsp/language-servers.ts";
import { projectServers } from "../mcp/server-settings.ts";
import { commandsOf, commandText } from "./commands.ts";
import type { TrustAsk, TrustKind } from "./trust-ask.ts";

// As a program that works with language servers would have them.
const LANGUAGE_SERVERS = { enabled: true, wait_ms: 0, servers: {} };

/** Each file is asked about with what stands in it; that is written down, and nothing is run. */
export async function liveAsks(desk: Desk): Promise<TrustAsk[]> {
  const found: TrustAsk[] = [];
  const note =
    (kind: TrustKind, asks: (content: string) => string[]): IsTrusted =>
    (path, content) => {
      found.push({ kind, path, content, asks: asks(content) });
      return true;
    };
  const { cwd, home, configDirectory, takes } = desk;
  const reader = await desk.reader();
  await readHookFiles({
    ...{ cwd, home, configDirectory, reader, takes },
    isTrusted: note("hooks", hookCommands),
  });
  await projectServers({ cwd, home, isTrusted: note("servers", serverCommands) });
  await lookForServers(
    { desk, isTrusted: note("program", () => ["runs as a language server"]) },
    LANGUAGE_SERVERS,
  );
  return found;
}

function hookCommands(content: string): string[] {
  const { hooks } = parsed(content) as { hooks?: Record<string, unknown> };
  return Object.entries(hooks ?? {}).flatMap(([event, groups]) =>
    list(groups).flatMap((group) => {
      const { matcher } = Object(group) as { matcher?: unknown };
      const when = typeof matcher === "string" && matcher !== "" ? `${event} ${matcher}` : event;
      return commandsOf(group).map((command) => `runs at ${when}: ${commandText(command)}`);
    }),
  );
}

function serverCommands(content: string): string[] {
  const { mcpServers } = parsed(content) as { mcpServers?: Record<string, unknown> };
  return Object.entries(mcpServers ?? {}).flatMap(([name, server]) => {
    const { url, headers } = Object(server) as { url?: unknown; headers?: unknown };
    const names = Object.keys(Object(headers));
    const talks = `talks to the MCP server ${name} at ${url}${names.length === 0 ? "" : ` (with ${names.join(", ")})`}`;
    return [
      ...commandsOf(server).map((command) => `runs the MCP server ${name}: ${commandText(command)}`),
      ...(url === undefined ? [] : [talks]),
    ];
  });
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsed(content: string): object {
  try {
    return Object(JSON.parse(content.replace(/^\uFEFF/u, "")));
  } catch {
    return {};
  }
}
