// MCP tools as tools of the agent: `mcp__server__tool`. Their effects are unknown, so they ask first.

import { createHash } from "node:crypto";
import type { McpSource, McpTool } from "sotto/mcp";
import { z } from "zod";
import { line, neutralise, neutraliseSchema } from "../untrusted-text.ts";
import type { Tool } from "./tool.ts";
import { defineTool } from "./tool.ts";

const input = z.record(z.string(), z.unknown());
type Input = z.infer<typeof input>;

// The limit of some providers.
const LONGEST_NAME = 64;
const LONGEST_DETAIL = 2000;

/** The tools of connected servers, in a fixed order: another order would invalidate the prompt cache. */
export function mcpTools(source: Pick<McpSource, "tools" | "callTool">): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of source.tools()) {
    const name = nameOf(tool);
    if (!byName.has(name)) byName.set(name, toTool(name, tool, source));
  }
  return [...byName.values()];
}

function toTool(
  name: string,
  { server, name: own, description, inputSchema }: McpTool,
  source: Pick<McpSource, "callTool">,
): Tool {
  return defineTool<Input>({
    name,
    description: describe(server, own, description),
    input,
    schema: neutraliseSchema(inputSchema),
    kind: "run",
    title: (given) => `${server}: ${own} ${JSON.stringify(given)}`,
    permission: (given) => ({ detail: JSON.stringify(given, undefined, 2).slice(0, LONGEST_DETAIL) }),
    works: () => ({ command: name, kind: "tool" }),
    async run(given, { signal }) {
      const { text, isError } = await source.callTool({ server, tool: own, input: given }, signal);
      return { text, ...(isError ? { isError } : {}) };
    },
  });
}

/** Marks the description as the server's. */
function describe(server: string, own: string, description: string): string {
  const tool = `${line(own)} of the MCP server ${line(server)}`;
  return description.trim() === "" ? tool : `${tool}, in the server's words: ${neutralise(description)}`;
}

function nameOf({ server, name }: McpTool): string {
  const whole = `mcp__${server}__${name}`.replace(/[^\w-]/gu, "_");
  if (whole.length <= LONGEST_NAME) return whole;
  // A hash keeps long names unique.
  const mark = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${whole.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
