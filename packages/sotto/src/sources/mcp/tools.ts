// The tools of one connection, bounded: what a server says about them stands in every request.

import type { Redact } from "../redact.ts";
import type { CallToolResult, Client } from "./sdk.ts";

export interface ServerTool {
  name: string;
  description: string;
  /** JSON Schema, as the server has it. */
  inputSchema: Record<string, unknown>;
}

export interface ToolShelf {
  list(): Promise<void>;
  tools(): readonly ServerTool[];
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
}

const LIST_MS = 20_000;
// As long as a person waits; the host's signal ends it earlier.
const CALL_MS = 10 * 60_000;
const MOST_TOOLS = 200;
const LONGEST_DESCRIPTION = 2000;
const LARGEST_SCHEMA = 20_000;
// Names that providers take, with the server's before them.
const NAME = /^[\w.-]{1,64}$/u;

export function createToolShelf(client: Client, redact: Redact): ToolShelf {
  let tools: readonly ServerTool[] = [];
  return {
    async list() {
      if (client.getServerCapabilities()?.tools === undefined) return;
      const listed = await client.listTools(undefined, { timeout: LIST_MS, cacheMode: "refresh" });
      tools = listed.tools
        .filter(({ name, inputSchema }) => NAME.test(name) && sizeOf(inputSchema) <= LARGEST_SCHEMA)
        .slice(0, MOST_TOOLS)
        .map(({ name, description = "", inputSchema }) => ({
          name,
          description: redact(description).slice(0, LONGEST_DESCRIPTION).toWellFormed(),
          inputSchema: inputSchema as Record<string, unknown>,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    tools: () => tools,
    call: (name, input, signal) =>
      client.callTool({ name, arguments: input }, { signal, timeout: CALL_MS, maxTotalTimeout: CALL_MS }),
  };
}

function sizeOf(schema: unknown): number {
  return JSON.stringify(schema)?.length ?? 0;
}
