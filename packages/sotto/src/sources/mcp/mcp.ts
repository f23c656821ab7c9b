// MCP servers as a source: kept connected while the session lives, their resources read when the user mentions them.

import { type McpServers, parseServers } from "./server-config.ts";
import type { Source } from "../source.ts";
import { type Clock, realClock } from "../clock.ts";
import type { Connection, McpServerState } from "./server.ts";
import type { Environment } from "./expand-server.ts";
import { createResourceReader } from "./read-resources.ts";
import { type ToolOutput, toolOutput } from "./tool-output.ts";
import type { ServerTool } from "./tools.ts";

export interface McpOptions {
  /** As in a `.mcp.json`, and allowed to run. */
  servers: McpServers;
  /** What `${VAR}` stands for; this process's environment unless given. */
  environment?: Environment;
  /** How long a server may take to come up. */
  connectMs?: number;
  clock?: Clock;
  fetch?: typeof globalThis.fetch;
}

export interface McpTool extends ServerTool {
  server: string;
}

export interface McpSource extends Source<"mentionedResources"> {
  servers(): readonly string[];
  /** One for each server, for those who look after them. */
  state(): McpServerState[];
  /** Of the servers that are connected, in the order of their names. */
  tools(): McpTool[];
  /** Resolves when every server is connected or has failed, or the time is up. */
  settled(ms: number): Promise<void>;
  /** What the tool gave, bounded; rejects in words where it could not even be asked. */
  callTool(
    call: { server: string; tool: string; input: Record<string, unknown> },
    signal: AbortSignal,
  ): Promise<ToolOutput>;
  close(): Promise<void>;
}

// Long enough for one that is downloaded first.
const CONNECT_MS = 30_000;

/** Throws where the servers are not as they should be. */
export function createMcpSource(options: McpOptions): McpSource {
  const servers = parseServers(options.servers);
  const names = Object.keys(servers).sort();
  const { clock = realClock, environment = process.env, connectMs = CONNECT_MS } = options;
  const connections = new Map<string, Connection>();
  const reader = createResourceReader((name) => connections.get(name));
  let starting: Promise<void> | undefined;

  const start = async (cwd: string) => {
    // Loaded with the first server: importing the library stays light.
    const [{ createConnection }, { loadSdk }] = await Promise.all([
      import("./server.ts"),
      import("./sdk.ts"),
    ]);
    for (const [name, server] of Object.entries(servers))
      connections.set(
        name,
        createConnection({
          ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
          name,
          server,
          cwd,
          environment,
          clock,
          connectMs,
          load: loadSdk,
        }),
      );
  };

  return {
    fact: "mentionedResources",
    forPrompt: true,
    servers: () => names,
    start({ cwd }) {
      starting ??= start(cwd);
      return starting;
    },
    async observe(turn, signal) {
      const { parseMentions } = await import("../mentions/parse-mentions.ts");
      const mentions = parseMentions(turn.userPrompt ?? "", { servers: names, agents: [] }).filter(
        (mention) => mention.kind === "mcp",
      );
      await starting;
      return reader.read(mentions, { turn, signal });
    },
    state: () =>
      names.map(
        (name) => connections.get(name)?.state() ?? { name, status: "closed", tools: 0, resources: 0 },
      ),
    tools: () =>
      [...connections.values()]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((one) => one.tools().map((tool) => ({ ...tool, server: one.name }))),
    async settled(ms) {
      await starting;
      const waiting = new AbortController();
      await Promise.race([
        Promise.all([...connections.values()].map((one) => one.settled)),
        realClock.delay(ms, waiting.signal),
      ]);
      waiting.abort();
    },
    async callTool({ server, tool, input }, signal) {
      await starting;
      const connection = connections.get(server);
      if (connection === undefined) throw new Error(`there is no MCP server ${server}`);
      return toolOutput(await connection.call(tool, input, signal), connection.redact);
    },
    async close() {
      await starting;
      await Promise.all([...connections.values()].map((one) => one.close()));
      await reader.close();
      connections.clear();
    },
  };
}
